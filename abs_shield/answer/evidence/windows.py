"""The stretches of evidence nearest to a claim: what a model that judges it has to read."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest
from math import log

from abs_shield.answer.evidence.sentence_index import DEED, Index, index_of
from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.types import Span
from abs_shield.text.tokens import keys_of

_MOST_KEYS = 60
_REACH = 8
"""Sentences on either side that a window takes in at most."""
LONGEST = 1_200
"""Characters of a window."""


def nearest(
    text: str, evidence: Evidence, *, most: int = 3, longest: int = LONGEST
) -> tuple[Span, ...]:
    """
    Return the windows nearest to *text*, best first, no sentence twice.

    Args:
        text: A claim.
        evidence: Where to look.
        most: Windows at most.
        longest: Characters of a window at most.
    """
    index = index_of(evidence)
    return _windows(_best(text, index, most=4 * most), index, most=most, longest=longest)


def first(evidence: Evidence, *, most: int = 3, longest: int = LONGEST) -> tuple[Span, ...]:
    """Return the evidence's first windows: what a claim in other words may be about."""
    index = index_of(evidence)
    return _windows(range(len(index.sentences)), index, most=most, longest=longest)


def _best(text: str, index: Index, *, most: int) -> list[int]:
    """The sentences that share the rarest words with *text*, best first."""
    weights: dict[int, float] = {}
    for key in list(dict.fromkeys(keys_of(text)))[:_MOST_KEYS]:
        there = index.postings.get(key, ())
        rarity = log(1 + len(index.sentences) / len(there)) if there else 0.0
        for sentence in there:
            weights[sentence] = weights.get(sentence, 0.0) + rarity
    return nlargest(most, weights, key=weights.__getitem__)


def _windows(places: Iterable[int], index: Index, *, most: int, longest: int) -> tuple[Span, ...]:
    found: list[Span] = []
    for place in places:
        one = index.sentences[place]
        if one.piece == DEED or any(_is_inside(place, index, span) for span in found):
            continue
        start, end = _around(place, index, longest)
        piece = index.pieces[one.piece]
        found.append(Span(piece.id, start, end, piece.text[start:end]))
        if len(found) == most:
            break
    return tuple(found)


def _around(place: int, index: Index, longest: int) -> tuple[int, int]:
    """A sentence with its neighbours of the same piece, as far as they fit."""
    one = index.sentences[place]
    start, end = one.start, min(one.end, one.start + longest)
    for step in range(1, _REACH + 1):
        for near in (place + step, place - step):
            other = index.sentences[near] if 0 <= near < len(index.sentences) else None
            if other is None or other.piece != one.piece:
                continue
            if max(end, other.end) - min(start, other.start) <= longest:
                start, end = min(start, other.start), max(end, other.end)
    return start, end


def _is_inside(place: int, index: Index, span: Span) -> bool:
    one = index.sentences[place]
    return (
        index.pieces[one.piece].id == span.piece and one.start < span.end and span.start < one.end
    )
