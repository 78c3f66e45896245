"""Runs the signals of a tier, and turns what they read into a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Literal

from abs_shield.core.finding import Unavailable
from abs_shield.stats.logodds import log_odds, probability
from abs_shield.verification.calibration import Calibration
from abs_shield.verification.combine import Calibrated, Combiner, Literature
from abs_shield.verification.past import Past
from abs_shield.verification.reading import SILENT, Reading
from abs_shield.verification.record import SignalResult, VerificationResult, VerificationTier
from abs_shield.verification.seen import Seen
from abs_shield.verification.signals import SIGNALS
from abs_shield.verification.signals.schema_mismatch import schema_mismatch
from abs_shield.verification.thresholds import Thresholds

RATIOS: Mapping[str, float] = {signal.name: signal.likelihood_ratio for signal in SIGNALS}
_NOT_REACHED = "tier 0 blocked already"
_LATER = frozenset(s.name for s in SIGNALS if s.tier is VerificationTier.TIER_1)
_OF_OTHERS = _LATER - {"session_inconsistency"}
"""Signals that compare with results which may have come in other sessions."""
_NO_DATA = Unavailable("the result is no data that can be read")
_NO_PAST = Past({})
_MOST_KNOWN = 1_000


_0, _1 = VerificationTier.TIER_0, VerificationTier.TIER_1
_Row = tuple[Any, tuple[str, float, int]]
"""A signal's function; its name, its ratio, and its bit."""


Suppressed = Callable[[str, SignalResult], bool]


class Heard:
    """
    What the signals of one result said so far.

    Attributes:
        signals: Each signal that was asked, by name.
        loud: A bit for each that was not silent: it fired, or could not look.
        fired: Whether any fired.
        suppressed: Says of a signal that fired whether it is a known false alarm; None of no such.
    """

    __slots__ = ("fired", "loud", "signals", "suppressed")

    @property
    def is_unlike(self) -> bool:
        """Whether it is unlike what came before: a signal of tier 1 fired."""
        return any(signal.fired and name in _LATER for name, signal in self.signals.items())

    def __init__(self, suppressed: Suppressed | None = None) -> None:
        self.suppressed = suppressed
        self.signals: dict[str, SignalResult] = {}
        self.loud = 0
        self.fired = False


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
        self.ratios = dict(ratios)
        self.calibration = calibration
        self._combiner: Combiner = (
            Literature(ratios) if calibration is None else Calibrated(calibration.groups)
        )
        self._silent: dict[tuple[float, int, int], float] = {}
        self._rows: tuple[list[_Row], list[_Row]] = ([], [])
        self._blind: tuple[list[_Row], list[_Row]] = ([], [])
        self._silence: tuple[dict[str, SignalResult], dict[str, SignalResult]] = ({}, {})
        for place, signal in enumerate(SIGNALS):
            name, ratio = signal.name, ratios[signal.name]
            row = (name, ratio, 1 << place)
            self._rows[signal.tier].append((signal.judge, row))
            self._blind[signal.tier].append((_no_data if signal.reads else signal.judge, row))
            self._silence[signal.tier][name] = SignalResult(False, 0.0, ratio)

    def listen(self, tier: VerificationTier, seen: Seen, past: Past, heard: Heard) -> None:
        """Add what each signal of a tier read to what was *heard*."""
        signals = heard.signals
        signals.update(self._silence[tier])
        for judge, row in (self._rows if seen.readable else self._blind)[tier]:
            reading = judge(seen, past)
            if reading is SILENT:
                continue
            name, ratio, bit = row
            heard.loud |= bit
            if type(reading) is Reading:
                score, detail, where, own = reading
                ratio = ratio if own is None else own
                signals[name] = SignalResult(True, score, ratio, detail, "", where)
                heard.fired = True
            elif isinstance(reading, Unavailable):
                signals[name] = _unavailable(ratio, reading.reason)

    def pass_over(self, reason: str, heard: Heard) -> None:
        """Let every signal say that it could not look, and why."""
        for name, ratio in self.ratios.items():
            heard.signals[name] = _unavailable(ratio, reason)

    def posterior(self, prior: float, heard: Heard) -> float:
        """Give P(hallucination) after what was *heard*."""
        if heard.fired:
            return probability(self._odds(log_odds(prior), heard))
        heard_of = (prior, len(heard.signals), heard.loud)
        known = self._silent.get(heard_of)
        if known is None:
            if len(self._silent) >= _MOST_KNOWN:
                self._silent.clear()
            known = probability(self._odds(log_odds(prior), heard))
            self._silent[heard_of] = known
        return known

    def _odds(self, prior_odds: float, heard: Heard) -> float:
        looked = [item for item in heard.signals.items() if not item[1].unavailable]
        if (suppressed := heard.suppressed) is not None:
            looked = [one for one in looked if not (one[1].fired and suppressed(*one))]
        return self._combiner.odds(prior_odds, looked)

    def without_others(self, prior: float, heard: Heard, seen: Seen) -> float:
        """Give P(hallucination) without what only a tool's results of before can say."""
        own = Heard(heard.suppressed)
        own.signals = {n: s for n, s in heard.signals.items() if not (s.fired and n in _OF_OTHERS)}
        alone = schema_mismatch(seen, _NO_PAST)
        if alone is SILENT or isinstance(alone, Unavailable):  # only others' results differ
            own.signals.pop("schema_mismatch", None)
        own.fired = True
        return self.posterior(prior, own)

    def result(
        self, limits: Thresholds, posterior: float, heard: Heard, ident: str
    ) -> VerificationResult:
        """Give the verdict on *posterior*; signals that were not reached say so."""
        signals = heard.signals
        tier = _1 if len(signals) == len(SIGNALS) else _0
        if tier is _0:
            for _, (name, ratio, _) in self._rows[_1]:
                signals[name] = _unavailable(ratio, _NOT_REACHED)
        verdict = verdict_of(posterior, limits)
        return VerificationResult.of(
            {
                "verdict": verdict,
                "confidence": round(posterior, 3),
                "signals": signals,
                "tier_reached": tier,
                "prior": limits.prior,
                "posterior": posterior,
                "_id": ident,
            }
        )


def verdict_of(posterior: float, limits: Thresholds) -> Literal["accept", "flag", "block"]:
    """Give ``"accept"`` below the one limit, ``"block"`` from the other on, else ``"flag"``."""
    if posterior < limits.accepts_below:
        return "accept"
    return "flag" if posterior < limits.blocks_from else "block"


def _no_data(seen: Seen, past: Past) -> Unavailable:
    return _NO_DATA


@lru_cache(maxsize=256)
def _unavailable(ratio: float, reason: str) -> SignalResult:
    return SignalResult(False, 0.0, ratio, unavailable=reason)
