"""Confidence of stages, measured by the labels of a decision log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from abs_shield.core import Finding, Subject
from abs_shield.core.label import Truth
from abs_shield.quality.confidence import Precision
from abs_shield.quality.output_judge import PREMIUM_REJECTED
from abs_shield.stats.share_intervals import wilson
from abs_shield.stores.labelled_decisions import labelled_decisions


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
