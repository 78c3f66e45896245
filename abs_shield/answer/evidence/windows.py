"""Windows of evidence nearest to a claim, for models that judge it."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest
from math import log

from abs_shield.answer.claim_types import Span
from abs_shield.answer.evidence.passages import Evidence
from abs_shield.answer.evidence.sentence_index import CALL_PIECE, SentenceIndex, index_of
from abs_shield.text.tokens import keys_of

_MOST_KEYS = 60  # more words are a list, of which the first ones suffice
_REACH = 8
"""Most sentences on either side of a window's central one; more exceed its length anyway."""
LONGEST = 1_200
"""Most characters of a window: a paragraph, which a small model reads without a cut."""


def nearest(
    text: str, evidence: Evidence, *, most: int = 3, longest: int = LONGEST
) -> tuple[Span, ...]:
    """Return the windows with the rarest words of *text*, best first, without overlaps."""
    index = index_of(evidence)
    weights: dict[int, float] = {}
    for key in list(dict.fromkeys(keys_of(text)))[:_MOST_KEYS]:
        places = index.postings.get(key, ())
        for place in places:
            rarity = log(1 + len(index.sentences) / len(places))
            weights[place] = weights.get(place, 0.0) + rarity
    # four times, as neighbours overlap
    ranked = nlargest(4 * most, weights, key=weights.__getitem__)
    return _windows(ranked, index, most=most, longest=longest)


def first(evidence: Evidence, *, most: int = 3, longest: int = LONGEST) -> tuple[Span, ...]:
    """Return the first windows of the evidence, for a claim that shares no word with it."""
    index = index_of(evidence)
    return _windows(range(len(index.sentences)), index, most=most, longest=longest)


def _windows(
    places: Iterable[int], index: SentenceIndex, *, most: int, longest: int
) -> tuple[Span, ...]:
    spans: list[Span] = []
    for place in places:
        one = index.sentences[place]
        if one.piece == CALL_PIECE:
            continue
        passage = index.pieces[one.piece]
        if any(s.piece == passage.id and one.start < s.end and s.start < one.end for s in spans):
            continue
        start, end = _around(place, index, longest)
        spans.append(Span(passage.id, start, end, passage.text[start:end]))
        if len(spans) == most:
            break
    return tuple(spans)


def _around(place: int, index: SentenceIndex, longest: int) -> tuple[int, int]:
    """Return the offsets of a sentence with as many neighbours in the passage as fit."""
    one = index.sentences[place]
    start, end = one.start, min(one.end, one.start + longest)
    for step in range(1, _REACH + 1):
        # both sides in turn, so that the central sentence stays central
        for near in (place + step, place - step):
            other = index.sentences[near] if 0 <= near < len(index.sentences) else None
            if other is None or other.piece != one.piece:
                continue
            if max(end, other.end) - min(start, other.start) <= longest:
                start, end = min(start, other.start), max(end, other.end)
    return start, end
