"""The result is shorter or longer than declared for real ones."""

from __future__ import annotations

from abs_shield.core.finding import Unavailable
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_context import SignalContext
from abs_shield.verification.signal_reading import SILENT, SignalReading

_LONG = 0.2  # too low to flag a result alone
_SHORT = 0.5  # for an empty result: with the default limits, just enough for a flag alone
_NOTHING = Unavailable("no lengths are declared")


def length_anomaly(view: ResultView, context: SignalContext) -> SignalReading | Unavailable:
    """A search that always returns a full page returns ``{}``."""
    profile = view.profile
    if profile is None:
        return _NOTHING
    least, most = profile.min_response_length, profile.max_response_length
    if least is None and most is None:
        return _NOTHING
    text = view.text
    length = view.size if text is None else len(text)  # too long to be written: approximately
    if least is not None and length < least:
        return SignalReading(_SHORT * (1 - length / least), "shorter than declared")
    if most is not None and length > most:
        return SignalReading(_LONG, "longer than declared")
    return SILENT
