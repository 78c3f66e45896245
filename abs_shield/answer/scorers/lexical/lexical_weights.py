"""Weights of the lexical scorer: two logistic layers, rarity of words, training corpora."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.resources import files
from math import isfinite
from typing import Any

from abs_shield.answer.scorers.lexical.lexical_features import FEATURES, Idf
from abs_shield.errors import ShieldError

SHIPPED = "weights-4.json"
ANSWER = {"worst": -1, "mean": -1, "any": -1, "count": 1, "found": 1}
"""The inputs of the answer layer, and the sign of their influence."""


@dataclass(frozen=True, slots=True)
class LogisticLayer:
    """
    One logistic layer.

    Attributes:
        bias: Log-odds if every feature is 0.
        weights: Log-odds for each unit of a feature, in the features' order.
    """

    bias: float
    weights: tuple[float, ...]

    def log_odds(self, values: tuple[float, ...]) -> float:
        """Compute the log-odds of being grounded."""
        return self.bias + sum([w * x for w, x in zip(self.weights, values, strict=True)])


@dataclass(frozen=True, slots=True)
class OddsCalibration:
    """
    From the answer layer's log-odds to those of being grounded, at even odds.

    Attributes:
        slope: Above 0.
        shift: Added to the sloped log-odds.
        above: Factor of log-odds above 0, in (0, 1]: how sure the scorer may ever be.
    """

    slope: float
    shift: float
    above: float

    def apply(self, log_odds: float) -> float:
        """Compute the calibrated log-odds."""
        moved = self.slope * log_odds + self.shift
        # only above 0: nothing is emitted with more certainty than was measured
        return moved * self.above if moved > 0 else moved

    def invert(self, calibrated: float) -> float:
        """Compute the log-odds whose calibrated ones are given."""
        moved = calibrated / self.above if calibrated > 0 else calibrated
        return (moved - self.shift) / self.slope


@dataclass(frozen=True, slots=True)
class Weights:
    """
    All numbers of one version of the scorer.

    Attributes:
        version: Of the scorer, e.g. ``"lexical-4"``.
        trained_on: Name, licence and number of answers of each corpus.
        claim: Features of a claim to log-odds.
        answer: Claims' log-odds to an answer's.
        calibration: To even odds.
        idf: How rare a word is.
    """

    version: str
    trained_on: tuple[Mapping[str, Any], ...]
    claim: LogisticLayer
    answer: LogisticLayer
    calibration: OddsCalibration
    idf: Idf


@lru_cache(maxsize=1)
def shipped_weights() -> Weights:
    """Return the weights shipped with the package."""
    file = files("abs_shield.answer.scorers.lexical").joinpath(SHIPPED)
    return parse(json.loads(file.read_text("utf-8")))


def parse(data: Mapping[str, Any]) -> Weights:
    """
    Return the weights of a file's object.

    Raises:
        ShieldError: A part is missing, or the features differ.
    """
    try:
        # the file has the words of each hundredth in one text, to be small
        idf = {word: int(of) / 100 for of, words in data["idf"].items() for word in words.split()}
        return Weights(
            version=data["version"],
            trained_on=tuple(data["trained_on"]),
            claim=_layer(data["claim"], tuple(FEATURES)),
            answer=_layer(data["answer"], tuple(ANSWER)),
            calibration=OddsCalibration(**data["calibration"]),
            idf=Idf(idf),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"the lexical weights cannot be read: {error!r}; train them again"
        raise ShieldError(problem) from error


def to_json(weights: Weights) -> dict[str, Any]:
    """Return the weights as the JSON object that `parse` reads."""
    by_value: dict[str, list[str]] = {}
    for word, value in sorted(weights.idf.items()):
        by_value.setdefault(str(round(value * 100)), []).append(word)
    return {
        "version": weights.version,
        "trained_on": [dict(corpus) for corpus in weights.trained_on],
        "claim": _by_name(weights.claim, tuple(FEATURES)),
        "answer": _by_name(weights.answer, tuple(ANSWER)),
        "calibration": {
            name: round(value, 4) for name, value in asdict(weights.calibration).items()
        },
        "idf": {value: " ".join(words) for value, words in sorted(by_value.items())},
    }


def _layer(data: Mapping[str, Any], names: tuple[str, ...]) -> LogisticLayer:
    if set(data["weights"]) != set(names):
        raise ValueError("the weights belong to other features")
    layer = LogisticLayer(
        float(data["bias"]), tuple(float(data["weights"][name]) for name in names)
    )
    if not all(isfinite(number) for number in (layer.bias, *layer.weights)):  # JSON reads NaN
        raise ValueError("a weight is not a finite number")
    return layer


def _by_name(layer: LogisticLayer, names: tuple[str, ...]) -> dict[str, Any]:
    weights = dict(zip(names, (round(weight, 4) for weight in layer.weights), strict=True))
    return {"bias": round(layer.bias, 4), "weights": weights}
