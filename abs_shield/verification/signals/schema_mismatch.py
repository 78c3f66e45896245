"""A field is missing, null or of another type, or a forbidden one is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abs_shield.core.finding import Unavailable
from abs_shield.text.leaves import escape_step
from abs_shield.text.show import escaped
from abs_shield.verification.past import Past
from abs_shield.verification.reading import SILENT, Reading
from abs_shield.verification.seen import ABSENT, Seen, is_finite
from abs_shield.verification.shape import kind_of

_NOTHING = Unavailable("no fields are declared, and too few results are known")
_KNOWN = Unavailable("no fields are declared, and the shape differs from no earlier one")
"""A made-up result may well have the right shape: that it has is no evidence for it."""


def schema_mismatch(seen: Seen, past: Past) -> Reading | Unavailable:
    """The weather has a ``temperature``; this result has none, or ``"mild"`` after 50 numbers."""
    shape = past.shape
    if shape is not None and shape.score > 0:
        return Reading(shape.score, shape.detail, shape.where)
    profile = seen.profile
    if profile is None or not (profile.required_fields or profile.forbidden_fields):
        return _NOTHING if shape is None else _KNOWN
    required, forbidden = profile.required_fields, profile.forbidden_fields
    wrong = []
    if len(seen.kinds) < len(required) or seen.kinds != past.kinds or not seen.finite:
        wrong = list(_faults(seen, required, past))
    for name in forbidden:
        if seen.member(name) is not ABSENT:
            wrong.append((name, "is there"))
    if not wrong:
        return SILENT
    score = len(wrong) / (len(required) + len(forbidden))
    name, fault = wrong[0]
    more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    where = name if name.startswith("/") else f"/{escape_step(name)}"
    return Reading(score, f"`{escaped(name)}` {fault}{more}", where)


def _faults(seen: Seen, required: Iterable[str], past: Past) -> Iterator[tuple[str, str]]:
    nullable = seen.profile.nullable_fields if seen.profile is not None else ()
    for name in required:
        fault = _fault(seen.member(name), past.kinds.get(name), nullable=name in nullable)
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
    return f"is of type {kind}, and always was {usual}" if kind != (usual or "") else ""
