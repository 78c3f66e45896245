"""
No fork while a SQLite file is in use: a child would inherit its locks, and nobody to release them.

SQLite keeps a table of its locks in the memory of the process. A child has a copy of it for good,
with the write lock taken where its parent was writing, and with a file that counts as open, so
that it takes no lock of its own on it. So a fork waits until nothing reads or writes, and the
writers' connections are closed before it. A file that is open all the same, as the thread that
forks reads it itself or the wait took too long, is closed to the child: what it wrote there could
be deleted under it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, get_ident
from typing import Protocol
from weakref import WeakSet

logger = logging.getLogger("abs_shield")

_WITHIN_S = 3.0
"""How long a fork waits; SQLite itself waits a second for another process's lock."""


class Parting(Protocol):
    """What holds a connection between two uses."""

    def part(self) -> None:
        """Let go of the connection; it is opened again when it is needed."""


class OpenCall(Protocol):
    """A connection to a file, from before it is opened until after it is closed."""

    file: tuple[int, int]
    """Device and inode."""


class Forks:
    """What a fork of this process waits for, and what lets go before it."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._uses: dict[object, int] = {}
        self._forking = 0
        self._holders: WeakSet[Parting] = WeakSet()
        self._open: WeakSet[OpenCall] = WeakSet()
        self._inherited: set[tuple[int, int]] = set()

    def closes(self, holder: Parting) -> None:
        """Have *holder* let go of its connection before every fork."""
        self._holders.add(holder)

    def opens(self, connection: OpenCall) -> None:
        """Note a connection before it is opened."""
        with self._changed:
            self._open.add(connection)

    def closed(self, connection: OpenCall) -> None:
        """Forget a connection that is closed."""
        with self._changed:
            self._open.discard(connection)

    def inherited(self, file: tuple[int, int]) -> bool:
        """Whether a file was open when a fork made this process, which has no real lock on it."""
        return file in self._inherited

    @contextmanager
    def kept_off(self) -> Iterator[None]:
        """Keep other threads from forking while the block runs; one that forks now goes first."""
        use, me = object(), get_ident()
        with self._changed:
            if me not in self._uses.values():
                self._changed.wait_for(lambda: not self._forking, _WITHIN_S)
            self._uses[use] = me
        try:
            yield
        finally:
            with self._changed:
                self._uses.pop(use, None)
                self._changed.notify_all()

    def before(self) -> None:
        """Wait until no other thread is inside, close what is open, and let nobody in."""
        self._changed.acquire()
        self._forking += 1
        if self._changed.wait_for(self._alone, _WITHIN_S):
            for holder in list(self._holders):
                holder.part()
            if self._open:
                logger.warning(
                    "abs_shield's decision log was in use by the thread that forked;"
                    " the child cannot write to it"
                )
        else:
            logger.warning(
                "abs_shield's decision log was in use for %s seconds while this process forked;"
                " the child may not be able to write to it",
                _WITHIN_S,
            )

    def _alone(self) -> bool:
        me = get_ident()
        return all(user == me for user in self._uses.values())

    def after_in_parent(self) -> None:
        """Go on."""
        self._forking = max(0, self._forking - 1)  # an interrupted `before` may not have counted
        self._changed.notify_all()
        self._changed.release()

    def after_in_child(self) -> None:
        """Begin anew: the threads that were inside are the parent's."""
        me = get_ident()
        self._changed = Condition()
        self._uses = {use: user for use, user in self._uses.items() if user == me}
        self._forking = 0
        self._inherited |= {connection.file for connection in self._open}
        self._open = WeakSet()


FORKS = Forks()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=FORKS.before,
        after_in_parent=FORKS.after_in_parent,
        after_in_child=FORKS.after_in_child,
    )
