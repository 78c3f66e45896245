"""The recorder of an output that the quality cascade judged on behalf of a Shield."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from time import time
from typing import TYPE_CHECKING, Any

from abs_shield.core import RAN, Action, Coverage, Finding, Mode, Outcome, Subject, Verdict
from abs_shield.core.vocabularies import QUALITY
from abs_shield.session import Session
from abs_shield.shield.answer_decision import CheckStart, answer_decision
from abs_shield.shield.lifecycle import Lifecycle
from abs_shield.shield.off_switch import NOT_JUDGED, NOTE, SWITCH

if TYPE_CHECKING:
    from abs_shield.quality.quality_types import (
        AgentOutput,
        OutputFinding,
        QualityResult,
        StageResult,
    )

Append = Callable[[Session, Mapping[str, Any]], None]
"""Appends an output to the run file of a session."""

BACKGROUND_NOTE = "background"
"""Note of a Decision about findings that were made after the output was emitted."""
_HALLUCINATION = "hallucination"
"""The stage whose critical findings are HALLUCINATED; all other findings are SUSPICIOUS."""
_ACTIONS = {
    "ship": Action.ALLOW, "flag": Action.FLAG, "revise": Action.REVISE, "block": Action.BLOCK,
}  # fmt: skip


class GuardedOutput:
    """
    Records the decision about one output; created at the start of its check.

    Args:
        lifecycle: Records the decision.
        session: The session of the output.
        append: Appends the output to the run file; None if runs are not recorded.

    Attributes:
        mode: The mode of the cascade when the check began.
        off: Whether the Shield was turned off, e.g. by a test.
    """

    def __init__(self, lifecycle: Lifecycle, session: Session, append: Append | None) -> None:
        self._lifecycle, self._session, self._append = lifecycle, session, append
        self._began = CheckStart.now()
        self.mode = lifecycle.mode_of(QUALITY)
        self.off = SWITCH.off

    def record(self, output: AgentOutput, result: QualityResult) -> str:
        """
        Record the decision about the output.

        Returns:
            The id of the Decision.
        """
        findings = tuple(_findings(result, output.task_type))
        decision = answer_decision(
            self._session,
            {"mode": result.mode, "policy_revision": self._lifecycle.policy.revision},
            began=self._began,
            subject=Subject.OUTPUT,
            verdict=Verdict.worst(one.verdict for one in findings if one.weighs),
            action=_ACTIONS[result.action],
            blocked=result.held,
            would_block=result.stopped,
            findings=findings,
            coverage={QUALITY: NOT_JUDGED} if self.off else _coverage(result),
            errors=result.errors,
            agent=output.agent_id or self._session.agent,
            model=output.model or self._session.model,
            notes=(NOTE,) if self.off else (),
        )
        self._lifecycle.record(decision, self._session)
        if self._append is not None:
            self._append(self._session, {**output.to_dict(), "decision_id": decision.id})
        return decision.id

    def record_score(self, output: AgentOutput, score: float) -> None:
        """Append the quality score of an output to the log, if the store supports scores."""
        # A custom store only needs `append`.
        append = getattr(self._lifecycle.store, "append_score", None)
        if append is not None:
            append(
                at=time(),
                agent=output.agent_id or self._session.agent or "",
                task_type=output.task_type,
                model=output.model or self._session.model or "",
                score=score,
            )

    def record_late_findings(
        self, output: AgentOutput, findings: Iterable[tuple[str, OutputFinding]]
    ) -> None:
        """
        Record findings that were made after the output was emitted; they block nothing.

        Args:
            output: The output.
            findings: Pairs of a stage's name and one of its findings.
        """
        source = {"task_type": output.task_type}
        recorded = tuple(
            _finding(stage, one, f"/{stage}", source, mode=self.mode, counted=True)
            for stage, one in findings
        )
        decision = answer_decision(
            self._session,
            {"mode": self.mode, "policy_revision": self._lifecycle.policy.revision},
            began=CheckStart.now(),
            subject=Subject.OUTPUT,
            verdict=Verdict.worst(one.verdict for one in recorded),
            action=Action.FLAG,
            blocked=False,
            would_block=False,
            findings=recorded,
            coverage={one.check: RAN for one in recorded},
            agent=output.agent_id or self._session.agent,
            model=output.model or self._session.model,
            notes=(BACKGROUND_NOTE,),
        )
        self._lifecycle.record(decision, self._session)


def _coverage(result: QualityResult) -> dict[str, Coverage]:
    return {stage.name: _stage_coverage(stage) for stage in result.stages}


def _stage_coverage(stage: StageResult) -> Coverage:
    match stage.outcome:
        case "passed" | "failed":
            return RAN
        case "error":
            return Coverage(Outcome.ERROR, stage.reason)
        case _:
            return Coverage(Outcome.UNAVAILABLE, stage.reason)


def _findings(result: QualityResult, task_type: str) -> Iterator[Finding]:
    """Yield a Finding for each finding of a stage; it points into the result, without quotes."""
    for place, stage in enumerate(result.stages):
        failed = stage.outcome == "failed"
        for number, one in enumerate(stage.findings):
            where = f"/stages/{place}/findings/{number}"
            source = {"task_type": task_type, "confidence": stage.confidence}
            yield _finding(stage.name, one, where, source, mode=result.mode, counted=failed)


def _finding(
    stage: str,
    one: OutputFinding,
    where: str,
    source: Mapping[str, Any],
    *,
    mode: Mode,
    counted: bool,
) -> Finding:
    certain = stage == _HALLUCINATION and one.critical
    return Finding(
        check=stage,
        verdict=Verdict.HALLUCINATED if certain else Verdict.SUSPICIOUS,
        strength=1.0,
        where=where,
        detail=one.detail,
        code=one.code,
        evidence={"start": one.start, "end": one.end, "about": one.about, **source},
        mode=mode,
        counted=counted,
    )
