"""What a test claims of a call: that it is blocked, flagged or allowed, and by which layer."""

from __future__ import annotations

from typing import Any, Final, overload

from abs_shield.core import Decision
from abs_shield.errors import ShieldError
from abs_shield.testing.decision_matcher import ALLOWED, BLOCKED, FLAGGED, DecisionMatcher
from abs_shield.testing.expectations import BlockedExpectation, PassingExpectation
from abs_shield.text.show import shown

_NONE: Final[Any] = object()
"""No decision was given: None would be a decision that somebody forgot to make."""


@overload
def assert_blocked(
    *,
    layer: str | None = None,
    code: str | None = None,
    where: str | None = None,
    tool: str | None = None,
) -> BlockedExpectation: ...


@overload
def assert_blocked(
    decision: Decision,
    /,
    *,
    layer: str | None = None,
    code: str | None = None,
    where: str | None = None,
    tool: str | None = None,
) -> Decision: ...


def assert_blocked(
    decision: Any = _NONE,
    /,
    *,
    layer: str | None = None,
    code: str | None = None,
    where: str | None = None,
    tool: str | None = None,
) -> Any:
    """
    Check that a call was stopped: of one decision, or of what a block of code does.

    ``with assert_blocked(layer="phantom_tool") as blocked:`` takes a `CallBlocked` that leaves the
    block, or a block that the model was told of in a message; ``blocked.decision`` says more.

    Args:
        decision: The decision; without one this is a context manager.
        layer: The layer that blocked it. Of several findings the gravest block.
        code: The finding's code; also ``approval_required``, ``approval_refused`` and
            ``layer_error``.
        where: The finding's JSON pointer, as in ``"/arguments/amount"``.
        tool: The tool, as the model named it.

    Raises:
        AssertionError: Nothing was blocked so; the message says what was found instead.
    """
    __tracebackhide__ = True
    matcher = DecisionMatcher(outcome=BLOCKED, tool=tool, layer=layer, code=code, where=where)
    if decision is _NONE:
        return BlockedExpectation(matcher, "assert_blocked")
    return _checked(decision, matcher)


@overload
def assert_flagged(
    *,
    layer: str | None = None,
    code: str | None = None,
    where: str | None = None,
    tool: str | None = None,
) -> PassingExpectation: ...


@overload
def assert_flagged(
    decision: Decision,
    /,
    *,
    layer: str | None = None,
    code: str | None = None,
    where: str | None = None,
    tool: str | None = None,
) -> Decision: ...


def assert_flagged(
    decision: Any = _NONE,
    /,
    *,
    layer: str | None = None,
    code: str | None = None,
    where: str | None = None,
    tool: str | None = None,
) -> Any:
    """
    Check that something was found and the call ran all the same, as audit mode lets every call.

    Args:
        decision: The decision; without one this is a context manager.
        layer: The layer that found it.
        code: The finding's code.
        where: The finding's JSON pointer.
        tool: The tool, as the model named it.

    Raises:
        AssertionError: Nothing was flagged so, or a call was blocked.
    """
    __tracebackhide__ = True
    matcher = DecisionMatcher(outcome=FLAGGED, tool=tool, layer=layer, code=code, where=where)
    if decision is _NONE:
        return PassingExpectation(matcher, "assert_flagged", every=False)
    return _checked(decision, matcher)


@overload
def assert_allowed(*, layer: str | None = None, tool: str | None = None) -> PassingExpectation: ...


@overload
def assert_allowed(
    decision: Decision, /, *, layer: str | None = None, tool: str | None = None
) -> Decision: ...


def assert_allowed(
    decision: Any = _NONE, /, *, layer: str | None = None, tool: str | None = None
) -> Any:
    """
    Check that a call was judged and nothing weighs against it.

    Around a block of code every decision has to be so, and there has to be one; what the calls
    returned may be flagged, and not be withheld.

    Args:
        decision: The decision; without one this is a context manager.
        layer: A layer that must have looked: one that is unavailable has passed nothing.
        tool: Only calls of this tool.

    Raises:
        AssertionError: A call was flagged or blocked, a result was withheld, or nothing was
            judged.
    """
    __tracebackhide__ = True
    matcher = DecisionMatcher(outcome=ALLOWED, tool=tool, layer=layer)
    if decision is _NONE:
        return PassingExpectation(matcher, "assert_allowed", every=True)
    return _checked(decision, matcher)


def _checked(decision: Any, matcher: DecisionMatcher) -> Decision:
    __tracebackhide__ = True
    if not isinstance(decision, Decision):
        raise ShieldError(f"a Decision is expected, not {shown(decision)}")
    if not matcher.matches(decision):
        raise AssertionError(matcher.failure_message([decision]))
    return decision
