"""From a claim's features to P(grounded), and from the claims of an answer to the answer's."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import exp, log, log1p

from abs_shield.answer.evidence.sentence_index import Index, index_of
from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.scorers.lexical.features import Measured, measured
from abs_shield.answer.scorers.lexical.respelling import Respelt, respelt
from abs_shield.answer.scorers.lexical.weights import Weights
from abs_shield.answer.types import Claim, MissingValue, Opinion, Spelling
from abs_shield.stats.logodds import probability
from abs_shield.text.tokens import Token, tokens

MOST_ASKED = 2_000
_SUREST = 6.0
"""Log-odds beyond which no claim counts more."""


@lru_cache(maxsize=16)
def asked_of(question: str | None) -> frozenset[str]:
    """Give the keys of a question's words."""
    return frozenset(word.key for word in tokens(question or "", most=MOST_ASKED))


def judged(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None,
    weights: Weights,
    missed: Iterable[MissingValue] | None = None,
    spellings: Iterable[Spelling] = (),
) -> tuple[Opinion, ...]:
    """Score each claim; see `abs_shield.answer.scorers.words`."""
    index, asked = index_of(evidence), asked_of(question)
    places = None if missed is None else {n for one in missed for n in range(one.start, one.end)}
    ordered = sorted(spellings, key=lambda one: one.start)
    starts = [one.start for one in ordered]
    found = []
    for claim in claims:
        some = ordered[bisect_left(starts, claim.start) : bisect_left(starts, claim.end)]
        found.append(_judged(claim, respelt(claim, some), index, asked, weights, places))
    return tuple(found)


def _judged(
    claim: Claim,
    read: Respelt,
    index: Index,
    asked: frozenset[str],
    weights: Weights,
    missed: set[int] | None,
) -> Opinion:
    def known(word: Token) -> bool:
        if missed is None or not (word.figure or word.counts):
            return index.has(word)
        return read.place(word.start, word.end)[0] not in missed

    found = measured(read.text, index, asked=asked, idf=weights.idf, known=known)
    score = told([weights.claim.log_odds(found.values)], weights)
    if found.cut:
        score = min(score, 0.5)
    return Opinion(
        score=score,
        spans=tuple(span for place in found.places if (span := index.span(place)) is not None),
        missing=_misses(claim, read, found),
    )


def _misses(claim: Claim, read: Respelt, found: Measured) -> tuple[MissingValue, ...]:
    places = ((_kind(word), *read.place(word.start, word.end)) for word in found.absent)
    return tuple(
        MissingValue(kind, claim.text[start - claim.start : end - claim.start], start, end)
        for kind, start, end in places
    )


def _kind(word: Token) -> str:
    if word.figure:
        return "number"
    return "id" if any(map(str.isdigit, word.key)) else "name"


def told(log_odds: Sequence[float], weights: Weights) -> float:
    """Give P(grounded) of an answer whose claims have these log-odds, as the claim layer gave."""
    summed = weights.answer.log_odds(summary(log_odds))
    return probability(weights.calibration.told(summed))


def meant(score: float, weights: Weights) -> float:
    """Give the claim layer's log-odds of a claim that was told to have this score."""
    bounded = min(max(score, 1e-6), 1 - 1e-6)
    summed = weights.calibration.meant(log(bounded / (1 - bounded)))
    return -(summed - weights.answer.bias) / sum(weights.answer.weights[:-1])


def summary(log_odds: Sequence[float]) -> tuple[float, ...]:
    """
    Give what the answer layer sees of its claims' log-odds of being grounded.

    Log-odds of being unsupported: the worst, the second worst, the mean, the best, and that any
    is, which are one number where there is one claim; and the logarithm of their count.
    """
    against = sorted((min(max(-one, -_SUREST), _SUREST) for one in log_odds), reverse=True)
    second = against[1] if len(against) > 1 else against[0]
    every = -sum([log1p(exp(one)) for one in against])  # log P(all grounded)
    some = _SUREST if every < -_SUREST else log(-_less_one(every)) - every
    mean, count = sum(against) / len(against), log(len(against))
    return against[0], second, mean, against[-1], min(some, _SUREST), count


def _less_one(exponent: float) -> float:
    return exp(exponent) - 1
