"""What this run has seen: an append-only, versioned log of turns and calls."""

from abs_shield.session.calls import Executed
from abs_shield.session.limits import Limits
from abs_shield.session.origin import Origin
from abs_shield.session.scope import current_session
from abs_shield.session.session import Session
from abs_shield.session.sessions import Sessions

__all__ = ["Executed", "Limits", "Origin", "Session", "Sessions", "current_session"]
