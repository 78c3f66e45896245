"""The stretches of evidence nearest to a claim: what a model that judges it has to read."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice
from math import log

from abs_shield.answer.claim import Span
from abs_shield.answer.evidence import Evidence
from abs_shield.answer.stems import stems
from abs_shield.text.sentences import sentence_spans

_MOST_SENTENCES = 50_000
_MOST_PLACES = 400
"""Sentences that one word leads to; a word of more of them says little."""
_MOST_STEMS = 60
LONGEST = 1_200
"""Characters of a window."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One sentence of a piece."""

    piece: int
    start: int
    end: int


class Windows:
    """
    The sentences of some evidence, found by their words; time of a search is bounded.

    Args:
        evidence: The evidence; at most 50,000 sentences of it are read.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._pieces = evidence.pieces
        self._sentences: list[_Sentence] = []
        places: defaultdict[str, list[int]] = defaultdict(list)
        for number, piece in enumerate(evidence.pieces):
            for start, end in islice(
                sentence_spans(piece.text), _MOST_SENTENCES - len(self._sentences)
            ):
                for stem in set(stems(piece.text[start:end])):
                    places[stem].append(len(self._sentences))
                self._sentences.append(_Sentence(number, start, end))
        self._places = dict(places)

    def __len__(self) -> int:
        return len(self._sentences)

    def __contains__(self, stem: str) -> bool:
        return stem in self._places

    def best(self, text: str, *, most: int = 3) -> list[int]:
        """Give the numbers of the sentences nearest to *text*, best first."""
        weights: defaultdict[int, float] = defaultdict(float)
        whole = len(self._sentences)
        for stem in list(dict.fromkeys(stems(text)))[:_MOST_STEMS]:
            there = self._places.get(stem, ())
            rarity = log(1 + whole / len(there)) if there else 0.0
            for sentence in there[:_MOST_PLACES]:
                weights[sentence] += rarity
        return nlargest(most, weights, key=weights.__getitem__)

    def nearest(self, text: str, *, most: int = 3, longest: int = LONGEST) -> tuple[Span, ...]:
        """
        Give the windows nearest to *text*, best first; none of a sentence that one has.

        Args:
            text: A claim.
            most: Windows at most.
            longest: Characters of a window at most.
        """
        found: list[Span] = []
        for number in self.best(text, most=4 * most):
            sentence = self._sentences[number]
            piece = self._pieces[sentence.piece]
            if not any(_inside(sentence, piece.id, span) for span in found):
                start, end = self._around(number, longest)
                found.append(Span(piece.id, start, end, piece.text[start:end]))
        return tuple(found[:most])

    def first(self, *, most: int = 3, longest: int = LONGEST) -> tuple[Span, ...]:
        """Give the evidence's first windows: what a claim in other words may be about."""
        found: list[Span] = []
        for number, one in enumerate(self._sentences):
            if len(found) == most:
                break
            piece = self._pieces[one.piece]
            if not any(_inside(one, piece.id, span) for span in found):
                start, end = self._around(number, longest)
                found.append(Span(piece.id, start, end, piece.text[start:end]))
        return tuple(found)

    def sentence(self, number: int) -> Span:
        """Give one sentence as it stands."""
        one = self._sentences[number]
        piece = self._pieces[one.piece]
        return Span(piece.id, one.start, one.end, piece.text[one.start : one.end])

    def _around(self, number: int, longest: int) -> tuple[int, int]:
        """A sentence with its neighbours of the same piece, as far as they fit."""
        one = self._sentences[number]
        start, end = one.start, min(one.end, one.start + longest)
        for step in range(1, 9):
            for near in (number + step, number - step):
                other = self._sentences[near] if 0 <= near < len(self._sentences) else None
                if other is None or other.piece != one.piece:
                    continue
                if max(end, other.end) - min(start, other.start) <= longest:
                    start, end = min(start, other.start), max(end, other.end)
        return start, end


def _inside(sentence: _Sentence, piece: str, span: Span) -> bool:
    return piece == span.piece and sentence.start < span.end and span.start < sentence.end
