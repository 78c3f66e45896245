"""Feedback for an agent about exposed personal data, without repeating it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from abs_shield.quality.pii.entity import Pii

_MOST = 20
"""Maximum number of listed entities; the counts include the others."""


def feedback(entities: Sequence[Pii]) -> str:
    """
    Return the counts by type, and the places with masked forms; empty without entities.

    >>> ssn = Pii(name="SSN", start=8, end=19, masked="***-**-****", confidence=1, recogniser="US")
    >>> print(feedback([ssn]))
    Output blocked: PII detected.
    Entities: SSN (1)
    Please regenerate without exposing: SSN at 8-19 (***-**-****)
    """
    if not entities:
        return ""
    counts = Counter(entity.name for entity in entities)
    places = [f"{one.name} at {one.start}-{one.end} ({one.masked})" for one in entities[:_MOST]]
    if len(entities) > _MOST:
        places.append(f"{len(entities) - _MOST:,} more")
    return "\n".join(
        (
            "Output blocked: PII detected.",
            f"Entities: {', '.join(f'{name} ({count})' for name, count in counts.items())}",
            f"Please regenerate without exposing: {', '.join(places)}",
        )
    )
