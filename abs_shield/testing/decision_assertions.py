"""Assertions on decisions and on a policy's proof, and a block in which the shield is off."""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol, TypedDict, Unpack, overload

from abs_shield.core import Decision
from abs_shield.errors import PolicyError, ShieldError
from abs_shield.shield.off_switch import SWITCH
from abs_shield.testing.expectations import (
    ALLOWED,
    BLOCKED,
    FLAGGED,
    BlockedExpectation,
    DecisionMatcher,
    PassingExpectation,
)
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
    return _check(decision, matcher)


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
    return _check(decision, matcher)


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
    return _check(decision, matcher)


def _check(decision: Any, matcher: DecisionMatcher) -> Decision:
    __tracebackhide__ = True
    if not isinstance(decision, Decision):
        raise ShieldError(f"a Decision is expected, not {shown(decision)}")
    if not matcher.matches(decision):
        raise AssertionError(matcher.failure_message([decision]))
    return decision


class Provable(Protocol):
    """An object that can prove its policy against its tools, such as a `Shield`."""

    def prove(self, *, at: float | None = None) -> Any:
        """Return the proof of the policy, whose `require()` raises if it has errors."""


def assert_proved(
    firewall: Provable, /, *, warnings: bool = False, at: float | None = None
) -> None:
    """
    Check that a policy fits its tools: no rule, target or inverse that can never fire.

    Args:
        firewall: The Shield whose policy and tools are checked.
        warnings: Whether warnings fail the test, too.
        at: The time for which suppressions are checked, in seconds since the epoch; None for
            now.

    Raises:
        AssertionError: The proof has errors; the message lists them.
    """
    __tracebackhide__ = True
    try:
        firewall.prove(at=at).require(warnings=warnings)
    except PolicyError as error:
        raise AssertionError(str(error)) from None


logger = logging.getLogger("abs_shield")


def no_shield() -> AbstractContextManager[None]:
    """
    Turn off every Shield of this process, in all threads, until the block is left.

    Calls run unjudged but are recorded: each decision has the note ``shield_off`` and every layer
    ``unavailable``. It is for tests: the log warns, and no setting enables it. Of other
    processes, only those forked inside the block are affected.
    """
    return _NoShield()


class _NoShield(AbstractContextManager[None]):
    """Not a decorator, which around an async function would exit before the function runs."""

    def __init__(self) -> None:
        self._thrown: AbstractContextManager[None] | None = None

    # a second `__enter__` would lose the first, and the shield would stay off
    def __enter__(self) -> None:
        if self._thrown is not None:
            raise ShieldError("`no_shield()` is used once; write `with no_shield():` again")
        if not SWITCH.off:  # nested blocks warn once
            logger.warning("abs_shield is off in this process: calls run unjudged (`no_shield()`)")
        self._thrown = SWITCH.turn_off()
        self._thrown.__enter__()

    def __exit__(self, *raised: Any) -> None:
        assert self._thrown is not None
        self._thrown.__exit__(*raised)
