"""A number is further from its mean than the limit for real results."""

from __future__ import annotations

from abs_shield.core.finding import Unavailable
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_context import SignalContext
from abs_shield.verification.signal_reading import SILENT, SignalReading

_NOTHING = Unavailable("too few earlier results of this tool")
_NO_NUMBERS = Unavailable("no number of the result was seen before")


def value_plausibility(view: ResultView, context: SignalContext) -> SignalReading | Unavailable:
    """Users are about 30 years old, and this one is 30,000."""
    if context.outlook is None:
        return _NOTHING
    if not context.outlook.compared:
        return _NO_NUMBERS
    surprise = context.outlook.value
    if surprise is None:
        return SILENT
    return SignalReading(surprise.score, surprise.detail, surprise.where)
