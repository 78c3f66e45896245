"""From what the signals read to one probability: log-odds, in which evidence adds up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple, Protocol

from abs_shield.verification.record import SignalResult
from abs_shield.verification.signals import SIGNALS

_LEAST_SILENT = 0.5
"""The silence of no signal more than halves the odds."""
GROUP = {signal.name: signal.group for signal in SIGNALS}

Heard = Sequence[tuple[str, SignalResult]]
"""The signals that looked, by name."""


class Combiner(Protocol):
    """Adds what the signals read to the log-odds of the prior."""

    def odds(self, prior_odds: float, heard: Heard) -> float:
        """Give the log-odds after *heard*; of one group, one fact counts once."""


def fired_odds(likelihood_ratio: float, score: float) -> float:
    """
    Give what a fired signal adds; it grows with its score, from nothing.

    Source: effective_lr = 1 + (likelihood_ratio - 1) * score.
    """
    return log(1.0 + (likelihood_ratio - 1.0) * score)


def silent_odds(likelihood_ratio: float) -> float:
    """
    Give what a silent signal adds: below 0, and never less than log(0.5).

    Source: absent_lr = 1 / max(likelihood_ratio * 0.1, 1.01).
    """
    return log(max(1.0 / max(likelihood_ratio * 0.1, 1.01), _LEAST_SILENT))


class Literature:
    """The seed's combiner: likelihood ratios that literature gives, weighed by score."""

    def __init__(self, ratios: Mapping[str, float]) -> None:
        self.ratios = dict(ratios)
        self._silent = {name: silent_odds(ratio) for name, ratio in ratios.items()}

    def odds(self, prior_odds: float, heard: Heard) -> float:
        """Add every silence; of a group in which something fired, only the strongest."""
        strongest: dict[str, float] = {}
        for name, signal in heard:
            if signal.fired:
                group, added = GROUP[name], fired_odds(signal.likelihood_ratio, signal.score)
                strongest[group] = max(added, strongest.get(group, added))
        silent = self._silent
        for name, signal in heard:
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
        Give the rates of counts, each a pair (real, hallucinated).

        >>> Rates.counted(fired=(1, 8), looked=(19, 9))
        Rates(tpr=0.85, fpr=0.075)
        """
        fpr, tpr = ((f + 0.5) / (n + 1) for f, n in zip(fired, looked, strict=True))
        return cls(tpr, fpr)

    def odds(self, fired: bool) -> float:
        """Give what it adds: log(tpr / fpr), or log((1 - tpr) / (1 - fpr)) where it is silent."""
        if fired:
            return log(self.tpr / self.fpr)
        return log((1 - self.tpr) / (1 - self.fpr))


class Calibrated:
    """Naive Bayes over groups, with rates that were counted on labelled results."""

    def __init__(self, groups: Mapping[str, Rates]) -> None:
        self.groups = dict(groups)
        self._odds = {group: (r.odds(False), r.odds(True)) for group, r in groups.items()}

    def odds(self, prior_odds: float, heard: Heard) -> float:
        """Add what each group says that looked: it fired, or it was silent."""
        said: dict[str, bool] = {}
        for name, signal in heard:
            group = GROUP[name]
            said[group] = signal.fired or said.get(group, False)
        known = self._odds
        return prior_odds + sum(
            known[group][fired] for group, fired in said.items() if group in known
        )
