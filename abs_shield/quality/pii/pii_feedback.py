"""Findings of personal data in an output, and feedback about them that repeats no value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from abs_shield.quality.pii.pii_detector import TABLE, PiiDetector, detect
from abs_shield.quality.pii.pii_entity import Pii
from abs_shield.quality.quality_types import AgentOutput, OutputFinding

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


_REQUIREMENT = "outputs expose no personal data"


def pii_stage(
    output: AgentOutput, *, detectors: Sequence[PiiDetector] = (TABLE,)
) -> tuple[OutputFinding, ...]:
    """
    Return a finding for each piece of personal data in an output.

    >>> [finding.detail for finding in pii_stage(AgentOutput(text="Her SSN is 219-44-0178."))]
    ['SSN at 11-22 (***-**-****)']
    """
    return tuple(map(finding, detect(output.text, detectors)))


def finding(entity: Pii) -> OutputFinding:
    """Return the finding of an entity, without its value."""
    return OutputFinding(
        code=entity.name,
        start=entity.start,
        end=entity.end,
        detail=f"{entity.name} at {entity.start}-{entity.end} ({entity.masked})",
        requirement=_REQUIREMENT,
        remedy=f"leave the {entity.name} out, or mask it",
        critical=True,
    )
