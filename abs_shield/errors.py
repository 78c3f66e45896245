"""
Every exception this package raises.

* ShieldError
  x PolicyError            the policy itself is wrong; raised while it is declared or loaded
  x StoreError             a store could not keep or give back a record
  x CallBlocked            strict mode stopped a tool call before it ran
  x ResultBlocked          strict mode withheld a tool result
  x ReplayError            an engine cannot start, or lost a chunk of a replay three times
  x UnreadableMessage      a message, tool or call has no known shape (`core.messages`)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from abs_shield.core.decision import Decision


class ShieldError(Exception):
    """The base class of every exception this package raises."""


class PolicyError(ShieldError):
    """The policy itself is wrong; nothing was judged."""


class StoreError(ShieldError):
    """A store could not keep or give back a record."""


class ReplayError(ShieldError):
    """A replay could not go on: its engine cannot start, or lost the same lines three times."""


class _Blocked(ShieldError):
    """A decision stopped something; carries the decision that did it."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision
        super().__init__(decision)

    def __str__(self) -> str:
        return self.decision.explain()


class CallBlocked(_Blocked):
    """Strict mode stopped a tool call before it ran; ``error.decision`` says why."""


class ResultBlocked(_Blocked):
    """Strict mode withheld a tool result; the tool itself has already run."""
