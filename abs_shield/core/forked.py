"""Locks that a forked child can take, whoever held them in its parent."""

from __future__ import annotations

import os
from threading import Lock
from typing import Any, TypeVar
from weakref import ref

L = TypeVar("L")


class Renewed:
    """Locks by weak reference: keeping one costs a call nothing, a lock that is gone nothing."""

    def __init__(self) -> None:
        self._locks: list[ref[Any]] = []
        self._full = 1_000
        self._sweeping = Lock()

    def keep(self, lock: L) -> L:
        """Have *lock*, a `Lock` or an `RLock`, free in every child that is forked; give it."""
        self._locks.append(ref(lock))
        if len(self._locks) >= self._full and self._sweeping.acquire(blocking=False):
            self._sweep()
            self._sweeping.release()
        return lock

    def _sweep(self) -> None:
        seen = len(self._locks)  # what is appended meanwhile stands behind
        self._locks[:seen] = [known for known in self._locks[:seen] if known() is not None]
        self._full = 2 * len(self._locks) + 1_000

    def renew(self) -> None:
        """In a child: free all locks, but for those that the thread that forked holds itself."""
        self._sweeping = Lock()
        for known in self._locks:
            lock = known()
            if lock is not None and not (hasattr(lock, "_is_owned") and lock._is_owned()):
                lock._at_fork_reinit()


LOCKS = Renewed()
renewed = LOCKS.keep
"""Keep a lock free in forked children: ``self._lock = renewed(Lock())``."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=LOCKS.renew)
