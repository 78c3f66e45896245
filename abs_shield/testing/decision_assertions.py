"""Assertions that a call is blocked, flagged or allowed, and by which layer."""

from __future__ import annotations

from typing import Any, Final, TypedDict, Unpack, overload

from abs_shield.core import Decision
from abs_shield.errors import ShieldError
from abs_shield.testing.decision_matcher import ALLOWED, BLOCKED, FLAGGED, DecisionMatcher
from abs_shield.testing.expectations import BlockedExpectation, PassingExpectation
from abs_shield.text.safe_display import shown

_NONE: Final[Any] = object()
"""Marks a missing argument: None would hide a decision that a test forgot to make."""


class Expected(TypedDict, total=False):
    """The keywords of `assert_blocked` and `assert_flagged`."""

    layer: str | None
    code: str | None
    where: str | None
    tool: str | None


@overload
def assert_blocked(**expected: Unpack[Expected]) -> BlockedExpectation: ...


@overload
def assert_blocked(decision: Decision, /, **expected: Unpack[Expected]) -> Decision: ...


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
    Check that a call was blocked: by one decision, or within a block of code.

    ``with assert_blocked(layer="phantom_tool") as blocked:`` accepts a `CallBlocked` that leaves
    the block, or a blocked call whose feedback went to the model; see ``blocked.decision``.

    Args:
        decision: The decision; without one this is a context manager.
        layer: The layer that blocked it. Of several findings the most severe ones block.
        code: The finding's code; also ``approval_required``, ``approval_refused`` and
            ``layer_error``.
        where: The finding's JSON pointer, as in ``"/arguments/amount"``.
        tool: The tool, as the model named it.

    Raises:
        AssertionError: No such block; the message lists the actual decisions.
    """
    __tracebackhide__ = True  # pytest then shows the test's line instead of this one
    matcher = DecisionMatcher(outcome=BLOCKED, tool=tool, layer=layer, code=code, where=where)
    # not `is None`: a test that passes a decision which it failed to get has to fail
    if decision is _NONE:
        return BlockedExpectation(matcher, "assert_blocked")
    return _checked(decision, matcher)


@overload
def assert_flagged(**expected: Unpack[Expected]) -> PassingExpectation: ...


@overload
def assert_flagged(decision: Decision, /, **expected: Unpack[Expected]) -> Decision: ...


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
    Check that a call has a finding and ran, as every call does in audit mode.

    Args:
        decision: The decision; without one this is a context manager.
        layer: The layer that found it.
        code: The finding's code.
        where: The finding's JSON pointer.
        tool: The tool, as the model named it.

    Raises:
        AssertionError: No such flag, or a call was blocked.
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
    Check that a call was judged and no finding counts against it.

    Around a block of code this holds for every decision, and there must be at least one; results
    may be flagged but not withheld.

    Args:
        decision: The decision; without one this is a context manager.
        layer: A layer that must have judged the call; an unavailable layer fails the test.
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
