"""
Safe forking around SQLite files: a child would inherit locks that it can never release.

SQLite keeps a table of its locks in process memory. A forked child has a permanent copy of it: if
the parent was writing, the write lock looks taken, and the file counts as open, so the child takes
no lock on it. Therefore a fork waits until nothing reads or writes, and the writers' connections
are closed before it. If a file is still open (the forking thread itself reads it, or the wait
timed out), the child may not use that file: its writes could be lost.
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

_FORK_TIMEOUT_S = 3.0
"""Maximum wait of a fork; a transaction itself may wait one second for another process's lock."""


class ConnectionHolder(Protocol):
    """An object that keeps a connection open between two uses."""

    def disconnect(self) -> None:
        """Close the connection; it is reopened when it is needed."""


class TrackedConnection(Protocol):
    """A connection to a file, from before it is opened until after it is closed."""

    file: tuple[int, int]
    """Device and inode of the file."""


class Forks:
    """The connections of this process, coordinated with its forks."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._uses: dict[object, int] = {}
        self._forking = 0
        self._holders: WeakSet[ConnectionHolder] = WeakSet()
        self._open: WeakSet[TrackedConnection] = WeakSet()
        self._inherited: set[tuple[int, int]] = set()

    def register_holder(self, holder: ConnectionHolder) -> None:
        """Close the connection of *holder* before every fork."""
        self._holders.add(holder)

    def track(self, connection: TrackedConnection) -> None:
        """Register a connection before it is opened."""
        with self._changed:
            self._open.add(connection)

    def untrack(self, connection: TrackedConnection) -> None:
        """Unregister a closed connection."""
        with self._changed:
            self._open.discard(connection)

    def was_inherited(self, file: tuple[int, int]) -> bool:
        """Return whether a file was open when this process was forked; it has no lock on it."""
        return file in self._inherited

    @contextmanager
    def prevent_forks(self) -> Iterator[None]:
        """Prevent forks by other threads during the block; a fork in progress finishes first."""
        use, me = object(), get_ident()
        with self._changed:
            if me not in self._uses.values():
                # not for a thread that has a use already: the fork waits for that one to end
                self._changed.wait_for(lambda: not self._forking, _FORK_TIMEOUT_S)
            self._uses[use] = me
        try:
            yield
        finally:
            with self._changed:
                self._uses.pop(use, None)
                self._changed.notify_all()

    def before(self) -> None:
        """Wait until no other thread uses a file, close connections, and block new uses."""
        self._changed.acquire()  # released in `after_in_parent`; the child gets a new condition
        self._forking += 1
        if self._changed.wait_for(self._is_only_user, _FORK_TIMEOUT_S):
            for holder in list(self._holders):
                holder.disconnect()
            if self._open:
                logger.warning(
                    "abs_shield's decision log was in use by the thread that forked;"
                    " the child cannot write to it"
                )
        else:
            logger.warning(
                "abs_shield's decision log was in use for %s seconds while this process forked;"
                " the child may not be able to write to it",
                _FORK_TIMEOUT_S,
            )

    def _is_only_user(self) -> bool:
        me = get_ident()
        return all(user == me for user in self._uses.values())

    def after_in_parent(self) -> None:
        """Allow uses again, in the parent."""
        self._forking = max(0, self._forking - 1)  # an interrupted `before` may not have counted
        self._changed.notify_all()
        self._changed.release()

    def after_in_child(self) -> None:
        """Reset the state in the child: the other users were threads of the parent."""
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
