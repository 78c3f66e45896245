"""The possible opinions of the deterministic checks."""

from __future__ import annotations

from collections.abc import Iterable

from abs_shield.answer.claim_types import Opinion, Span, Unavailable

# ABSENT is below the revise threshold (.6) and above the block threshold (.4), as agents also
# compute values; CONTRADICTED is below both
PRESENT, ABSENT, CONTRADICTED = 1.0, 0.55, 0.25
"""P(grounded) of a value that the evidence has, that it lacks, and that it contradicts."""
NOTHING = Unavailable("nothing to check")


def contradicted(conflict: str, span: Span | None = None) -> Opinion:
    """
    Return the opinion that the evidence contradicts a claim.

    Args:
        conflict: The difference, in one line. It is stored with the decision: it may name values
            and fields, but quotes no sentence of the answer or the evidence.
        span: The part of the evidence that differs; the report alone has its text.
    """
    return Opinion(score=CONTRADICTED, contradicted=conflict, spans=(span,) if span else ())


def from_conflicts(conflicts: Iterable[str]) -> Opinion | Unavailable:
    """Return the opinion from several checks of one claim, each a conflict or empty."""
    texts = [*conflicts]
    if not texts:
        return NOTHING
    conflict = next(filter(None, texts), "")
    return contradicted(conflict) if conflict else Opinion(score=PRESENT)
