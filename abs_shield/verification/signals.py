"""The eight signals of a hallucinated result, in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

from abs_shield.core.finding import Unavailable
from abs_shield.text.json_leaves import escape_step
from abs_shield.text.safe_display import escaped
from abs_shield.verification.result_shape import kind_of
from abs_shield.verification.result_view import ABSENT, ResultView, is_finite
from abs_shield.verification.signal_reading import SILENT, SignalContext, SignalReading
from abs_shield.verification.tool_baseline import Anomaly
from abs_shield.verification.verification_result import VerificationTier

_NO_SCHEMA = Unavailable("no fields are declared, and there are too few earlier results")
_SAME_SHAPE = Unavailable("no fields are declared, and the shape matches earlier results")
"""A hallucinated result may have the right shape, so a matching shape is not evidence for it."""


def schema_mismatch(view: ResultView, context: SignalContext) -> SignalReading | Unavailable:
    """The weather has a ``temperature``; this result has none, or ``"mild"`` after 50 numbers."""
    shape = context.shape
    if shape is not None and shape.score > 0:
        return SignalReading(shape.score, shape.detail, shape.where)
    profile = view.profile
    if profile is None or not (profile.required_fields or profile.forbidden_fields):
        return _NO_SCHEMA if shape is None else _SAME_SHAPE
    required, forbidden = profile.required_fields, profile.forbidden_fields
    wrong = []
    # Fast path: most results have all fields in their usual types.
    if len(view.kinds) < len(required) or view.kinds != context.kinds or not view.finite:
        wrong = list(_faults(view, required, context))
    for name in forbidden:
        if view.member(name) is not ABSENT:
            wrong.append((name, "is there"))
    if not wrong:
        return SILENT
    score = len(wrong) / (len(required) + len(forbidden))
    name, fault = wrong[0]
    more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    where = name if name.startswith("/") else f"/{escape_step(name)}"
    return SignalReading(score, f"`{escaped(name)}` {fault}{more}", where)


def _faults(
    view: ResultView, required: Iterable[str], context: SignalContext
) -> Iterator[tuple[str, str]]:
    nullable = view.profile.nullable_fields if view.profile is not None else ()
    for name in required:
        fault = _fault(view.member(name), context.kinds.get(name), nullable=name in nullable)
        if fault:
            yield name, fault


def _fault(value: object, usual: str | None, *, nullable: bool) -> str:
    if value is ABSENT:
        return "is missing"
    if value is None:
        return "" if nullable else "is null"
    if not is_finite(value):
        return "" if nullable else "is not a finite number"
    kind = kind_of(value) if usual is not None else ""
    return f"is of type {kind}, and was always {usual}" if kind != (usual or "") else ""


# With the default prior, P(hallucination) is 0.47: alone a flag, but not a block.
_SCORE = 0.8
# One object for each reason, because `Weigher` caches by the identity of readings.
_unavailable = lru_cache(maxsize=8)(Unavailable)
_NO_PATTERNS = Unavailable("no patterns are declared")


def pattern_mismatch(view: ResultView, context: SignalContext) -> SignalReading | Unavailable:
    """A search returns ``{"results": [``; this result is "I could not reach the server"."""
    patterns = () if view.profile is None else view.profile.response_patterns
    if not patterns:
        return _NO_PATTERNS
    matched = view.matched
    if isinstance(matched, str):
        return _unavailable(matched)
    return (
        SILENT if matched else SignalReading(_SCORE, f"none of {len(patterns)} patterns is found")
    )


FLOOR_MS = 2.0
"""Minimum latency of a network call."""
_NEAR_THE_FLOOR = 0.05
"""A network call that takes just below 2 ms is judged as one that takes 2 ms."""
_LEAST_SCORE = 0.3  # reached at 9 % below the declared minimum; a smaller gap may be chance
_LATE = 0.1  # too low to flag a result alone: slow networks are common
_UNDECLARED = 0.02
"""Score for a tool without a profile, far below a flag."""
_UNUSUAL = SignalReading(
    _UNDECLARED, "outside of the usual range; no latency of this tool is declared"
)
_SLOW = SignalReading(_LATE, "slower than declared")
CONSTANT_READINGS: tuple[SignalReading, ...] = (SILENT, _UNUSUAL, _SLOW)
"""Readings that are always the same object; `Weigher` caches by the identity of readings."""


def latency_anomaly(view: ResultView, context: SignalContext) -> SignalReading | Unavailable:
    """A weather service on the other side of the world answers within 0.05 ms."""
    least, most = view.expected_ms
    ms = view.latency_ms
    if least <= ms <= most and (ms >= FLOOR_MS or not view.judges_latency):
        return SILENT
    if not view.judges_latency:
        return _UNUSUAL
    if ms > most:
        return _SLOW
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


_LONG = 0.2  # too low to flag a result alone
_SHORT = 0.5  # for an empty result: with the default limits, just enough for a flag alone
_NO_LENGTHS = Unavailable("no lengths are declared")


def length_anomaly(view: ResultView, context: SignalContext) -> SignalReading | Unavailable:
    """A search that always returns a full page returns ``{}``."""
    profile = view.profile
    if profile is None:
        return _NO_LENGTHS
    least, most = profile.min_response_length, profile.max_response_length
    if least is None and most is None:
        return _NO_LENGTHS
    text = view.text
    length = view.size if text is None else len(text)  # too long to be written: approximately
    if least is not None and length < least:
        return SignalReading(_SHORT * (1 - length / least), "shorter than declared")
    if most is not None and length > most:
        return SignalReading(_LONG, "longer than declared")
    return SILENT


_NO_EARLIER_RESULT = Unavailable(
    "too few earlier results of these arguments, or none with a number"
)


def historical_inconsistency(
    view: ResultView, context: SignalContext
) -> SignalReading | Unavailable:
    """``get_stock_price("NVDA")`` returned about 650 in 50 calls, and returns 50 now."""
    return _NO_EARLIER_RESULT if context.history is None else _reading(context.history)


_NO_RESULT_IN_SESSION = Unavailable("no earlier result of these arguments in this session")


def session_inconsistency(view: ResultView, context: SignalContext) -> SignalReading | Unavailable:
    """The balance was 100 two calls ago, and is 5,000 or -100 now."""
    return _NO_RESULT_IN_SESSION if context.session is None else _reading(context.session)


_TOO_FEW_RESULTS = Unavailable("too few earlier results of this tool")


def spc_anomaly(view: ResultView, context: SignalContext) -> SignalReading | Unavailable:
    """A sensor that swings around 20 shows 21 eight times in a row, or 35 once."""
    return _TOO_FEW_RESULTS if context.outlook is None else _reading(context.outlook.rules)


_NO_NUMBERS = Unavailable("no number of the result was seen before")


def value_plausibility(view: ResultView, context: SignalContext) -> SignalReading | Unavailable:
    """Users are about 30 years old, and this one is 30,000."""
    if context.outlook is None:
        return _TOO_FEW_RESULTS
    if not context.outlook.compared:
        return _NO_NUMBERS
    return _reading(context.outlook.value)


def _reading(anomaly: Anomaly | None) -> SignalReading:
    if anomaly is None or not anomaly.score:
        return SILENT
    return SignalReading(anomaly.score, anomaly.detail, anomaly.where)


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
