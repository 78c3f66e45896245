"""What goes into the quality cascade, and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any

from abs_shield.core.words import Mode
from abs_shield.errors import ShieldError
from abs_shield.text.show import shown


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

    def __post_init__(self) -> None:
        value = self.output_classification
        if isinstance(value, Enum):
            object.__setattr__(self, "output_classification", str(value.value))
        elif not isinstance(value, str):
            raise ShieldError(f"task: `output_classification` is {shown(value)}; give a text")
        impact = self.estimated_impact_value
        if isinstance(impact, bool) or not isinstance(impact, (int, float, Decimal)):
            raise ShieldError(f"task: `estimated_impact_value` is {shown(impact)}; give a number")
        if impact != impact:
            raise ShieldError("task: `estimated_impact_value` is NaN; give a number")


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

    def __post_init__(self) -> None:
        for name in ("text", "task_type", "agent_id", "output_id", "model"):
            value = getattr(self, name)
            if not isinstance(value, str):  # its value may be personal data
                raise ShieldError(f"output: `{name}` is {_kind(value)}; give a text")
        if not isinstance(self.task, Task):
            raise ShieldError(f"output: `task` is {_kind(self.task)}; give a Task")

    def to_dict(self) -> dict[str, Any]:
        """Return the output as `abs-shield quality` reads it; what is empty is left out."""
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
        about: The subject matter without a value, such as ``market cap``; empty where the code
            says it.
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
    What one stage says of an output.

    Attributes:
        name: The stage.
        outcome: What became of it.
        findings: The faults that it found.
        confidence: How much its word counts, in [0, 1]; None if it did not run.
        elapsed_ms: How long it took.
        reason: Why it was skipped, is unavailable or failed; no text of the output.
        score: Of the quality score: 0 to 100; of the hallucination stage: percent. Else None.
        cost_usd: What a judge cost, about, in US dollars; None of other stages.
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
    What the cascade says of an output.

    Attributes:
        output_id: Id of the output.
        action: Ship, flag, revise or block.
        stages: One result for each stage, in their order.
        hallucination_score: In percent; None if the stage did not run.
        confidence: The least confidence of the stages that ran, in [0, 1]; None if none ran.
        band: The band of the confidence.
        note: The note that an output of the middle band carries; never sent to a client.
        message: What the agent is told about a held output; `feedback` returns it.
        mode: The mode under which it was judged.
        decision_id: Id of its Decision; empty where no Shield records one.
        held_by: The stage that stopped it first, or ``confidence``; empty where nothing did.
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
        """Whether it is to be revised or blocked, whatever the mode."""
        return self.action in (QualityAction.REVISE, QualityAction.BLOCK)

    @property
    def held(self) -> bool:
        """Whether the output may not leave: strict mode, and to be revised or blocked."""
        return self.stopped and self.mode is Mode.STRICT

    @property
    def errors(self) -> tuple[str, ...]:
        """Failures of stages, one line each; never a verdict on the output."""
        broken = (one for one in self.stages if one.outcome is StageOutcome.ERROR)
        return tuple(f"{one.name}: {one.reason}" for one in broken)

    def feedback(self) -> str:
        """Return what the agent is told: why its output is held back, and what to write."""
        return self.message

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-able data; it holds no text of the output."""
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
