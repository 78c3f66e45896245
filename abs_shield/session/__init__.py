"""The session of a run: an append-only, versioned log of turns and calls."""

from abs_shield.session.call_states import Executed
from abs_shield.session.limits import Limits
from abs_shield.session.origin import Origin
from abs_shield.session.running_calls import RunningCall
from abs_shield.session.session import Session
from abs_shield.session.session_cache import Sessions
from abs_shield.session.session_context import current_session

__all__ = [
    "Executed", "Limits", "Origin", "RunningCall", "Session", "Sessions", "current_session",
]  # fmt: skip
