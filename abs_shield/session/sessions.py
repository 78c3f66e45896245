"""The sessions of this process by id; the least recently used one goes when there are too many."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from abs_shield.core.forked import renewed
from abs_shield.session.session import Session


class Sessions:
    """
    Keeps at most *most* sessions in memory; several Shields may share one.

    >>> sessions = Sessions(most=1)
    >>> a = sessions.get("a", lambda: Session("a"))
    >>> sessions.get("a", lambda: Session("a")) is a
    True
    """

    def __init__(self, *, most: int = 10_000) -> None:
        self._most = most
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._lock = renewed(Lock())

    def get(self, session_id: str, make: Callable[[], Session]) -> Session:
        """Give the session of that id, made anew where it is not known."""
        with self._lock:
            session = self._sessions.get(session_id)
            if session is None:
                session = self._sessions[session_id] = make()
                if len(self._sessions) > self._most:
                    self._sessions.popitem(last=False)
            else:
                self._sessions.move_to_end(session_id)
            return session

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._sessions.clear()

    def __len__(self) -> int:
        return len(self._sessions)
