"""The same arguments gave something else a moment ago, in this very session."""

from __future__ import annotations

from abs_shield.core.finding import Unavailable
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_context import Past
from abs_shield.verification.signal_reading import SILENT, Reading

_NOTHING = Unavailable("this session knows no result of these arguments")


def session_inconsistency(view: ResultView, past: Past) -> Reading | Unavailable:
    """The balance was 100 two calls ago, and is 5,000 or -100 now."""
    surprise = past.session
    if surprise is None:
        return _NOTHING
    if not surprise.score:
        return SILENT
    return Reading(surprise.score, surprise.detail, surprise.where)
