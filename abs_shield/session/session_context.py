"""The current session of a context, and the session whose tool runs in it."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

if TYPE_CHECKING:
    from abs_shield.session.session import Session
    from abs_shield.session.session_record import SessionRecord

CURRENT: ContextVar[Session | None] = ContextVar("abs_shield.session", default=None)
RUNNING: ContextVar[Session | None] = ContextVar("abs_shield.running", default=None)
"""The session whose tool runs in this context; calls made by that tool are nested."""


class _Entered(NamedTuple):
    """A session that was entered in this context, and the context variables before it."""

    session: Session
    current: Session | None
    running: Session | None


_ENTERED: ContextVar[tuple[_Entered, ...]] = ContextVar("abs_shield.entered", default=())


def enter(session: Session) -> None:
    """Make *session* current in this context, in which none of its tools runs yet."""
    _ENTERED.set((*_ENTERED.get(), _Entered(session, CURRENT.get(), RUNNING.get())))
    CURRENT.set(session)
    RUNNING.set(None)


def leave(session: Session) -> None:
    """Restore the session before *session*, unless one that was entered later is still current."""
    entered = [*_ENTERED.get()]
    place = next((n for n in range(len(entered) - 1, -1, -1) if entered[n][0] is session), -1)
    if place < 0:
        return  # another context
    _, current, running = entered.pop(place)
    if place < len(entered):
        entered[place] = entered[place]._replace(current=current, running=running)
    else:
        CURRENT.set(current)
        RUNNING.set(running)
    _ENTERED.set(tuple(entered))


def stop_running(tokens: Iterable[Token[Any]]) -> None:
    """Reset the context variables of a running tool; does nothing in another context."""
    try:
        for token in tokens:
            token.var.reset(token)
    except ValueError:  # a coroutine may be resumed in another context
        pass


def current_session() -> Session | None:
    """Return the session that is current in this context, or None."""
    return CURRENT.get()


def inner_session() -> Session | None:
    """Return the session whose tool runs in this context, or else the current one, or None."""
    running = RUNNING.get()
    return CURRENT.get() if running is None else running


class SessionContext:
    """A session as a context manager: it is current in the block and settled after it."""

    __slots__ = ("_entered", "_record")

    _record: SessionRecord
    _entered: int

    def __enter__(self) -> Self:
        with self._record.lock:
            self._entered += 1
        enter(cast("Session", self))
        return self

    def __exit__(self, *raised: object) -> None:
        record = self._record
        leave(cast("Session", self))
        record.settle()
        with record.lock:
            self._entered -= 1
            last = not self._entered
        # Outside the lock, as a closer may take long.
        if last:
            for closer in record.closers:
                closer(self)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *raised: object) -> None:
        self.__exit__(*raised)
