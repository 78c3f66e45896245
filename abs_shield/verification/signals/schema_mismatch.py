"""A field is missing, null or of another type, or a forbidden one is present."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abs_shield.core.finding import Unavailable
from abs_shield.text.json_leaves import escape_step
from abs_shield.text.safe_display import escaped
from abs_shield.verification.result_shape import kind_of
from abs_shield.verification.result_view import ABSENT, ResultView, is_finite
from abs_shield.verification.signal_context import SignalContext
from abs_shield.verification.signal_reading import SILENT, SignalReading

_NOTHING = Unavailable("no fields are declared, and there are too few earlier results")
_SAME_SHAPE = Unavailable("no fields are declared, and the shape matches earlier results")
"""A hallucinated result may have the right shape, so a matching shape is not evidence for it."""


def schema_mismatch(view: ResultView, context: SignalContext) -> SignalReading | Unavailable:
    """The weather has a ``temperature``; this result has none, or ``"mild"`` after 50 numbers."""
    shape = context.shape
    if shape is not None and shape.score > 0:
        return SignalReading(shape.score, shape.detail, shape.where)
    profile = view.profile
    if profile is None or not (profile.required_fields or profile.forbidden_fields):
        return _NOTHING if shape is None else _SAME_SHAPE
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
