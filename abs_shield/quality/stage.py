"""A stage of the cascade, and what its check returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from abs_shield.quality.types import AgentOutput, OutputFinding, StageOutcome


class StageReport(NamedTuple):
    """
    What a stage found.

    Attributes:
        outcome: Passed, failed, skipped or unavailable.
        findings: The faults.
        message: What the agent is told, if the stage fails.
        score: Its score, where it has one.
        reason: Why it was skipped or is unavailable, or what it could not check.
        partial: Whether only a part of the output was read: it is then unavailable, and its
            confidence counts as if it had run.
    """

    outcome: StageOutcome = StageOutcome.PASSED
    findings: tuple[OutputFinding, ...] = ()
    message: str = ""
    score: float | None = None
    reason: str = ""
    partial: bool = False


class Stage(NamedTuple):
    """
    A stage of the cascade.

    Attributes:
        name: Its name.
        check: Checks one output, given the `QualityConfig` as well.
        gate: Whether its failure holds the output back, and ends the cascade.
        confidence: How much its word counts for the confidence in an output, in [0, 1]; None
            if it does not count.
    """

    name: str
    check: Callable[[AgentOutput, Any], StageReport]
    gate: bool = True
    confidence: float | None = None
