"""The opinions that a check without a model can have."""

from __future__ import annotations

from collections.abc import Iterable

from abs_shield.answer.types import Opinion, Span, Unavailable

FOUND, ABSENT, CONTRADICTED = 1.0, 0.55, 0.25
"""P(grounded) of what the evidence has, of what it has not, and of what it says otherwise."""
NOTHING = Unavailable("nothing to check")


def contradicted(conflict: str, span: Span | None = None) -> Opinion:
    """
    Return the opinion that the evidence says something else.

    Args:
        conflict: What differs, in one line. It is stored with the decision: it may name values and
            fields, and quotes no sentence of the answer or the evidence.
        span: The part of the evidence that differs; the report alone has its text.
    """
    return Opinion(score=CONTRADICTED, contradicted=conflict, spans=(span,) if span else ())


def from_conflicts(conflicts: Iterable[str]) -> Opinion | Unavailable:
    """Return the opinion of several checks of one claim, each a conflict or empty."""
    found = [*conflicts]
    if not found:
        return NOTHING
    conflict = next(filter(None, found), "")
    return contradicted(conflict) if conflict else Opinion(score=FOUND)
