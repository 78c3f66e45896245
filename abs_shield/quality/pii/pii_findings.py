"""Findings of personal data in an output, for stage 1 of the cascade."""

from __future__ import annotations

from collections.abc import Sequence

from abs_shield.quality.pii.detector import PiiDetector, detect
from abs_shield.quality.pii.entity import Pii
from abs_shield.quality.pii.masking import TABLE
from abs_shield.quality.quality_types import AgentOutput, OutputFinding

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
