"""A policy's proof as one line of a test."""

from __future__ import annotations

from typing import Any, Protocol

from abs_shield.errors import PolicyError


class Provable(Protocol):
    """Whatever can prove its policy against its tools: a `Shield`."""

    def prove(self, *, at: float | None = None) -> Any:
        """Check the policy; `require()` of what it gives raises where it is wrong."""


def assert_proved(
    firewall: Provable, /, *, warnings: bool = False, at: float | None = None
) -> None:
    """
    Check that a policy fits its tools: no rule, target or inverse that can never fire.

    Args:
        firewall: The Shield whose policy and tools are checked.
        warnings: Whether a warning fails the test, too.
        at: The time for which suppressions are checked, in seconds since the epoch; now where
            None.

    Raises:
        AssertionError: The proof has errors; they are its message.
    """
    __tracebackhide__ = True
    try:
        firewall.prove(at=at).require(warnings=warnings)
    except PolicyError as error:
        raise AssertionError(str(error)) from None
