"""A number lies further from its mean than real ones do."""

from __future__ import annotations

from abs_shield.core.finding import Unavailable
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_context import Past
from abs_shield.verification.signal_reading import SILENT, Reading

_NOTHING = Unavailable("too few results of this tool are known")
_NO_NUMBERS = Unavailable("no number of the result was seen before")


def value_plausibility(view: ResultView, past: Past) -> Reading | Unavailable:
    """Users are about 30 years old, and this one is 30,000."""
    if past.outlook is None:
        return _NOTHING
    if not past.outlook.compared:
        return _NO_NUMBERS
    surprise = past.outlook.value
    if surprise is None:
        return SILENT
    return Reading(surprise.score, surprise.detail, surprise.where)
