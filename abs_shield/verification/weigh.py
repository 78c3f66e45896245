"""Runs the signals, and computes P(hallucination) from what they read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from abs_shield.core.finding import Unavailable
from abs_shield.stats.logodds import log_odds, probability
from abs_shield.verification.combine import Calibrated, Combiner, Literature
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_calibration import Calibration
from abs_shield.verification.signal_context import Past
from abs_shield.verification.signal_reading import SILENT, Reading
from abs_shield.verification.signals import SIGNALS
from abs_shield.verification.signals.schema_mismatch import schema_mismatch
from abs_shield.verification.thresholds import Thresholds
from abs_shield.verification.verification_result import SignalResult, VerificationTier

RATIOS: Mapping[str, float] = {signal.name: signal.likelihood_ratio for signal in SIGNALS}
_NOT_REACHED = "tier 0 blocked already"
_FIRST = [s.name for s in SIGNALS if s.tier is VerificationTier.TIER_0]
_LATER = frozenset(RATIOS) - {*_FIRST}
_OF_OTHERS = _LATER - {"session_inconsistency"}
"""Signals that compare with results which may have come in other sessions."""
_NO_DATA = Unavailable("the result is no data that can be read")
_NO_PAST = Past({})
_MOST_QUIET = 1_000

Signals = dict[str, SignalResult]
Suppressed = Callable[[str, SignalResult], bool]
"""Returns whether a signal that fired is a known false alarm."""


class Weighed(NamedTuple):
    """
    The signals of one result.

    Attributes:
        signals: Every signal by name; those of a tier that was not reached say so.
        posterior: P(hallucination) after them.
        tier: The highest tier that was evaluated.
        readings: What the signals read.
    """

    signals: Signals
    posterior: float
    tier: VerificationTier = VerificationTier.TIER_1
    readings: Sequence[Any] = ()

    @property
    def is_unlike(self) -> bool:
        """True if the result is unlike what came before: a signal of tier 1 fired."""
        return any(self.signals[name].fired for name in _LATER)


class Weigher:
    """
    One way to weigh the signals: by likelihood ratios, or by what labels taught.

    Attributes:
        ratios: Likelihood ratio by signal.
        calibration: What labels taught; None where nothing did, and the ratios hold.
    """

    def __init__(
        self, ratios: Mapping[str, float] = RATIOS, calibration: Calibration | None = None
    ) -> None:
        self.ratios = {name: ratios[name] for name in RATIOS}
        self.calibration = calibration
        self._combiner: Combiner = (
            Literature(ratios) if calibration is None else Calibrated(calibration.groups)
        )
        self._judges = [signal.judge for signal in SIGNALS]
        self._blind = [_no_data if signal.reads else signal.judge for signal in SIGNALS]
        self._quiet: dict[tuple[float | int, ...], Weighed] = {}

    def weigh(
        self, view: ResultView, past: Past, limits: Thresholds, suppressed: Suppressed | None
    ) -> Weighed:
        """
        Compute P(hallucination) of one result.

        What signals read where none fires is one of a few constants: it is weighed once.

        Args:
            seen: The result.
            past: What came before it.
            limits: The limits of its tool.
            suppressed: Returns whether a signal that fired is a known false alarm; None if none is.
        """
        readings = [judge(view, past) for judge in (self._judges if view.readable else self._blind)]
        prior = limits.prior
        if prior >= limits.blocks_from:
            return self._weighed(readings, limits, suppressed)
        place = (prior, *map(id, readings))
        cached = self._quiet.get(place)
        if cached is not None:
            return cached
        weighed = self._weighed(readings, limits, suppressed)
        if not any(signal.fired for signal in weighed.signals.values()):
            if len(self._quiet) >= _MOST_QUIET:
                self._quiet.clear()
            self._quiet[place] = weighed  # with the readings, whose ids stay theirs
        return weighed

    def _weighed(
        self, readings: Sequence[Any], limits: Thresholds, suppressed: Suppressed | None
    ) -> Weighed:
        prior, ratios = limits.prior, self.ratios
        signals = {
            name: _signal(reading, ratios[name])
            for name, reading in zip(ratios, readings, strict=True)
        }
        first = {name: signals[name] for name in _FIRST}
        # where the prior does not block, neither does silence, which only lowers it
        if prior >= limits.blocks_from or any(signal.fired for signal in first.values()):
            posterior = self._posterior(prior, first, suppressed)
            if posterior >= limits.blocks_from:
                later = {name: _unavailable(ratios[name], _NOT_REACHED) for name in _LATER}
                return Weighed(signals | later, posterior, VerificationTier.TIER_0)
        return Weighed(signals, self._posterior(prior, signals, suppressed), readings=readings)

    def unavailable(self, reason: str) -> Signals:
        """Return the signals of a result of which none could be read, and why."""
        return {name: _unavailable(ratio, reason) for name, ratio in self.ratios.items()}

    def _posterior(self, prior: float, signals: Signals, suppressed: Suppressed | None) -> float:
        looked = [item for item in signals.items() if not item[1].unavailable]
        if suppressed is not None:
            looked = [one for one in looked if not (one[1].fired and suppressed(*one))]
        return probability(self._combiner.odds(log_odds(prior), looked))

    def without_others(
        self, prior: float, signals: Signals, view: ResultView, suppressed: Suppressed | None
    ) -> float:
        """Compute P(hallucination) without what only a tool's results of before can say."""
        own = {n: s for n, s in signals.items() if not (s.fired and n in _OF_OTHERS)}
        alone = schema_mismatch(view, _NO_PAST)
        if alone is SILENT or isinstance(alone, Unavailable):  # only others' results differ
            own.pop("schema_mismatch", None)
        return self._posterior(prior, own, suppressed)


def verdict_of(posterior: float, limits: Thresholds) -> Literal["accept", "flag", "block"]:
    """Return ``"accept"`` below the one limit, ``"block"`` from the other on, else ``"flag"``."""
    if posterior < limits.accepts_below:
        return "accept"
    return "flag" if posterior < limits.blocks_from else "block"


def _no_data(view: ResultView, past: Past) -> Unavailable:
    return _NO_DATA


def _signal(reading: Reading | Unavailable, ratio: float) -> SignalResult:
    if isinstance(reading, Unavailable):
        return _unavailable(ratio, reading.reason)
    if reading is SILENT:
        return SignalResult(False, 0.0, ratio)
    score, detail, where, own = reading
    return SignalResult(True, score, ratio if own is None else own, detail, "", where)


@lru_cache(maxsize=256)
def _unavailable(ratio: float, reason: str) -> SignalResult:
    return SignalResult(False, 0.0, ratio, unavailable=reason)
