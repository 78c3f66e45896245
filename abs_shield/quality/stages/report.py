"""What the check of a stage returns to the cascade."""

from __future__ import annotations

from typing import NamedTuple

from abs_shield.quality.types import OutputFinding, StageOutcome


class StageReport(NamedTuple):
    """
    What a stage found.

    Attributes:
        outcome: Passed, failed, skipped or unavailable.
        findings: The faults.
        message: What the agent is told, if the stage fails.
        score: Its score, where it has one.
        reason: Why it was skipped or is unavailable, or what it could not check.
    """

    outcome: StageOutcome = StageOutcome.PASSED
    findings: tuple[OutputFinding, ...] = ()
    message: str = ""
    score: float | None = None
    reason: str = ""
