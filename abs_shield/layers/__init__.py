"""
Before a call: the six layers.

To add a layer, write one file with one function and add its row here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MappingProxyType

from abs_shield.core import Failed, Finding, Unavailable
from abs_shield.layers.call_loop import call_loop
from abs_shield.layers.confidence_drop import confidence_drop, quick_drop
from abs_shield.layers.impossible_state import impossible_state, quick_state
from abs_shield.layers.parameter_mismatch import parameter_mismatch, quick_mismatch
from abs_shield.layers.phantom_target import phantom_target, quick_target
from abs_shield.layers.phantom_tool import phantom_tool
from abs_shield.layers.self_contradiction import quick_contradiction, self_contradiction
from abs_shield.layers.uninformed_write import uninformed_write
from abs_shield.layers.untrusted_target import untrusted_target
from abs_shield.plan import Proposal
from abs_shield.plan.quick import Compile, Quick, ran
from abs_shield.session import Session

Layer = Callable[[Proposal, Session], Iterable[Finding | Unavailable | Failed]]
"""
A function that looks at one proposed call and gives what is wrong with it; of a clean one nothing.

A layer reads: it never changes the proposal or the session, never raises on any JSON value, and
asks no model. With nothing to go on it gives one `Unavailable(reason)`.
"""

LAYERS: MappingProxyType[str, Layer] = MappingProxyType(
    {
        "phantom_tool": phantom_tool,
        "phantom_target": phantom_target,
        "parameter_mismatch": parameter_mismatch,
        "self_contradiction": self_contradiction,
        "impossible_state": impossible_state,
        "confidence_drop": confidence_drop,
    }
)

QUICK: MappingProxyType[str, Compile] = MappingProxyType(
    {
        "phantom_tool": ran,
        "phantom_target": quick_target,
        "parameter_mismatch": quick_mismatch,
        "self_contradiction": quick_contradiction,
        "confidence_drop": quick_drop,
        "impossible_state": quick_state,
    }
)
"""
What can be told at once of a clean call, the rules last: they are the host's code.

A layer without a row here always looks.
"""

OPT_IN: MappingProxyType[str, Layer] = MappingProxyType(
    {
        "untrusted_target": untrusted_target,
        "uninformed_write": uninformed_write,
        "call_loop": call_loop,
    }
)
"""Layers that a policy has to name, one file and one row each as well."""

__all__ = ["LAYERS", "OPT_IN", "QUICK", "Layer", "Quick"]
