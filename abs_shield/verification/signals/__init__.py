"""The eight signals of a hallucinated result, in one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from abs_shield.core.finding import Unavailable
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_context import SignalContext
from abs_shield.verification.signal_reading import SignalReading
from abs_shield.verification.signals.historical_inconsistency import historical_inconsistency
from abs_shield.verification.signals.latency_anomaly import latency_anomaly
from abs_shield.verification.signals.length_anomaly import length_anomaly
from abs_shield.verification.signals.pattern_mismatch import pattern_mismatch
from abs_shield.verification.signals.schema_mismatch import schema_mismatch
from abs_shield.verification.signals.session_inconsistency import session_inconsistency
from abs_shield.verification.signals.spc_anomaly import spc_anomaly
from abs_shield.verification.signals.value_plausibility import value_plausibility
from abs_shield.verification.verification_result import VerificationTier


class Signal(NamedTuple):
    """
    One row of the table.

    Attributes:
        judge: Returns its reading of one result and its context.
        tier: 0 if it needs the result alone, 1 if it needs earlier results.
        likelihood_ratio: P(fires | hallucination) / P(fires | real), at score 1.
        group: Signals of one group measure the same fact; only the strongest counts.
        reads: Whether it reads the result itself, which may be unreadable.
    """

    judge: Callable[[ResultView, SignalContext], SignalReading | Unavailable]
    tier: VerificationTier
    likelihood_ratio: float
    group: str
    reads: bool = True

    @property
    def name(self) -> str:
        """The signal's name, which is its function's."""
        return self.judge.__name__


_0, _1 = VerificationTier.TIER_0, VerificationTier.TIER_1

SIGNALS: tuple[Signal, ...] = (
    Signal(schema_mismatch, _0, 12.0, "schema"),
    Signal(pattern_mismatch, _0, 6.0, "pattern"),
    Signal(latency_anomaly, _0, 3.5, "latency", reads=False),
    Signal(length_anomaly, _0, 2.0, "length"),
    Signal(historical_inconsistency, _1, 4.5, "consistency"),
    Signal(session_inconsistency, _1, 4.0, "consistency"),
    Signal(spc_anomaly, _1, 3.0, "baseline"),
    Signal(value_plausibility, _1, 3.0, "baseline"),
)
"""The signals; their likelihood ratios are from literature, not calibrated on data."""
