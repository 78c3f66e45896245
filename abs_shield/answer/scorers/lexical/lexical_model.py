"""The lexical model: P(grounded) from features of a claim, respelt as the evidence spells it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import exp, log, log1p
from operator import mul

from abs_shield.answer.claim_types import Claim, MissingValue, Opinion, Spelling, WordCount
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.evidence.sentence_index import SentenceIndex, index_of
from abs_shield.answer.scorers.lexical.lexical_features import ClaimFeatures, features_of
from abs_shield.answer.scorers.lexical.lexical_weights import Weights
from abs_shield.stats.probabilities import probability
from abs_shield.text.tokens import Token, tokens


@dataclass(slots=True)
class Respelling:
    """
    The text of a claim in another spelling, and the place of its parts in the answer.

    Attributes:
        text: The text.
    """

    text: str = ""
    _starts: list[int] = field(default_factory=list)
    _places: list[tuple[int, int, bool]] = field(default_factory=list)

    def add(self, text: str, start: int, end: int, *, same: bool) -> None:
        """Append *text* for the answer's ``[start:end]``, or that itself if it is the *same*."""
        if text:
            self._starts.append(len(self.text))
            self._places.append((start, end, same))
            self.text += text

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return the offsets in the answer of a part of the text."""
        first, last = (bisect_right(self._starts, at) - 1 for at in (start, end - 1))
        left, _, left_same = self._places[first]
        begin, right, right_same = self._places[last]
        return (
            left + (start - self._starts[first]) * left_same,
            begin + end - self._starts[last] if right_same else right,
        )


def respell(claim: Claim, spellings: Iterable[Spelling]) -> Respelling:
    """
    Return *claim* with each of *spellings*, which are in order.

    >>> respell(Claim("Two hundred came.", 5, 22), [Spelling("200", 5, 16)]).text
    '200 came.'
    """
    respelling, at = Respelling(), claim.start
    for one in spellings:
        if at <= one.start and one.end <= claim.end:  # overlapping spellings: the first one
            before = claim.text[at - claim.start : one.start - claim.start]
            respelling.add(before, at, one.start, same=True)
            respelling.add(one.text, one.start, one.end, same=False)
            at = one.end
    respelling.add(claim.text[at - claim.start :], at, claim.end, same=True)
    return respelling


_MOST_QUESTION_WORDS = 2_000
"""Words of a question that are read; the rest is pasted text."""
_SUREST = 6.0
"""Bound of a claim's log-odds in the summary: one certain claim must not decide the answer."""


def score_claims(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None,
    weights: Weights,
    missing: Iterable[MissingValue] | None = None,
    spellings: Iterable[Spelling] = (),
) -> tuple[Opinion, ...]:
    """
    Score each claim; see `abs_shield.answer.scorers.word_scorer`.

    Args:
        claims: The claims of one answer.
        evidence: The evidence.
        question: The user's question.
        weights: The two layers.
        missing: The missing values, with all others present; None to look up numbers as words.
        spellings: Values in the evidence's spelling.
    """
    index, question_words = index_of(evidence), question_keys(question)
    places = None if missing is None else {n for one in missing for n in range(one.start, one.end)}
    ordered = sorted(spellings, key=lambda one: one.start)
    starts = [one.start for one in ordered]
    opinions = []
    for claim in claims:
        some = ordered[bisect_left(starts, claim.start) : bisect_left(starts, claim.end)]
        opinions.append(
            _opinion(claim, respell(claim, some), index, question_words, weights, places)
        )
    return tuple(opinions)


# the same question is asked for each scorer and draft
@lru_cache(maxsize=16)
def question_keys(question: str | None) -> frozenset[str]:
    """Return the keys of a question's words."""
    return frozenset(word.key for word in tokens(question or "", most=_MOST_QUESTION_WORDS))


