"""Which session is current in this context, and whether a tool of it is running."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from abs_shield.session.session import Session

CURRENT: ContextVar[Session | None] = ContextVar("abs_shield.session", default=None)
RUNNING: ContextVar[str | None] = ContextVar("abs_shield.running", default=None)
"""Name of the shielded tool that runs in this context: a call from inside it is nested."""


def current_session() -> Session | None:
    """Give the session that is current in this context, or None."""
    return CURRENT.get()
