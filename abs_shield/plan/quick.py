"""What a layer can say at once of nearly every call: that it is clean, and that it looked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from abs_shield.core import RAN, Coverage, Outcome
from abs_shield.plan.proposal import Terms
from abs_shield.plan.tool import ToolPlan
from abs_shield.session.record import SessionRecord

Quick = Callable[[Mapping[str, Any], SessionRecord, float | None], Coverage | None]
"""
Asks about one call: its arguments, the record of its session, the mean log-probability of its name.

It gives the layer's coverage where the layer would find nothing, and None where the layer itself
has to look. The arguments are plain scalars that match the tool's schema, the turn holds no other
call, and every registered tool may be called.
"""

Compile = Callable[[ToolPlan, Terms], Coverage | Quick]
"""Works a `Quick` out for one tool, once; a `Coverage` where it is the same for every call."""

NO_SESSION = Coverage(Outcome.UNAVAILABLE, "no session")


def ran(plan: ToolPlan, terms: Terms) -> Coverage:
    """Give the coverage of a layer that has nothing more to say of a registered tool."""
    return RAN
