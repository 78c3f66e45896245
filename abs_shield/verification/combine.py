"""From what the signals read to one probability: log-odds, in which evidence adds up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple, Protocol

from abs_shield.verification.signals import SIGNALS
from abs_shield.verification.verification_result import SignalResult

_LEAST_SILENT = 0.5
"""The silence of no signal more than halves the odds."""
GROUP = {signal.name: signal.group for signal in SIGNALS}

Looked = Sequence[tuple[str, SignalResult]]
"""The signals that looked, by name."""


class Combiner(Protocol):
    """Adds what the signals read to the log-odds of the prior."""

    def odds(self, prior_odds: float, looked: Looked) -> float:
        """Return the log-odds after what *looked*; of one group, one fact counts once."""


def fired_odds(likelihood_ratio: float, score: float) -> float:
    """
    Return what a fired signal adds; it grows with its score, from nothing.

    Source: effective_lr = 1 + (likelihood_ratio - 1) * score.
    """
    return log(1.0 + (likelihood_ratio - 1.0) * score)


def silent_odds(likelihood_ratio: float) -> float:
    """
    Return what a silent signal adds: below 0, and never less than log(0.5).

    Source: absent_lr = 1 / max(likelihood_ratio * 0.1, 1.01).
    """
    return log(max(1.0 / max(likelihood_ratio * 0.1, 1.01), _LEAST_SILENT))


class Literature:
    """The seed's combiner: likelihood ratios that literature gives, weighed by score."""

    def __init__(self, ratios: Mapping[str, float]) -> None:
        self.ratios = dict(ratios)
        self._silent = {name: silent_odds(ratio) for name, ratio in ratios.items()}

    def odds(self, prior_odds: float, looked: Looked) -> float:
        """Add every silence; of a group in which something fired, only the strongest."""
        strongest: dict[str, float] = {}
        for name, signal in looked:
            if signal.fired:
                group, added = GROUP[name], fired_odds(signal.likelihood_ratio, signal.score)
                strongest[group] = max(added, strongest.get(group, added))
        silent = self._silent
        for name, signal in looked:
            if not signal.fired and (not strongest or GROUP[name] not in strongest):
                prior_odds += silent[name]
        return prior_odds + sum(strongest.values())


class Rates(NamedTuple):
    """
    How often something fires, counted on labelled results and smoothed by half a result each way.

    Attributes:
        tpr: Share of the hallucinated ones in which it fires, above 0 and below 1.
        fpr: Share of the real ones in which it fires, above 0 and below 1.
    """

    tpr: float
    fpr: float

    @classmethod
    def counted(cls, *, fired: tuple[int, int], looked: tuple[int, int]) -> Rates:
        """
        Return the rates of counts, each a pair (real, hallucinated).

        >>> Rates.counted(fired=(1, 8), looked=(19, 9))
        Rates(tpr=0.85, fpr=0.075)
        """
        fpr, tpr = ((f + 0.5) / (n + 1) for f, n in zip(fired, looked, strict=True))
        return cls(tpr, fpr)

    def fired_odds(self, score: float) -> float:
        """Return what it adds where it fires: log(tpr / fpr) times its score, and never below 0."""
        return score * max(0.0, log(self.tpr / self.fpr))

    @property
    def silent_odds(self) -> float:
        """Return what it adds where it is silent: log((1 - tpr) / (1 - fpr)), and never above 0."""
        return min(0.0, log((1 - self.tpr) / (1 - self.fpr)))


class Calibrated:
    """
    Naive Bayes over groups, with rates that were counted on labelled results.

    What fires counts by the strongest score of its group; at score 1 it is the likelihood ratio
    that was counted. Evidence has one direction, whatever few labels say: what fires never speaks
    for a result, and silence never against it.
    """

    def __init__(self, groups: Mapping[str, Rates]) -> None:
        self.groups = dict(groups)
        self._silent = {group: rates.silent_odds for group, rates in groups.items()}

    def odds(self, prior_odds: float, looked: Looked) -> float:
        """Add what each group says that looked: it fired, as strongly as it did, or was silent."""
        strongest: dict[str, float] = {}
        for name, signal in looked:
            group = GROUP[name]
            strongest[group] = max(signal.score * signal.fired, strongest.get(group, 0.0))
        return prior_odds + sum(
            self.groups[group].fired_odds(score) if score else self._silent[group]
            for group, score in strongest.items()
            if group in self._silent
        )
