"""Runs the signals and computes P(hallucination) from their readings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from abs_shield.core.finding import Unavailable
from abs_shield.stats.probabilities import log_odds, probability
from abs_shield.verification.adaptive_thresholds import Thresholds
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_combination import (
    Calibrated,
    Combiner,
    Literature,
    SignalCalibration,
)
from abs_shield.verification.signal_reading import SILENT, SignalContext, SignalReading
from abs_shield.verification.signals import CONSTANT_READINGS, SIGNALS, schema_mismatch
from abs_shield.verification.verification_result import SignalResult, VerificationTier

RATIOS: Mapping[str, float] = {signal.name: signal.likelihood_ratio for signal in SIGNALS}
_NOT_REACHED = "not evaluated: tier 0 blocked the result"
_FIRST = [s.name for s in SIGNALS if s.tier is VerificationTier.TIER_0]
# These compare with earlier results; they are not needed if tier 0 blocks.
_LATER = frozenset(RATIOS) - {*_FIRST}
_OF_OTHERS = _LATER - {"session_inconsistency"}
"""Signals that compare with results of other sessions."""
_NO_DATA = Unavailable("the result is not readable data")
_NO_PAST = SignalContext({})
_MOST_CACHED = 1_000  # entries, after which the cache is cleared

Signals = dict[str, SignalResult]
Suppressed = Callable[[str, SignalResult], bool]
"""Returns whether a signal that fired is a known false alarm."""


class Weighed(NamedTuple):
    """
    The signals of one result.

    Attributes:
        signals: Every signal by name; those of a tier that was not reached are unavailable.
        posterior: P(hallucination) after them.
        tier: The highest tier that was evaluated.
        readings: The readings of the signals.
    """

    signals: Signals
    posterior: float
    tier: VerificationTier = VerificationTier.TIER_1
    readings: Sequence[Any] = ()

    @property
    def is_unlike(self) -> bool:
        """True if the result differs from earlier ones: a signal of tier 1 fired."""
        return any(self.signals[name].fired for name in _LATER)


class Weigher:
    """
    Weights of the signals, by likelihood ratios or by a calibration.

    Attributes:
        ratios: Likelihood ratio by signal.
        calibration: The calibration; None if the ratios apply.
    """

    def __init__(
        self, ratios: Mapping[str, float] = RATIOS, calibration: SignalCalibration | None = None
    ) -> None:
        self.ratios = {name: ratios[name] for name in RATIOS}
        self.calibration = calibration
        self._combiner: Combiner = (
            Literature(ratios) if calibration is None else Calibrated(calibration.groups)
        )
        self._judges = [signal.judge for signal in SIGNALS]
        # An unreadable result still has a duration.
        self._blind = [_no_data if signal.reads else signal.judge for signal in SIGNALS]
        self._cached: dict[tuple[float | int, ...], Weighed] = {}

    def weigh(
        self,
        view: ResultView,
        context: SignalContext,
        limits: Thresholds,
        suppressed: Suppressed | None,
    ) -> Weighed:
        """
        Compute P(hallucination) of one result.

        Most readings are a few constants, so their combination is cached.

        Args:
            view: The result.
            context: Its comparisons with earlier results.
            limits: The limits of its tool.
            suppressed: Returns whether a signal that fired is a known false alarm; None if none is.
        """
        readings = [
            judge(view, context) for judge in (self._judges if view.readable else self._blind)
        ]
        prior = limits.prior
        # A suppression depends on more than the readings.
        place = (prior, limits.blocks_from, suppressed is None, *map(id, readings))
        cached = self._cached.get(place)
        if cached is not None:
            return cached
        weighed = self._weigh(readings, limits, suppressed)
        fired = [reading for reading in readings if _fires(reading)]
        if not fired or (suppressed is None and all(map(_is_constant, fired))):
            if len(self._cached) >= _MOST_CACHED:
                self._cached.clear()
            # Holds the readings, so that their ids stay unique.
            self._cached[place] = weighed._replace(readings=readings)
        return weighed

    def _weigh(
        self, readings: Sequence[Any], limits: Thresholds, suppressed: Suppressed | None
    ) -> Weighed:
        prior, ratios = limits.prior, self.ratios
        signals = {
            name: _signal(reading, ratios[name])
            for name, reading in zip(ratios, readings, strict=True)
        }
        first = {name: signals[name] for name in _FIRST}
        # Silence only lowers the prior: if the prior does not block, silence does not either.
        if prior >= limits.blocks_from or any(signal.fired for signal in first.values()):
            posterior = self._posterior(prior, first, suppressed)
            if posterior >= limits.blocks_from:
                later = {name: _unavailable(ratios[name], _NOT_REACHED) for name in _LATER}
                return Weighed(signals | later, posterior, VerificationTier.TIER_0)
        return Weighed(signals, self._posterior(prior, signals, suppressed), readings=readings)

    def unavailable(self, reason: str) -> Signals:
        """Return all signals as unavailable for *reason*."""
        return {name: _unavailable(ratio, reason) for name, ratio in self.ratios.items()}

    def _posterior(self, prior: float, signals: Signals, suppressed: Suppressed | None) -> float:
        looked = [item for item in signals.items() if not item[1].unavailable]
        if suppressed is not None:
            looked = [one for one in looked if not (one[1].fired and suppressed(*one))]
        return probability(self._combiner.odds(log_odds(prior), looked))

    def without_others(
        self, prior: float, signals: Signals, view: ResultView, suppressed: Suppressed | None
    ) -> float:
        """Compute P(hallucination) without signals that depend on other sessions' results."""
        own = {n: s for n, s in signals.items() if not (s.fired and n in _OF_OTHERS)}
        alone = schema_mismatch(view, _NO_PAST)
        if alone is SILENT or isinstance(alone, Unavailable):  # only others' results differ
            own.pop("schema_mismatch", None)
        return self._posterior(prior, own, suppressed)


def verdict_of(posterior: float, limits: Thresholds) -> Literal["accept", "flag", "block"]:
    """Return "accept" below the accept threshold, "block" from the block threshold, else "flag"."""
    if posterior < limits.accepts_below:
        return "accept"
    return "flag" if posterior < limits.blocks_from else "block"


def _no_data(view: ResultView, context: SignalContext) -> Unavailable:
    return _NO_DATA


def _fires(reading: SignalReading | Unavailable) -> bool:
    return reading is not SILENT and not isinstance(reading, Unavailable)


def _is_constant(reading: SignalReading | Unavailable) -> bool:
    return any(reading is constant for constant in CONSTANT_READINGS)


def _signal(reading: SignalReading | Unavailable, ratio: float) -> SignalResult:
    if isinstance(reading, Unavailable):
        return _unavailable(ratio, reading.reason)
    if reading is SILENT:
        return SignalResult(False, 0.0, ratio)
    score, detail, where, own = reading
    return SignalResult(True, score, ratio if own is None else own, detail, "", where)


@lru_cache(maxsize=256)
def _unavailable(ratio: float, reason: str) -> SignalResult:
    return SignalResult(False, 0.0, ratio, unavailable=reason)
