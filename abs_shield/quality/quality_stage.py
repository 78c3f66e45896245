"""Stages of the cascade, and their reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from abs_shield.quality.quality_types import AgentOutput, OutputFinding, StageOutcome


class StageReport(NamedTuple):
    """
    The report of a stage.

    Attributes:
        outcome: Passed, failed, skipped or unavailable.
        findings: The findings.
        message: The message for the agent, if the stage fails.
        score: Its score, if it has one.
        reason: Why it was skipped or is unavailable, or what it could not check.
        partial: Whether only a part of the output was read: it is then unavailable, but its
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
        check: Checks one output, given the `QualityConfig`.
        gate: Whether its failure holds the output back and ends the cascade.
        confidence: Its contribution to the confidence in an output, in [0, 1]; None if it does
            not count.
    """

    name: str
    check: Callable[[AgentOutput, Any], StageReport]
    gate: bool = True
    confidence: float | None = None
