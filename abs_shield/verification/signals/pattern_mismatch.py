"""The result matches none of the declared patterns of real results."""

from __future__ import annotations

from functools import lru_cache

from abs_shield.core.finding import Unavailable
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_context import SignalContext
from abs_shield.verification.signal_reading import SILENT, SignalReading

# With the default prior, P(hallucination) is 0.47: alone a flag, but not a block.
_SCORE = 0.8
# One object for each reason, because `Weigher` caches by the identity of readings.
_unavailable = lru_cache(maxsize=8)(Unavailable)
_NOTHING = Unavailable("no patterns are declared")


def pattern_mismatch(view: ResultView, context: SignalContext) -> SignalReading | Unavailable:
    """A search returns ``{"results": [``; this result is "I could not reach the server"."""
    patterns = () if view.profile is None else view.profile.response_patterns
    if not patterns:
        return _NOTHING
    matched = view.matched
    if isinstance(matched, str):
        return _unavailable(matched)
    return (
        SILENT if matched else SignalReading(_SCORE, f"none of {len(patterns)} patterns is found")
    )
