"""Calibration of the signals on labelled results, with its quality."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.stats.probabilities import brier, expected_calibration_error, log_odds, probability
from abs_shield.text.safe_display import shown
from abs_shield.verification.combine import GROUP, Calibrated, Rates
from abs_shield.verification.verification_result import SignalResult, VerificationResult

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
