"""
The exceptions that this package raises.

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
    """
    Base of the errors that carry a blocking decision.

    The message may end up in spans, logs and error trackers, so it names no judged value;
    ``error.decision.feedback()`` and ``error.decision.explain()`` do.

    Args:
        decision: The blocking decision.
        names: Argument names that the tool's author declared; None if unknown.
    """

    def __init__(self, decision: Decision, names: frozenset[str] | None = None) -> None:
        self.decision = decision
        self._names = names
        super().__init__(decision)

    def __str__(self) -> str:
        return self.decision.summary(names=self._names)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class CallBlocked(_Blocked):
    """Strict mode stopped a tool call before it ran; ``error.decision`` says why."""


class ResultBlocked(_Blocked):
    """Strict mode withheld a tool result; the tool itself has already run."""
