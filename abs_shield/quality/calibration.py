"""The confidence in an output, from the precision of its stages by labels, or their priors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from abs_shield.core import Finding, Subject
from abs_shield.core.label import Truth
from abs_shield.quality.output_judge import PREMIUM_REJECTED
from abs_shield.quality.quality_types import Band
from abs_shield.stats.share_intervals import wilson
from abs_shield.stores.record_bodies import labelled_decisions

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


def measured_precision(store: Any) -> dict[str, Precision]:
    """
    Return the precision of each stage with labelled findings.

    Label outputs with `abs-shield label DECISION hallucinated` (the stage was right) or `ok`.
    Pass the result as `QualityConfig.confidence`: from 30 labels on, a stage is calibrated, and its
    confidence is the lower end of its interval. Bands act if every stage that ran is calibrated.

    Args:
        store: A store of decisions and labels.
    """
    right: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    for decision, label in labelled_decisions(store, Subject.OUTPUT):
        # a set: several findings of a stage in one output are one label
        for stage in {_stage(one) for one in decision.findings if one.weighs}:
            labels[stage] += 1
            right[stage] += label.truth is Truth.HALLUCINATED
    return {
        stage: Precision(right[stage] / n, *wilson(right[stage], n), n)
        for stage, n in sorted(labels.items())
    }


def _stage(finding: Finding) -> str:
    """Return the stage of a finding, or which of the two judges made it."""
    return "premium_judge" if finding.code == PREMIUM_REJECTED else finding.check


def false_positive_rate(stores: Iterable[Any]) -> float | None:
    """
    Return the share of right outputs among labelled ones that were held, or would have been.

    Returns:
        The share in [0, 1]; None without a label of such an output.
    """
    truths = Counter(
        label.truth
        for store in stores
        for decision, label in labelled_decisions(store, Subject.OUTPUT)
        # in audit mode as well, where nothing is held and the rate matters most
        if decision.would_block
    )
    stopped = truths.total()
    return truths[Truth.OK] / stopped if stopped else None
