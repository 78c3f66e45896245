"""Combination of the signals to one probability: log-odds, in which evidence adds up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple, Protocol

from abs_shield.verification.signals import SIGNALS
from abs_shield.verification.verification_result import SignalResult

_LEAST_SILENT = 0.5
"""
Minimum factor on the odds for a silent signal: a hallucinated result may look right to any
single signal.
"""
GROUP = {signal.name: signal.group for signal in SIGNALS}

Looked = Sequence[tuple[str, SignalResult]]
"""The signals that looked, by name."""


class Combiner(Protocol):
    """An evaluator that adds the signals to the log-odds of the prior."""

    def odds(self, prior_odds: float, looked: Looked) -> float:
        """Return the log-odds after the signals that *looked*; each group counts once."""


def fired_odds(likelihood_ratio: float, score: float) -> float:
    """
    Compute the log-odds of a fired signal, which grow from 0 with its score.

    Source: effective_lr = 1 + (likelihood_ratio - 1) * score.
    """
    return log(1.0 + (likelihood_ratio - 1.0) * score)


def silent_odds(likelihood_ratio: float) -> float:
    """
    Compute the log-odds of a silent signal: below 0, at least log(0.5).

    Source: absent_lr = 1 / max(likelihood_ratio * 0.1, 1.01).
    """
    return log(max(1.0 / max(likelihood_ratio * 0.1, 1.01), _LEAST_SILENT))


class Literature:
    """
    The default combiner: likelihood ratios from literature, weighted by score.

    Args:
        ratios: The likelihood ratio of each signal, by its name.
    """

    def __init__(self, ratios: Mapping[str, float]) -> None:
        self.ratios = dict(ratios)
        self._silent = {name: silent_odds(ratio) for name, ratio in ratios.items()}

    def odds(self, prior_odds: float, looked: Looked) -> float:
        """
        Add all silent signals, and the strongest fired signal of each group.

        Args:
            prior_odds: The log-odds before any signal.
            looked: The signals that ran, with their scores.
        """
        strongest: dict[str, float] = {}
        for name, signal in looked:
            if signal.fired:
                group, added = GROUP[name], fired_odds(signal.likelihood_ratio, signal.score)
                strongest[group] = max(added, strongest.get(group, added))
        silent = self._silent
        for name, signal in looked:
            # A silent signal does not count against a signal of its group that fired.
            if not signal.fired and (not strongest or GROUP[name] not in strongest):
                prior_odds += silent[name]
        return prior_odds + sum(strongest.values())


class Rates(NamedTuple):
    """
    Firing rates on labelled results, smoothed by half a result each way.

    Attributes:
        tpr: Rate on hallucinated results, above 0 and below 1.
        fpr: Rate on real results, above 0 and below 1.
    """

    tpr: float
    fpr: float

    @classmethod
    def counted(cls, *, fired: tuple[int, int], looked: tuple[int, int]) -> Rates:
        """
        Return the rates from counts, each a pair (real, hallucinated).

        Args:
            fired: How many results fired.
            looked: How many results were judged.

        >>> Rates.counted(fired=(1, 8), looked=(19, 9))
        Rates(tpr=0.85, fpr=0.075)
        """
        # Half a result each way: a rate of 0 or 1 would decide regardless of other signals.
        fpr, tpr = ((f + 0.5) / (n + 1) for f, n in zip(fired, looked, strict=True))
        return cls(tpr, fpr)

    def fired_odds(self, score: float) -> float:
        """
        Compute the log-odds of firing: log(tpr / fpr) times the score, never below 0.

        Args:
            score: Strength with which it fired, in [0, 1].
        """
        return score * max(0.0, log(self.tpr / self.fpr))

    @property
    def silent_odds(self) -> float:
        """The log-odds of silence: log((1 - tpr) / (1 - fpr)), never above 0."""
        return min(0.0, log((1 - self.tpr) / (1 - self.fpr)))


class Calibrated:
    """
    Naive Bayes over groups, with rates counted on labelled results.

    A group counts by its strongest score; at score 1 it adds the counted likelihood ratio.
    Evidence has one direction, even with few labels: a fired signal never speaks for a result,
    and silence never against it.

    Args:
        groups: The rates of each group of signals, by its name.
    """

    def __init__(self, groups: Mapping[str, Rates]) -> None:
        self.groups = dict(groups)
        self._silent = {group: rates.silent_odds for group, rates in groups.items()}

    def odds(self, prior_odds: float, looked: Looked) -> float:
        """
        Add the log-odds of each group that looked: fired with its score, or silent.

        Args:
            prior_odds: The log-odds before any signal.
            looked: The signals that ran, with their scores.
        """
        strongest: dict[str, float] = {}
        for name, signal in looked:
            group = GROUP[name]
            strongest[group] = max(signal.score * signal.fired, strongest.get(group, 0.0))
        return prior_odds + sum(
            self.groups[group].fired_odds(score) if score else self._silent[group]
            for group, score in strongest.items()
            if group in self._silent
        )
