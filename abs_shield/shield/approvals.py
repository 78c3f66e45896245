"""Calls that wait for a person, and the ones that a person let through once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from threading import Lock

from abs_shield.core import Decision
from abs_shield.core.forked import renewed
from abs_shield.errors import ShieldError

Approver = Callable[[Decision], bool | Awaitable[bool | None] | None]
"""Returns whether a SUSPICIOUS call may run, or None where `approve` will say; sync or async."""

Key = tuple[str, str, bytes]
_MOST = 10_000


class Approvals:
    """Bounded books of waiting decisions and of granted calls, by session, tool and arguments."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, Key] = OrderedDict()
        self._granted: OrderedDict[Key, None] = OrderedDict()
        self._lock = renewed(Lock())

    def wait(self, decision_id: str, key: Key) -> None:
        """A decision was blocked for want of an approval."""
        with self._lock:
            self._waiting[decision_id] = key
            if len(self._waiting) > _MOST:
                self._waiting.popitem(last=False)

    def grant(self, decision_id: str) -> None:
        """
        Let the call of that decision through once.

        Raises:
            ShieldError: No such decision waits for an approval.
        """
        with self._lock:
            key = self._waiting.pop(decision_id, None)
            if key is None:
                raise ShieldError(f"no decision `{decision_id[:64]}` waits for an approval")
            self._granted[key] = None
            if len(self._granted) > _MOST:
                self._granted.popitem(last=False)

    def forget(self, decision_id: str) -> None:
        """The approver answered that decision's call: nobody has to grant it any more."""
        with self._lock:
            self._waiting.pop(decision_id, None)

    def take(self, key: Key, *, keep: bool = False) -> bool:
        """Whether the call was granted; a grant is used up, unless *keep*."""
        with self._lock:
            granted = key in self._granted
            if not keep:
                self._granted.pop(key, None)
            return granted
