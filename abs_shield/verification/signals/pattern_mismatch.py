"""None of the expressions is found that real results match."""

from __future__ import annotations

from abs_shield.core.finding import Unavailable
from abs_shield.verification.past import Past
from abs_shield.verification.reading import SILENT, Reading
from abs_shield.verification.seen import Seen

_SECONDS = 0.05
_SCORE = 0.8
_NOTHING = Unavailable("no patterns are declared")
_TOO_LONG = Unavailable("the result is too long to be searched")
_TOO_SLOW = Unavailable("a pattern took longer than 50 ms")


def pattern_mismatch(seen: Seen, past: Past) -> Reading | Unavailable:
    """A search gives ``{"results": [``; this one says "I could not reach the server"."""
    searches = () if seen.profile is None else seen.profile.searches
    if not searches:
        return _NOTHING
    text = seen.text
    if text is None:
        return _TOO_LONG
    try:
        for search in searches:
            if search(text, timeout=_SECONDS):
                return SILENT
    except TimeoutError:
        return _TOO_SLOW
    return Reading(_SCORE, f"none of {len(searches)} patterns is found")
