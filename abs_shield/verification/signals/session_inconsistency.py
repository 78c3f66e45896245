"""The result differs from recent results of the same arguments in this session."""

from __future__ import annotations

from abs_shield.core.finding import Unavailable
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_context import SignalContext
from abs_shield.verification.signal_reading import SILENT, SignalReading

_NOTHING = Unavailable("no earlier result of these arguments in this session")


def session_inconsistency(view: ResultView, context: SignalContext) -> SignalReading | Unavailable:
    """The balance was 100 two calls ago, and is 5,000 or -100 now."""
    surprise = context.session
    if surprise is None:
        return _NOTHING
    if not surprise.score:
        return SILENT
    return SignalReading(surprise.score, surprise.detail, surprise.where)
