"""The result violates a rule of statistical process control."""

from __future__ import annotations

from abs_shield.core.finding import Unavailable
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_context import SignalContext
from abs_shield.verification.signal_reading import SILENT, SignalReading

_NOTHING = Unavailable("too few earlier results of this tool")


def spc_anomaly(view: ResultView, context: SignalContext) -> SignalReading | Unavailable:
    """A sensor that swings around 20 shows 21 eight times in a row, or 35 once."""
    if context.outlook is None:
        return _NOTHING
    surprise = context.outlook.rules
    if surprise is None:
        return SILENT
    return SignalReading(surprise.score, surprise.detail, surprise.where)
