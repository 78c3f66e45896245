"""Sweep thresholds of P(hallucination): share held back, precision and recall by labels."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from abs_shield.core import Decision
from abs_shield.core.label import Truth
from abs_shield.report.layer_counts import Share

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 20))
"""0.05 to 0.95."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdPoint:
    """
    One threshold.

    Attributes:
        threshold: P(hallucination) from which a subject is held back.
        held: Share held back, among those with a P(hallucination).
        precision: Share labelled hallucinated, among labelled ones held back.
        recall: Share held back, among those labelled hallucinated.
    """

    threshold: float
    held: Share
    precision: Share
    recall: Share

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        return {
            "threshold": self.threshold,
            "held": self.held.to_dict(),
            "precision": self.precision.to_dict(),
            "recall": self.recall.to_dict(),
        }


def _zeros() -> list[int]:
    return [0] * (len(THRESHOLDS) + 1)


@dataclass(slots=True)
class Sweep:
    """
    Counts P(hallucination) between thresholds: of all decisions, and of labelled ones.

    Attributes:
        unscored: Number of decisions without a P(hallucination), which no threshold holds back.
        unscored_labels: Number of these with a label.
    """

    unscored: int = 0
    unscored_labels: int = 0
    _all: list[int] = field(default_factory=_zeros)
    _true: list[int] = field(default_factory=_zeros)
    _false: list[int] = field(default_factory=_zeros)

    def update(self, decision: Decision, truth: Truth | None, *, times: int = 1) -> None:
        """Count a decision; one without P(hallucination) counts as unscored."""
        if decision.probability is None:
            self.unscored += times
            self.unscored_labels += times * (truth is not None)
            return
        place = bisect_right(THRESHOLDS, decision.probability)
        self._all[place] += times
        self._true[place] += times * (truth is Truth.HALLUCINATED)
        self._false[place] += times * (truth is Truth.OK)

    @property
    def labels(self) -> int:
        """The number of labelled decisions with a P(hallucination)."""
        return sum(self._true) + sum(self._false)

    def points(self) -> Iterator[ThresholdPoint]:
        """Yield the thresholds, lowest first."""
        for place, threshold in enumerate(THRESHOLDS, 1):
            true, false = sum(self._true[place:]), sum(self._false[place:])
            yield ThresholdPoint(
                threshold=threshold,
                held=Share(sum(self._all[place:]), sum(self._all)),
                precision=Share(true, true + false),
                recall=Share(true, sum(self._true)),
            )
