"""The type of a layer: a judge and, optionally, a fast check that is prepared for each tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Self
from warnings import warn

from abs_shield.core import RAN, Coverage, Failed, Finding, Outcome, Unavailable
from abs_shield.core.vocabularies import OPT_IN_NAMES
from abs_shield.plan.proposal import Proposal, ShieldTerms
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.session import Session
from abs_shield.session.session_record import SessionRecord

Judge = Callable[[Proposal, Session], Iterable[Finding | Unavailable | Failed]]
"""
Judge one proposed call and return its findings; none for a clean call.

A judge only reads: it never changes the proposal or the session, never raises on any JSON value,
and calls no model. Without the data it needs, it returns one `Unavailable(reason)`.
"""

Check = Callable[[Mapping[str, Any], SessionRecord, float | None], Coverage | None]
"""
Check a call's arguments, the record of its session and the mean log-probability of its name.

It returns the layer's coverage if the judge would find nothing, and None if the judge must run. It
is called only if the arguments are plain scalars that match the tool's schema, the turn has no
other call, and every registered tool may be called.
"""

Prepare = Callable[[ToolPlan, ShieldTerms, tuple[str, ...]], Coverage | Check | None]
"""
Prepare a `Check` for the calls of one tool that have these argument names.

It is called once for each set of names. It returns a `Coverage` if every such call has the same,
and None if the judge must run for every such call.
"""

NO_SESSION = Coverage(Outcome.UNAVAILABLE, "no session")


class _LayerFields(NamedTuple):
    name: str
    judge: Judge
    prepare: Prepare | None = None
    nested: bool = False
    of_model: bool = False


class Layer(_LayerFields):
    """
    One layer.

    Args:
        name: Its name in policies, reports and telemetry.
        judge: Judges a call.
        prepare: Prepares, for each tool, a check that recognises most clean calls in constant
            time; None if the judge must run for every call.
        nested: Whether it also judges calls made by the code of a tool.
        of_model: Whether it judges how the model generated a call; it is skipped for a call that
            the host changed.
        opt_in: Deprecated; has no effect. `OPT_IN_NAMES` lists the opt-in layers.
    """

    __slots__ = ()

    def __new__(
        cls,
        name: str,
        judge: Judge,
        prepare: Prepare | None = None,
        nested: bool = False,
        of_model: bool = False,
        opt_in: bool | None = None,
    ) -> Self:
        if opt_in is not None:
            warn(
                "`Layer(opt_in=...)` has no effect; `OPT_IN_NAMES` lists the opt-in layers",
                DeprecationWarning,
                stacklevel=2,
            )
        return super().__new__(cls, name, judge, prepare, nested, of_model)

    @property
    def opt_in(self) -> bool:
        """Deprecated: True if the layer runs only if a policy names it."""
        warn("`Layer.opt_in` is now `name in OPT_IN`", DeprecationWarning, stacklevel=2)
        return self.name in OPT_IN_NAMES


def prepare_ran(plan: ToolPlan, terms: ShieldTerms, names: tuple[str, ...]) -> Coverage:
    """Return RAN, the coverage of a layer that needs no further check of a registered tool."""
    return RAN
