"""Inputs, stages and results of the quality cascade."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any, NamedTuple

from abs_shield.core.vocabularies import Mode
from abs_shield.errors import ShieldError
from abs_shield.text.safe_display import shown


class StageOutcome(StrEnum):
    """The outcome of a stage."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNAVAILABLE = "unavailable"
    ERROR = "error"


class QualityAction(StrEnum):
    """Actions on an output, from mild to severe."""

    SHIP = "ship"
    FLAG = "flag"
    REVISE = "revise"
    BLOCK = "block"


class Band(StrEnum):
    """Bands of confidence: above 95 %, from 70 to 95 %, below 70 %."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """
    The task that an output answers.

    Attributes:
        output_classification: The classification; `CLIENT_FACING`, `FINANCIAL`, `LEGAL` and
            `SECURITY` are high-stakes.
        estimated_impact_value: The amount at stake; more than 100,000 is high-stakes.
    """

    output_classification: str = ""
    estimated_impact_value: float = 0.0

    def __post_init__(self) -> None:
        value = self.output_classification
        if isinstance(value, Enum):
            object.__setattr__(self, "output_classification", str(value.value))
        elif not isinstance(value, str):
            raise ShieldError(f"task: `output_classification` is {shown(value)}; give a text")
        impact = self.estimated_impact_value
        if isinstance(impact, bool) or not isinstance(impact, (int, float, Decimal)):
            raise ShieldError(f"task: `estimated_impact_value` is {shown(impact)}; give a number")
        if impact != impact:  # NaN compares as neither small nor large
            raise ShieldError("task: `estimated_impact_value` is NaN; give a number")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOutput:
    """
    One output of an agent, before it is sent.

    Attributes:
        text: The output.
        task_type: The kind of task, such as `financial`, which selects guardrails.
        task: The task.
        agent_id: The agent that wrote it.
        output_id: Its id, by which it is sampled; a new one if empty.
        model: The model that wrote it.
        metadata: Any further data, which is not recorded.
    """

    text: str
    task_type: str = ""
    task: Task = Task()
    agent_id: str = ""
    output_id: str = ""
    model: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("text", "task_type", "agent_id", "output_id", "model"):
            value = getattr(self, name)
            if not isinstance(value, str):  # its value may be personal data
                raise ShieldError(f"output: `{name}` is {_kind(value)}; give a text")
        if not isinstance(self.task, Task):
            raise ShieldError(f"output: `task` is {_kind(self.task)}; give a Task")

    def to_dict(self) -> dict[str, Any]:
        """Return the output in the format of `abs-shield quality`, without empty fields."""
        record = {
            "id": self.output_id,
            "text": self.text,
            "task_type": self.task_type,
            "classification": self.task.output_classification,
            "impact": self.task.estimated_impact_value,
            "agent_id": self.agent_id,
            "model": self.model,
        }
        return {name: value for name, value in record.items() if value or name == "text"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFinding:
    """
    A finding of a stage in an output.

    Attributes:
        code: Stable code, such as `US_SSN` or `FINANCIAL_CONFIDENCE_INTERVAL`.
        start: Offset of its first character in the output.
        end: Offset after its last character.
        detail: The finding in one line, without personal data.
        claim: The text concerned; empty if it may not be repeated.
        requirement: The violated requirement.
        remedy: The instruction for the agent.
        critical: Whether it fails the stage whatever the average.
        about: The subject matter without a value, such as ``market cap``; empty if the code
            implies it.
    """

    code: str
    start: int
    end: int
    detail: str
    claim: str = ""
    requirement: str = ""
    remedy: str = ""
    critical: bool = False
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult:
    """
    The result of one stage.

    Attributes:
        name: The stage.
        outcome: Its outcome.
        findings: Its findings.
        confidence: Its confidence, in [0, 1]; None if it did not run.
        elapsed_ms: Its duration.
        reason: Why it was skipped, is unavailable or failed, without text of the output.
        score: For the quality score, 0 to 100; for the hallucination stage, percent; else None.
        cost_usd: Approximate cost of a judge in US dollars; None for other stages.
    """

    name: str
    outcome: StageOutcome
    findings: tuple[OutputFinding, ...] = ()
    confidence: float | None = None
    elapsed_ms: float = 0.0
    reason: str = ""
    score: float | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityResult:
    """
    The result of the cascade for an output.

    Attributes:
        output_id: Id of the output.
        action: Ship, flag, revise or block.
        stages: One result for each stage, in their order.
        hallucination_score: In percent; None if the stage did not run.
        confidence: The least confidence of the stages that ran, in [0, 1]; None if none ran.
        band: The band of the confidence.
        note: The note of an output in the middle band; never sent to a client.
        message: The message for the agent about a held output; see `feedback`.
        mode: The mode in force.
        decision_id: Id of its Decision; empty if no Shield recorded one.
        held_by: The first stage that held it, or ``confidence``; empty if none did.
    """

    output_id: str
    action: QualityAction
    stages: tuple[StageResult, ...]
    hallucination_score: float | None = None
    confidence: float | None = None
    band: Band | None = None
    note: str = ""
    message: str = ""
    mode: Mode = Mode.STRICT
    decision_id: str = ""
    held_by: str = ""

    @property
    def stopped(self) -> bool:
        """True if it should be revised or blocked, regardless of the mode."""
        return self.action in (QualityAction.REVISE, QualityAction.BLOCK)

    @property
    def held(self) -> bool:
        """True if the output must not be sent: strict mode, and to be revised or blocked."""
        return self.stopped and self.mode is Mode.STRICT

    @property
    def errors(self) -> tuple[str, ...]:
        """Internal errors of stages, one line each; not a verdict on the output."""
        broken = (one for one in self.stages if one.outcome is StageOutcome.ERROR)
        return tuple(f"{one.name}: {one.reason}" for one in broken)

    def feedback(self) -> str:
        """Return the message for the agent: the reason, and the correction."""
        return self.message

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-able data, without text of the output."""
        return {
            "id": self.output_id,
            "action": self.action.value,
            "stages": [_stage_dict(one) for one in self.stages],
            "hallucination_score": self.hallucination_score,
            "confidence": self.confidence,
            "band": self.band.value if self.band else None,
        }


def _kind(value: object) -> str:
    return f"of type {type(value).__name__}"


def _stage_dict(stage: StageResult) -> dict[str, Any]:
    findings = [
        {"code": one.code, "where": [one.start, one.end], "detail": one.detail}
        for one in stage.findings
    ]
    reason = {"reason": stage.reason} if stage.reason else {}
    return {"name": stage.name, "outcome": stage.outcome.value, "findings": findings, **reason}


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
