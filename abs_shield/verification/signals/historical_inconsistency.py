"""The same arguments always gave something else."""

from __future__ import annotations

from abs_shield.core.finding import Unavailable
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_context import Past
from abs_shield.verification.signal_reading import SILENT, Reading

_NOTHING = Unavailable("too few results of these arguments are known, or no number of them")


def historical_inconsistency(view: ResultView, past: Past) -> Reading | Unavailable:
    """``get_stock_price("NVDA")`` gave about 650 for 50 calls, and gives 50 now."""
    surprise = past.history
    if surprise is None:
        return _NOTHING
    if not surprise.score:
        return SILENT
    return Reading(surprise.score, surprise.detail, surprise.where)
