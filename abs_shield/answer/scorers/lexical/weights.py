"""The numbers of the lexical scorer: two logistic layers, how rare words are, what taught them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import isfinite
from typing import Any

from abs_shield.answer.scorers.lexical.features import FEATURES, Idf
from abs_shield.errors import ShieldError

SHIPPED = "weights-1.json"
ANSWER = {"worst": -1, "second": -1, "mean": -1, "best": -1, "any": -1, "count": 1}
"""What is summed up of an answer's claims, and whether more of it speaks for the answer."""


@dataclass(frozen=True, slots=True)
class Layer:
    """
    One logistic layer: what is added to the bias for each feature.

    Attributes:
        bias: Log-odds where every feature is 0.
        weights: Log-odds for each unit of a feature, in the features' order.
    """

    bias: float
    weights: tuple[float, ...]

    def log_odds(self, values: tuple[float, ...]) -> float:
        """Give the log-odds of being grounded."""
        return self.bias + sum([w * x for w, x in zip(self.weights, values, strict=True)])


@dataclass(frozen=True, slots=True)
class Calibration:
    """
    From the answer layer's log-odds to those of being grounded, at even odds.

    Attributes:
        slope: Above 0.
        shift: Added to the sloped log-odds.
        above: What is left of log-odds above 0, in (0, 1]: how sure the scorer may ever be.
    """

    slope: float
    shift: float
    above: float

    def told(self, log_odds: float) -> float:
        """Give the log-odds to tell."""
        moved = self.slope * log_odds + self.shift
        return moved * self.above if moved > 0 else moved

    def meant(self, told: float) -> float:
        """Give the log-odds that were told in this way."""
        moved = told / self.above if told > 0 else told
        return (moved - self.shift) / self.slope


@dataclass(frozen=True, slots=True)
class Weights:
    """
    All numbers of one version of the scorer.

    Attributes:
        version: Of the scorer, e.g. ``"lexical-1"``.
        trained_on: Name, licence and number of answers of each corpus.
        claim: Features of a claim to log-odds.
        answer: Claims' log-odds to an answer's.
        calibration: To even odds.
        idf: How rare a word is.
    """

    version: str
    trained_on: tuple[Mapping[str, Any], ...]
    claim: Layer
    answer: Layer
    calibration: Calibration
    idf: Idf


@lru_cache(maxsize=1)
def shipped() -> Weights:
    """Give the weights that come with the package."""
    file = files("abs_shield.answer.scorers.lexical").joinpath(SHIPPED)
    return read(json.loads(file.read_text("utf-8")))


def read(told: Mapping[str, Any]) -> Weights:
    """
    Give the weights of a file's object.

    Raises:
        ShieldError: A part is missing, or the file is of other features.
    """
    try:
        calibration = Calibration(**told["calibration"])
        idf = {word: int(of) / 100 for of, words in told["idf"].items() for word in words.split()}
        return Weights(
            version=told["version"],
            trained_on=tuple(told["trained_on"]),
            claim=_layer(told["claim"], tuple(FEATURES)),
            answer=_layer(told["answer"], tuple(ANSWER)),
            calibration=calibration,
            idf=Idf(idf),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"the lexical weights cannot be read: {error!r}; train them again"
        raise ShieldError(problem) from error


def written(weights: Weights) -> dict[str, Any]:
    """Give the object that `read` reads."""
    by_value: dict[str, list[str]] = {}
    for word, value in sorted(weights.idf.items()):
        by_value.setdefault(str(round(value * 100)), []).append(word)
    return {
        "version": weights.version,
        "trained_on": [dict(corpus) for corpus in weights.trained_on],
        "claim": _named(weights.claim, tuple(FEATURES)),
        "answer": _named(weights.answer, tuple(ANSWER)),
        "calibration": {
            name: round(getattr(weights.calibration, name), 4)
            for name in ("slope", "shift", "above")
        },
        "idf": {value: " ".join(words) for value, words in sorted(by_value.items())},
    }


def _layer(told: Mapping[str, Any], names: tuple[str, ...]) -> Layer:
    if set(told["weights"]) != set(names):
        raise ValueError("it is of other features")
    layer = Layer(float(told["bias"]), tuple(float(told["weights"][name]) for name in names))
    if not all(isfinite(number) for number in (layer.bias, *layer.weights)):
        raise ValueError("a weight is no finite number")
    return layer


def _named(layer: Layer, names: tuple[str, ...]) -> dict[str, Any]:
    weights = dict(zip(names, (round(weight, 4) for weight in layer.weights), strict=True))
    return {"bias": round(layer.bias, 4), "weights": weights}
