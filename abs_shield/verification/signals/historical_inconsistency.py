"""The result differs from all earlier results of the same arguments."""

from __future__ import annotations

from abs_shield.core.finding import Unavailable
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_context import SignalContext
from abs_shield.verification.signal_reading import SILENT, SignalReading

_NOTHING = Unavailable("too few earlier results of these arguments, or none with a number")


def historical_inconsistency(
    view: ResultView, context: SignalContext
) -> SignalReading | Unavailable:
    """``get_stock_price("NVDA")`` returned about 650 in 50 calls, and returns 50 now."""
    surprise = context.history
    if surprise is None:
        return _NOTHING
    if not surprise.score:
        return SILENT
    return SignalReading(surprise.score, surprise.detail, surprise.where)