def _opinion(
    claim: Claim,
    read: Respelling,
    index: SentenceIndex,
    question_words: frozenset[str],
    weights: Weights,
    missing: set[int] | None,
) -> Opinion:
    def has_word(word: Token) -> bool:
        if missing is None or not (word.figure or word.counts):
            return index.has(word)
        return read.place(word.start, word.end)[0] not in missing

    features = features_of(
        read.text, index, question_keys=question_words, idf=weights.idf, has_word=has_word
    )
    score = _probability([(weights.claim.log_odds(features.values), features.count)], weights)
    if features.empty:
        score = 0.5  # "yes" does not say what it affirms
    elif features.cut:
        score = min(score, 0.5)  # the unread words may say anything
    spans = (index.span(place) for place in features.places)
    return Opinion(
        score=score,
        spans=tuple(span for span in spans if span is not None),
        missing=_missing(claim, read, features),
        count=features.count,
    )


def _missing(claim: Claim, read: Respelling, features: ClaimFeatures) -> tuple[MissingValue, ...]:
    places = ((_kind(word), *read.place(word.start, word.end)) for word in features.absent)
    return tuple(
        MissingValue(kind, claim.text[start - claim.start : end - claim.start], start, end)
        for kind, start, end in places
    )


def _kind(word: Token) -> str:
    if word.figure:
        return "number"
    return "id" if any(map(str.isdigit, word.key)) else "name"


def answer_probability(
    opinions: Iterable[Opinion], weights: Weights, *, remarks: Iterable[WordCount] = ()
) -> float:
    """
    Compute P(grounded) of an answer from the opinions on its claims.

    Args:
        opinions: Opinions of `score_claims`, at least one.
        weights: The two layers.
        remarks: The words of the answer's remarks, which are no claims.
    """
    scored = [(_log_odds(one, weights), one.count) for one in opinions]
    return _probability(scored, weights, remarks=remarks)


def _probability(
    claims: Sequence[CountedClaim], weights: Weights, *, remarks: Iterable[WordCount] = ()
) -> float:
    summed = weights.answer.log_odds(summary(claims, remarks=remarks))
    return probability(weights.calibration.apply(summed))


def _log_odds(opinion: Opinion, weights: Weights) -> float:
    """Compute the claim layer's log-odds of a claim from its reported score."""
    bounded = min(max(opinion.score, 1e-6), 1 - 1e-6)  # a score of 0 or 1 has no finite log-odds
    summed = weights.calibration.invert(log(bounded / (1 - bounded)))
    # inverse of the answer layer for a single claim: of the four inputs made of its log-odds, three
    # are equal and the number of claims is 0
    *odds, _, found = weights.answer.weights
    return -(summed - weights.answer.bias - found * _share([opinion.count])) / sum(odds)


CountedClaim = tuple[float, WordCount]
"""The claim layer's log-odds of a claim, and its words."""


def summary(
    claims: Sequence[CountedClaim], *, remarks: Iterable[WordCount] = ()
) -> tuple[float, ...]:
    """
    Compute the inputs of the answer layer from its claims' log-odds of being grounded.

    These are log-odds of being unsupported (the worst, the mean by words, and that of any claim,
    all equal for one claim), the logarithm of the number of claims, and the share of the words of
    claims and remarks that the evidence has.
    """
    against = [min(max(-one, -_SUREST), _SUREST) for one, _ in claims]
    every = -sum([log1p(exp(one)) for one in against])  # log P(all grounded)
    # `exp` underflows, and the logarithm would be infinite
    some = _SUREST if every < -_SUREST else log(1 - exp(every)) - every
    sizes = [max(1, count.read) for _, count in claims]
    mean = sum(map(mul, against, sizes)) / sum(sizes)
    found = _share([*(count for _, count in claims), *remarks])
    return max(against), mean, min(some, _SUREST), log(len(against)), found


def _share(counts: Iterable[WordCount]) -> float:
    found, read = map(sum, zip(*counts, strict=True))
    return found / read if read else 0.5  # no words: neither for nor against
