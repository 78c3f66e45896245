"""Fits the lexical scorer's two layers, in plain Python: the same numbers on every machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from operator import mul

from grounding_data import Row

from abs_shield.answer.claim_types import WordCount
from abs_shield.answer.evidence.sentence_index import index_of
from abs_shield.answer.scorers.lexical.lexical_features import (
    FEATURES,
    MOST_WORDS,
    ClaimFeatures,
    Idf,
    features_of,
)
from abs_shield.answer.scorers.lexical.lexical_model import question_keys, summary
from abs_shield.answer.scorers.lexical.lexical_weights import (
    ANSWER,
    LogisticLayer,
    OddsCalibration,
    Weights,
)
from abs_shield.answer.scorers.word_scorer import count_remarks
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.tokens import tokens

VERSION = "lexical-4"
Vector = tuple[float, ...]
_COMMONEST = 5_000
_LEAST_COUNT = 3
_EMIT = 0.85
_PASSING = 0.015
"""
The share of bad training answers that may reach the emit band.

Of all bad answers, another half in a hundred claims nothing, and is emitted.
"""
_ROUNDS = 150
_PRIOR = 0.1
_PULL = 10.0
"""
How strongly the weights of a claim's features keep to their priors: nearly all the way.

Fitted freely they rank answers of corpora that they have not seen worse than equal weights do.
"""
_PRIORS = {"letters_near": 0.45, "letters_whole": 0.45, "number_absent": 0.2, "speaker": 0.2}
"""Letters stand for what many features of words see together; the others are rare and telling."""


@dataclass(frozen=True)
class Bag:
    """An answer as its claims' features: bad where any of them is not grounded."""

    claims: Sequence[Vector]
    good: bool
    weight: float
    counts: Sequence[WordCount] = ()
    remarks: Sequence[WordCount] = ()


def idf_of(rows: Iterable[Row]) -> Idf:
    """Return how rare the commonest words of these rows' evidence are, among its sentences."""
    visited: set[str] = set()
    n, held = 0, Counter[str]()
    for text in (piece.text for row in rows for piece in row.evidence):
        if text in visited:
            continue
        visited.add(text)
        for start, end in sentence_spans(text):
            n += 1
            words = tokens(text[start:end], most=MOST_WORDS)
            held.update({word.key for word in words if word.content})
    common = sorted(held.items(), key=lambda one: (-one[1], one[0]))[:_COMMONEST]
    return Idf({word: round(log(n / k) / log(n), 2) for word, k in common if k >= _LEAST_COUNT})


def features_of_row(row: Row, idf: Mapping[str, float]) -> list[ClaimFeatures]:
    """Return the features of an answer's claims."""
    index, question_words = index_of(row.evidence), question_keys(row.question)
    return [
        features_of(one.text, index, question_keys=question_words, idf=idf) for one in row.claims
    ]


def fitted(corpora: Mapping[str, tuple[str, Sequence[Row]]], *, idf: Idf | None = None) -> Weights:
    """
    Fit all layers on these corpora.

    Args:
        corpora: Licence and rows of each, by name.
        idf: How rare words are; from the rows' evidence where it is None.
    """
    idf = idf_of(row for _, rows in corpora.values() for row in rows) if idf is None else idf
    bags = [bag for _, rows in corpora.values() for bag in _bags(rows, idf)]
    priors = [_PRIORS.get(name, _PRIOR) for name in FEATURES]
    claim = fit(bags, signs=tuple(FEATURES.values()), pull=_PULL, priors=priors)
    whole = [Bag([_summary(bag, claim)], bag.good, bag.weight) for bag in bags]
    answer = fit(whole, signs=tuple(ANSWER.values()), pull=0.1, priors=[0.3] * len(ANSWER))
    return Weights(
        version=VERSION,
        trained_on=tuple(
            {"name": name, "licence": licence, "answers": len(rows)}
            for name, (licence, rows) in corpora.items()
        ),
        claim=claim,
        answer=answer,
        calibration=_calibration(whole, [answer.log_odds(bag.claims[0]) for bag in whole]),
        idf=idf,
    )


def _bags(rows: Sequence[Row], idf: Idf) -> list[Bag]:
    """Even odds within a corpus; a corpus weighs as the root of its size."""
    claiming = [row for row in rows if row.claims]
    good = sum(row.good for row in claiming)
    share = sqrt(len(claiming)) / 2
    each = {True: share / max(1, good), False: share / max(1, len(claiming) - good)}
    return [_bag(row, idf, each[row.good]) for row in claiming]


def _bag(row: Row, idf: Idf, weight: float) -> Bag:
    features = features_of_row(row, idf)
    return Bag(
        [one.values for one in features],
        row.good,
        weight,
        counts=[one.count for one in features],
        remarks=count_remarks(row.answer, row.claims, row.evidence),
    )


