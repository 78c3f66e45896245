"""Which session is current in this context, and whether a tool of it is running."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from abs_shield.session.session import Session

CURRENT: ContextVar[Session | None] = ContextVar("abs_shield.session", default=None)
RUNNING: ContextVar[Session | None] = ContextVar("abs_shield.running", default=None)
"""The session a tool of which runs in this context: its calls from inside are nested."""
_OUTER: ContextVar[tuple[tuple[Session | None, Session | None], ...]] = ContextVar(
    "abs_shield.outer", default=()
)


def enter(session: Session) -> None:
    """Make *session* current in this context; no tool of it runs yet."""
    _OUTER.set((*_OUTER.get(), (CURRENT.get(), RUNNING.get())))
    CURRENT.set(session)
    RUNNING.set(None)


def leave() -> None:
    """Make the session before it current again; in a foreign context there is none."""
    *outer, (current, running) = _OUTER.get() or ((None, None),)
    _OUTER.set(tuple(outer))
    CURRENT.set(current)
    RUNNING.set(running)


def current_session() -> Session | None:
    """Give the session that is current in this context, or None."""
    return CURRENT.get()
