"""A required field is missing, null or of another type, or a forbidden one is there."""

from __future__ import annotations

from abs_shield.core.finding import Unavailable
from abs_shield.policy.profile import ToolProfile
from abs_shield.text.show import escaped
from abs_shield.verification.past import Past
from abs_shield.verification.reading import SILENT, Reading
from abs_shield.verification.seen import ABSENT, Seen, kind_of

_NOTHING = Unavailable("no fields are declared")


def schema_mismatch(seen: Seen, past: Past) -> Reading | Unavailable:
    """The weather has a ``temperature``; this result has none, or ``"mild"`` after 50 numbers."""
    profile = seen.profile
    if profile is None or not (profile.required_fields or profile.forbidden_fields):
        return _NOTHING
    wrong = [
        (name, fault)
        for name in profile.required_fields
        if (fault := _fault(seen.member(name), name, profile, past))
    ]
    wrong += [(n, "is there") for n in profile.forbidden_fields if seen.member(n) is not ABSENT]
    if not wrong:
        return SILENT
    score = len(wrong) / (len(profile.required_fields) + len(profile.forbidden_fields))
    name, fault = wrong[0]
    more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return Reading(score, f"`{escaped(name)}` {fault}{more}", "/" + name.removeprefix("/"))


def _fault(value: object, name: str, profile: ToolProfile, past: Past) -> str:
    if value is ABSENT:
        return "is missing"
    if value is None:
        return "" if name in profile.nullable_fields else "is null"
    usual = past.kinds.get(name)
    kind = kind_of(value) if usual is not None else ""
    return f"is of type {kind}, and always was {usual}" if kind != (usual or "") else ""
