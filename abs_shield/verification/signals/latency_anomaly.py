"""The call returned faster, or later, than a real one can."""

from __future__ import annotations

from math import sqrt

from abs_shield.core.finding import Unavailable
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_context import SignalContext
from abs_shield.verification.signal_reading import SILENT, SignalReading

FLOOR_MS = 2.0
"""Minimum latency of a network call."""
_NEAR_THE_FLOOR = 0.05
"""A network call that takes just below 2 ms is judged as one that takes 2 ms."""
_LEAST_SCORE = 0.3  # reached at 9 % below the declared minimum; a smaller gap may be chance
_LATE = 0.1  # too low to flag a result alone: slow networks are common
_UNDECLARED = 0.02
"""Score for a tool without a profile, far below a flag."""


def latency_anomaly(view: ResultView, context: SignalContext) -> SignalReading | Unavailable:
    """A weather service on the other side of the world answers within 0.05 ms."""
    least, most = view.expected_ms
    ms = view.latency_ms
    if least <= ms <= most and (ms >= FLOOR_MS or not view.judges_latency):
        return SILENT
    if not view.judges_latency:
        return SignalReading(
            _UNDECLARED, "outside of the usual range; no latency of this tool is declared"
        )
    if ms > most:
        return SignalReading(_LATE, "slower than declared")
    score = sqrt(1 - ms / least) if ms < least else 0.0
    below = SignalReading(score, "faster than declared") if score >= _LEAST_SCORE else SILENT
    profile = view.profile
    if profile is None or not profile.has_network_io or ms >= FLOOR_MS:
        return below
    # Network access is only assumed here, and the declared minimum is below 2 ms: maybe local.
    if ms >= least and "has_network_io" not in profile.model_fields_set:
        return below
    instant = 1 - ms / FLOOR_MS
    if instant < score * _NEAR_THE_FLOOR:
        return below
    return SignalReading(instant, "faster than any network", likelihood_ratio=context.sub_floor_lr)
