"""Fit of the gate's thresholds to operators' labels on answers in a decision log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import floor
from typing import Any

from abs_shield.core import Subject
from abs_shield.core.label import Truth
from abs_shield.errors import ShieldError
from abs_shield.policy.check_config import AnswerConfig
from abs_shield.stats.share_intervals import wilson
from abs_shield.stores.record_bodies import Skipped, labelled_decisions

# three digits are what a policy states and a person reads
_ROUNDED = 1_000
"""Thresholds have three digits, rounded down so that the answers they were fitted to pass."""
Scored = tuple[float, bool]
"""The overall score of an answer, in [0, 1], and True if it was hallucinated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFit:
    """
    An emit threshold fitted to labelled answers, with its error rate.

    Attributes:
        labels: Labelled answers that have an overall score.
        unscored: Labelled answers without one, which the fit leaves out.
        hallucinated: Number of them labelled hallucinated.
        emit_threshold: The lowest threshold with an error rate up to *max_wrong*; None if none has.
        emitted: Labelled answers that it would emit.
        wrong: Number of these labelled hallucinated.
        wrong_upper: Upper end of the 95 % interval of their share, in [0, 1].
        max_wrong: The share of emitted answers that may be hallucinated, in [0, 1].
    """

    labels: int
    hallucinated: int
    emit_threshold: float | None
    emitted: int
    wrong: int
    wrong_upper: float
    max_wrong: float
    unscored: int = 0

    def applied(self, config: AnswerConfig) -> AnswerConfig:
        """
        Return a configuration with this threshold; the lower thresholds are capped at it.

        Args:
            config: The configuration to copy.

        Raises:
            ShieldError: No threshold stays within the allowed share.
        """
        emit = self.emit_threshold
        if emit is None:
            raise ShieldError(
                f"the gate cannot be fitted: no threshold emits at most {self.max_wrong:g}"
                f" hallucinated answers by {self.labels} labels; label more answers"
            )
        revise = min(config.revise_threshold, emit)
        fields = {name: getattr(config, name) for name in AnswerConfig.model_fields}
        fields |= {  # a configuration requires block <= revise <= emit
            "emit_threshold": emit,
            "revise_threshold": revise,
            "block_threshold": min(config.block_threshold, revise),
        }
        return AnswerConfig(**fields)


def fit_gate(store: Any, *, max_wrong: float = 0.05, skipped: Skipped | None = None) -> GateFit:
    """
    Fit the emit threshold of the gate to the labels on answers of a decision log.

    The overall score of an answer is 1 - P(hallucination) of its decision. Answers without one
    are left out and counted. Label a random sample: labels on blocked answers alone say nothing
    about those that are emitted.

    Args:
        store: The decision log.
        max_wrong: The share of emitted answers that may be hallucinated, in (0, 1], at the upper
            end of the 95 % interval; for 0.05 at least 73 answers labelled right are needed.
        skipped: Called with each record that cannot be read; None raises then.

    Raises:
        ShieldError: *max_wrong* is not in (0, 1], or the log or a record cannot be read.
    """
    pairs = [*labelled_decisions(store, Subject.ANSWER, skipped=skipped)]
    scored = [
        (1 - decision.probability, label.truth is Truth.HALLUCINATED)
        for decision, label in pairs
        if decision.probability is not None
    ]
    return replace(fit_threshold(scored, max_wrong=max_wrong), unscored=len(pairs) - len(scored))


def fit_threshold(scored: Iterable[Scored], *, max_wrong: float) -> GateFit:
    """
    Fit the emit threshold to scores with their labels.

    >>> fit = fit_threshold([(0.9, False)] * 80 + [(0.6, True)] * 20, max_wrong=0.05)
    >>> fit.emit_threshold, fit.emitted, fit.wrong
    (0.9, 80, 0)
    """
    if not 0 < max_wrong <= 1:
        raise ShieldError(f"`max_wrong` is {max_wrong:g}; give a share above 0, up to 1")
    ordered = sorted(scored, reverse=True)
    best: tuple[float | None, int, int, float] = (None, 0, 0, 1.0)
    wrong = 0
    for place, (score, is_wrong) in enumerate(ordered, 1):
        wrong += is_wrong
        # equal thresholds are one: the last of them counts all its answers
        if place < len(ordered) and _threshold(ordered[place][0]) == _threshold(score):
            continue
        # the upper end of the interval, as few labels prove little
        upper = wilson(wrong, place)[1]
        if upper <= max_wrong:
            best = (_threshold(score), place, wrong, upper)
    emit, emitted, emitted_wrong, upper = best
    return GateFit(
        labels=len(ordered),
        hallucinated=sum(is_wrong for _, is_wrong in ordered),
        emit_threshold=emit,
        emitted=emitted,
        wrong=emitted_wrong,
        wrong_upper=upper,
        max_wrong=max_wrong,
    )


def _threshold(score: float) -> float:
    """Return a score rounded down to three digits; the inner rounding absorbs float errors."""
    # down: a threshold above the score would reject the answer it was fitted to
    return floor(round(score * _ROUNDED, 6)) / _ROUNDED
