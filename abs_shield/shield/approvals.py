"""Calls that wait for an approval, and approved calls that may run once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from threading import Lock

from abs_shield.core import Decision
from abs_shield.core.fork_safety import renewed
from abs_shield.errors import ShieldError

Approver = Callable[[Decision], bool | Awaitable[bool | None] | None]
"""Returns whether a SUSPICIOUS call may run, or None to leave it to `approve`; sync or async."""

Key = tuple[str, str, bytes]
_MOST = 10_000  # an operator answers a few; without a bound, a looping model fills the memory


class Approvals:
    """Bounded stores of waiting decisions and granted calls, by session, tool and arguments."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, Key] = OrderedDict()
        self._granted: OrderedDict[Key, int] = OrderedDict()
        self._used: OrderedDict[str, Key] = OrderedDict()
        self._lock = renewed(Lock())

    def wait(self, decision_id: str, key: Key) -> None:
        """Add a decision that was blocked because it needs an approval."""
        with self._lock:
            self._waiting[decision_id] = key
            if len(self._waiting) > _MOST:
                self._waiting.popitem(last=False)

    def grant(self, decision_id: str) -> None:
        """
        Allow the call of that decision once.

        Raises:
            ShieldError: No such decision waits for an approval.
        """
        with self._lock:
            # Removed, so that repeated approvals of one decision grant a single call.
            key = self._waiting.pop(decision_id, None)
            if key is None:
                raise ShieldError(f"no decision `{decision_id[:64]}` waits for an approval")
            # Equal calls may wait at the same time; each approval grants one of them.
            self._granted[key] = self._granted.get(key, 0) + 1
            if len(self._granted) > _MOST:
                self._granted.popitem(last=False)

    def use(self, decision_id: str, key: Key) -> None:
        """Record that the approver allowed the call of a decision, which waits no longer."""
        with self._lock:
            self._waiting.pop(decision_id, None)
            self._store_used(decision_id, key)

    def take(self, key: Key, decision_id: str, *, keep: bool = False) -> bool:
        """
        Return whether the call was granted, and use up the grant unless *keep*.

        A decision that has used a grant keeps it, because the same call may be judged again: if
        it was checked before it runs, or if it continues after an interruption.
        """
        with self._lock:
            if self._used.get(decision_id) == key:
                return True
            granted = self._granted.get(key, 0)
            if granted and not keep:
                self._granted[key] = granted - 1
                self._store_used(decision_id, key)
            if granted < 2 and not keep:
                self._granted.pop(key, None)
            return granted > 0

    def _store_used(self, decision_id: str, key: Key) -> None:
        self._used[decision_id] = key
        if len(self._used) > _MOST:
            self._used.popitem(last=False)