def _summary(bag: Bag, layer: LogisticLayer) -> Vector:
    odds = map(layer.log_odds, bag.claims)
    return summary(list(zip(odds, bag.counts, strict=True)), remarks=bag.remarks)


def fit(
    bags: Sequence[Bag], *, signs: Sequence[int], pull: float, priors: Sequence[float]
) -> LogisticLayer:
    """
    Fit a logistic layer by accelerated gradient descent.

    An answer is good with the product of its claims' probabilities. Each weight keeps its sign,
    and is pulled towards its prior for a standard deviation, as strongly as *pull* says.
    """
    rows = [vector for bag in bags for vector in bag.claims]
    mean, spread = _standard(rows)
    scale = [sign / deviation for sign, deviation in zip(signs, spread, strict=True)]
    moved = [
        [
            [(x - m) * s for x, m, s in zip(vector, mean, scale, strict=True)]
            for vector in bag.claims
        ]
        for bag in bags
    ]
    total = sum(bag.weight for bag in bags)
    weights = [*priors]
    ahead, bias, bias_ahead = weights, 0.0, 0.0
    step = 1.0 / (pull + 0.25 * _widest(rows, mean, scale))
    for n in range(_ROUNDS):
        slope, lift = _gradient(bags, moved, ahead, bias_ahead)
        new = [
            max(0.0, w - step * (g / total + pull * (w - prior)))
            for w, g, prior in zip(ahead, slope, priors, strict=True)
        ]
        bias_new = bias_ahead - 2.0 * lift / total
        push = n / (n + 3)
        ahead = [w + push * (w - old) for w, old in zip(new, weights, strict=True)]
        bias_ahead = bias_new + push * (bias_new - bias)
        weights, bias = new, bias_new
    raw = tuple(map(mul, weights, scale))
    return LogisticLayer(bias - sum(map(mul, raw, mean)), raw)


def _standard(rows: Sequence[Vector]) -> tuple[list[float], list[float]]:
    columns = list(zip(*rows, strict=True))
    mean = [sum(column) / len(column) for column in columns]
    spread = [
        sqrt(sum((x - m) ** 2 for x in column) / len(column)) + 0.05
        for column, m in zip(columns, mean, strict=True)
    ]
    return mean, spread


def _widest(rows: Sequence[Vector], mean: Sequence[float], scale: Sequence[float]) -> float:
    """The largest variance in any direction, by power iteration on some of the rows."""
    some = rows[:: max(1, len(rows) // 500)]
    moved = [[(x - m) * s for x, m, s in zip(row, mean, scale, strict=True)] for row in some]
    way, length = [1.0] * len(mean), 1.0
    for _ in range(30):
        shadow = [sum(map(mul, row, way)) for row in moved]
        way = [sum(map(mul, column, shadow)) for column in zip(*moved, strict=True)]
        length = sqrt(sum(w * w for w in way)) or 1.0
        way = [w / length for w in way]
    return 1.5 * length / len(moved)


def _gradient(
    bags: Sequence[Bag],
    moved: Sequence[Sequence[Sequence[float]]],
    weights: Sequence[float],
    bias: float,
) -> tuple[list[float], float]:
    slope, lift = [0.0] * len(weights), 0.0
    for bag, vectors in zip(bags, moved, strict=True):
        grounded = [_logistic(sum(map(mul, weights, vector)) + bias) for vector in vectors]
        every = 1.0
        for one in grounded:
            every *= one
        pull = -bag.weight if bag.good else bag.weight * every / max(1.0 - every, 1e-7)
        for vector, one in zip(vectors, grounded, strict=True):
            share = pull * (1.0 - one)
            lift += share
            slope = [g + share * x for g, x in zip(slope, vector, strict=True)]
    return slope, lift


def _calibration(whole: Sequence[Bag], odds: Sequence[float]) -> OddsCalibration:
    """Even odds in each corpus; above them less sure, until few bad answers are emitted."""
    # weighed as above: by each answer, the largest corpus would decide how strict people are
    bags = [Bag([(one,)], bag.good, bag.weight) for one, bag in zip(odds, whole, strict=True)]
    platt = fit(bags, signs=(1,), pull=0.0, priors=[1.0])
    slope, shift = max(platt.weights[0], 0.05), platt.bias
    bad = sorted((slope * bag.claims[0][0] + shift for bag in bags if not bag.good), reverse=True)
    edge = bad[int(_PASSING * len(bad))] if bad else 0.0
    emitted = log(_EMIT / (1 - _EMIT))
    return OddsCalibration(slope, shift, min(1.0, emitted / edge) if edge > 0 else 1.0)


def _logistic(log_odds: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, log_odds))))
