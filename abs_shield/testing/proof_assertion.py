"""Assertion that a policy's proof has no errors."""

from __future__ import annotations

from typing import Any, Protocol

from abs_shield.errors import PolicyError


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
