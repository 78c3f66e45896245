"""Combination of the signals to one probability, and its calibration on labelled results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple, Protocol

from abs_shield.errors import ShieldError
from abs_shield.stats.probabilities import brier, expected_calibration_error, log_odds, probability
from abs_shield.text.safe_display import shown
from abs_shield.verification.signals import SIGNALS
from abs_shield.verification.verification_result import SignalResult, VerificationResult

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


_FOLDS = 5  # the usual number; with the fewest labels, each fold has four of each kind
_LEAST = 20
"""Minimum number of labels of each kind; the rates of fewer are mostly chance."""

Example = tuple[Mapping[str, SignalResult], bool]
"""The signals that ran, and whether the result was hallucinated."""


@dataclass(frozen=True, kw_only=True)
class SignalCalibration:
    """
    Rates of the signals on labelled results.

    Attributes:
        prior: Smoothed share of hallucinated results; valid for a fair sample.
        signals: Rates by signal, for signals that ran at least once.
        groups: Rates by evidence group, which are combined.
        labels: Number of results.
        brier: Mean squared error of the probability, cross-validated.
        ece: Expected calibration error of the same, in [0, 1].
    """

    prior: float
    signals: Mapping[str, Rates]
    groups: Mapping[str, Rates]
    labels: int
    brier: float
    ece: float


def calibration_of(labelled: Iterable[tuple[Any, bool]]) -> SignalCalibration:
    """
    Compute a calibration from labelled results.

    Its Brier score and calibration error are cross-validated in five folds.

    Args:
        labelled: Pairs of a `VerificationResult`, or of a mapping of signal to whether it fired,
            and whether the result was hallucinated.

    Raises:
        ShieldError: There are fewer than 20 of either kind, or an entry has another shape.
    """
    examples = [_example(entry) for entry in labelled]
    wrong = sum(hallucinated for _, hallucinated in examples)
    if wrong < _LEAST or len(examples) - wrong < _LEAST:
        raise ShieldError(
            f"calibrate: got {wrong} hallucinated and {len(examples) - wrong} real results;"
            f" label at least {_LEAST} of each"
        )
    predictions = [
        (p, hallucinated)
        for fold in range(_FOLDS)
        for p, hallucinated in _predict_held_out(examples, fold)
    ]
    prior, groups = _count_rates(examples, GROUP)
    names = {name: name for name in GROUP}
    return SignalCalibration(
        prior=prior,
        signals=_count_rates(examples, names)[1],
        groups=groups,
        labels=len(examples),
        brier=brier(predictions),
        ece=expected_calibration_error(predictions),
    )


def _predict_held_out(examples: Sequence[Example], fold: int) -> list[tuple[float, bool]]:
    prior, groups = _count_rates([e for n, e in enumerate(examples) if n % _FOLDS != fold], GROUP)
    combiner = Calibrated(groups)
    return [
        (probability(combiner.odds(log_odds(prior), list(read.items()))), hallucinated)
        for read, hallucinated in examples[fold::_FOLDS]
    ]


def _count_rates(
    examples: Sequence[Example], unit: Mapping[str, str]
) -> tuple[float, dict[str, Rates]]:
    """Return the prior and the rates by *unit*: of each signal, or of its group."""
    looked: dict[str, list[int]] = {}
    fired: dict[str, list[int]] = {}
    wrong = 0
    for read, hallucinated in examples:
        wrong += hallucinated
        for name in {unit[signal] for signal in read}:
            looked.setdefault(name, [0, 0])[hallucinated] += 1
        for name in {unit[signal] for signal, signal_result in read.items() if signal_result.fired}:
            fired.setdefault(name, [0, 0])[hallucinated] += 1
    rates = {}
    for name, (real, unreal) in looked.items():
        hits = fired.get(name, [0, 0])
        rates[name] = Rates.counted(fired=(hits[0], hits[1]), looked=(real, unreal))
    return (wrong + 0.5) / (len(examples) + 1), rates


def _example(entry: Any) -> Example:
    try:
        signals, hallucinated = entry
    except (TypeError, ValueError):
        raise _unreadable(entry) from None
    if not isinstance(hallucinated, (bool, int)):
        raise _unreadable(entry)
    if isinstance(signals, VerificationResult):
        read = {name: signal for name, signal in signals.signals.items() if not signal.unavailable}
        return read, bool(hallucinated)
    if not isinstance(signals, Mapping):
        raise _unreadable(entry)
    for name, fired in signals.items():
        if name not in GROUP or not isinstance(fired, bool):
            raise _unreadable(entry)
    read = {name: SignalResult(fired, float(fired), 1.0) for name, fired in signals.items()}
    return read, bool(hallucinated)


def _unreadable(entry: Any) -> ShieldError:
    return ShieldError(
        f"calibrate: {shown(entry)} is not a labelled result; give pairs of a `VerificationResult`,"
        " or of a mapping of signal to whether it fired, and whether it was hallucinated"
    )
