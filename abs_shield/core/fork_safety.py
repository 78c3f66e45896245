"""Locks, modules and generated ids that a forked child can use, whatever its parent did."""

from __future__ import annotations

import itertools
import logging  # noqa: F401 - imported for its own hook, see below
import os
import re
import sys
from functools import lru_cache
from importlib import _bootstrap
from threading import Lock, RLock, get_ident
from typing import Any, TypeVar
from weakref import ref


class _Ids:
    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        self.prefix = os.urandom(8).hex()  # 64 random bits: two processes never meet
        self.next = itertools.count(1).__next__


_IDS = _Ids()
if hasattr(os, "register_at_fork"):
    # Without it, parent and child would give the same ids.
    os.register_at_fork(after_in_child=_IDS.renew)


_GENERATED = re.compile(r"[0-9a-f]{16}-[0-9a-f]+")


# Asked for each decision; the sessions of one moment are few.
@lru_cache(maxsize=1_024)
def is_generated(session_id: str) -> bool:
    """
    Return whether an id is one of `new_id`, of this or another process, and not the host's own.

    >>> is_generated(new_id()), is_generated("chat-4711")
    (True, False)
    """
    return _GENERATED.fullmatch(session_id) is not None


def new_id() -> str:
    """Return an id that no other process gives: 16 hex digits, a dash, a counter."""
    return f"{_IDS.prefix}-{_IDS.next():x}"


L = TypeVar("L")


class Renewed:
    """Locks by weak reference: keeping one costs a call nothing, a lock that is gone nothing."""

    def __init__(self) -> None:
        self._locks: list[ref[Any]] = []
        # Locks until the dead ones are removed; doubled below: constant time for each lock.
        self._full = 1_000
        self._sweeping = Lock()

    def keep(self, lock: L) -> L:
        """Have *lock*, a `Lock` or an `RLock`, free in every child that is forked; give it."""
        self._locks.append(ref(lock))
        # Not waiting: where it is taken, another thread removes them.
        if len(self._locks) >= self._full and self._sweeping.acquire(blocking=False):
            self._sweep()
            self._sweeping.release()
        return lock

    def _sweep(self) -> None:
        alive = len(self._locks)  # what is appended meanwhile stands behind
        self._locks[:alive] = [
            reference for reference in self._locks[:alive] if reference() is not None
        ]
        self._full = 2 * len(self._locks) + 1_000

    def renew(self) -> None:
        """In a child: free all locks, but for those that the thread that forked holds itself."""
        self._sweeping = Lock()
        for reference in self._locks:
            lock = reference()
            # Only an `RLock` knows its owner. A plain `Lock` that this thread holds is freed, too.
            if lock is not None and not (hasattr(lock, "_is_owned") and lock._is_owned()):
                lock._at_fork_reinit()


LOCKS = Renewed()
renewed = LOCKS.keep
"""Keep a lock free in forked children: ``self._lock = renewed(Lock())``."""
IMPORTING = renewed(RLock())
"""
Held while modules with models are imported in a call: a fork waits until it is free.

pydantic builds a model in C and holds a lock of its own meanwhile, which no child can free.
"""
_LONGEST_WAIT_S = 10.0
"""An import that hangs may not keep the program from forking."""
_forking: set[int] = set()
"""Threads that fork, and hold `IMPORTING` meanwhile."""


def forget_unfinished_imports() -> None:
    """
    In a child: let every module be imported anew that another thread was importing.

    The lock of such a module is held for ever by a thread that the child does not have. Python
    3.11 to 3.13 keep these locks in the table that is read here; without it nothing happens.
    """
    locks = getattr(_bootstrap, "_module_locks", {})
    for name, module in [*locks.items()]:
        if getattr(module(), "owner", None) == get_ident():
            continue  # this very thread forks while it imports
        locks.pop(name, None)
        spec = getattr(sys.modules.get(name), "__spec__", None)
        if getattr(spec, "_initializing", False):
            sys.modules.pop(name, None)


def _before() -> None:
    if IMPORTING.acquire(timeout=_LONGEST_WAIT_S):
        _forking.add(get_ident())


def _behind() -> None:
    if get_ident() in _forking:
        _forking.discard(get_ident())
        IMPORTING.release()


def _in_child() -> None:
    _behind()
    _forking.clear()
    LOCKS.renew()
    forget_unfinished_imports()


if hasattr(os, "register_at_fork"):
    # Hooks run before a fork in the reverse order of their registration. Were that of `logging`
    # younger, a fork would hold its lock while it waits for an import that makes a logger.
    os.register_at_fork(before=_before, after_in_parent=_behind, after_in_child=_in_child)
