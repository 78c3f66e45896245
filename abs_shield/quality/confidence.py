"""The confidence in an output, from the measured precision of its stages or their priors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from abs_shield.quality.quality_types import Band

# as the specification of the cascade gives them: guesses until labels measure them
PRIORS = {
    "pii": 0.995,
    "guardrails": 1.0,
    "quality_score": 0.85,
    "hallucination": 0.87,
    "judge": 0.78,
    "premium_judge": 0.92,
}
"""Confidence in each stage without labels."""
HIGH, LOW = 0.95, 0.70  # the bands of the cascade's specification
"""Confidence above which an output ships, and below which it is blocked."""
LEAST_LABELS = 30
"""Minimum number of labels of a measured precision: with fewer, its interval is too wide."""


class Precision(NamedTuple):
    """
    The precision of a stage: the share of its findings that labels confirm.

    Attributes:
        value: The share, in [0, 1].
        low: Lower end of its 95 % interval (Wilson).
        high: Upper end.
        labels: Number of labelled outputs.
    """

    value: float
    low: float
    high: float
    labels: int


def measured_confidence(confidence: Mapping[str, float | Precision]) -> dict[str, float]:
    """
    Return the confidence of each calibrated stage, in [0, 1].

    For a measured precision it is the lower end of the interval, from `LEAST_LABELS` labels on; a
    plain number is used as is.

    >>> few, enough = Precision(0.0, 0.0, 0.79, 1), Precision(0.95, 0.84, 0.99, 40)
    >>> measured_confidence({"pii": few, "hallucination": enough, "judge": 0.9})
    {'hallucination': 0.84, 'judge': 0.9}
    """
    return {
        stage: one.low if isinstance(one, Precision) else one
        for stage, one in confidence.items()
        if not isinstance(one, Precision) or one.labels >= LEAST_LABELS
    }


def overall_confidence(stages: Iterable[float]) -> float | None:
    """
    Return the least confidence of the stages that ran; None if none ran.

    >>> overall_confidence([0.995, 1.0, 0.87]), overall_confidence([])
    (0.87, None)
    """
    # the least, not the product: the stages see the same text and are not independent
    return min(stages, default=None)


def band_of(confidence: float) -> Band:
    """
    Return the band of a confidence; both limits belong to the middle one.

    >>> [band_of(one).value for one in (0.951, 0.95, 0.70, 0.699)]
    ['high', 'medium', 'medium', 'low']
    """
    if confidence > HIGH:
        return Band.HIGH
    return Band.MEDIUM if confidence >= LOW else Band.LOW


def note_of(confidence: float) -> str:
    """
    Return the note that an output of the middle band carries; empty in the others.

    >>> note_of(0.82)
    "This output was generated with standard guardrails. We're 82% confident in its quality."
    """
    if band_of(confidence) is not Band.MEDIUM:
        return ""
    return (
        "This output was generated with standard guardrails. "
        f"We're {confidence:.0%} confident in its quality."
    )
