"""What goes into the quality cascade, and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class StageOutcome(StrEnum):
    """What became of one stage."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNAVAILABLE = "unavailable"
    ERROR = "error"


class QualityAction(StrEnum):
    """What to do with an output, from mild to grave."""

    SHIP = "ship"
    FLAG = "flag"
    REVISE = "revise"
    BLOCK = "block"


class Band(StrEnum):
    """How much an output is trusted: above 95 %, from 70 to 95 %, below 70 %."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """
    The task that an output answers.

    Attributes:
        output_classification: For whom the output is: `CLIENT_FACING`, `FINANCIAL`, `LEGAL` or
            `SECURITY` make it high-stakes; any other text does not.
        estimated_impact_value: The money at stake; more than 100,000 is high-stakes.
    """

    output_classification: str = ""
    estimated_impact_value: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOutput:
    """
    One output of an agent, before anybody receives it.

    Attributes:
        text: The output.
        task_type: What kind of task it answers, such as `financial`; it selects guardrails.
        task: The task.
        agent_id: The agent that wrote it.
        output_id: Its id; sampling is by its hash. A new one where empty.
        model: The model that wrote it.
        metadata: Anything else; kept in no record.
    """

    text: str
    task_type: str = ""
    task: Task = Task()
    agent_id: str = ""
    output_id: str = ""
    model: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFinding:
    """
    One fault that a stage found in an output.

    Attributes:
        code: Stable name of the fault, such as `US_SSN` or `FINANCIAL_CONFIDENCE_INTERVAL`.
        start: Offset of its first character in the output.
        end: Offset behind its last character.
        detail: The fault in one line; holds no personal data.
        claim: The words at fault; empty where they may not be repeated.
        requirement: What the output has to satisfy.
        remedy: What to write instead.
        critical: Whether it blocks whatever the average of its stage says.
    """

    code: str
    start: int
    end: int
    detail: str
    claim: str = ""
    requirement: str = ""
    remedy: str = ""
    critical: bool = False
