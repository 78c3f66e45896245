"""What this run has seen: an append-only, versioned log of turns and calls."""

from abs_shield.session.scope import current_session
from abs_shield.session.session import Executed, Limits, Session
from abs_shield.session.sessions import Sessions

__all__ = ["Executed", "Limits", "Session", "Sessions", "current_session"]
