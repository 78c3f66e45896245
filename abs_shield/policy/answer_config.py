"""How answers are judged: what is evidence, how sure one must be, and who is asked."""

from __future__ import annotations

from collections.abc import Callable
from string import Formatter
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from abs_shield.policy.declaration_base import Declaration
from abs_shield.text.show import shown

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
TaskType = Literal["factual", "creative", "brainstorm", "draft"]


class AnswerConfig(Declaration):
    """
    How answers are judged; ``configure(answer=False)`` judges none at the door.

    Attributes:
        emit_threshold: Overall score from which an answer is emitted.
        revise_threshold: Score of a claim below which the answer is revised.
        block_threshold: Score of a critical claim below which the answer is blocked, where a hard
            check, a verifier or a judge agrees.
        below_emit: What becomes of an answer that nothing speaks against but an overall score below
            `emit_threshold`: ``"revise"``, or ``"annotate"``, which emits it with a note.
        aggregate: The overall score: ``"min"``, the worst claim's, or ``"mean"``, in which
            critical claims count twice.
        base_rate: Share of claims that hold, before any is looked at, in (0, 1); None: 0.99 of a
            run's, and even odds beside documents.
        words: Effect of the lexical score in a run: ``"show"``, none by itself: a claim that no
            hard check, verifier or judge speaks against keeps the base rate; ``"gate"``, it
            revises. Beside documents it always does.
        high_stakes: Nothing is emitted whose critical claims were not probed.
        task_type: Creative, brainstorm and draft answers are not scored; the calls of their run
            are judged as ever.
        strict_tool_evidence: Evidence is tool results alone, and not what users or the host said.
        judge: A model that scores claims and answers probes; a `Judge`. None asks nobody.
        verifier: A model of entailment; a `Verifier`. None asks nobody.
        probes: How often a critical claim is asked again, at most 5 times, where there is a judge.
        probing: Whether the answer waits for its probes, ``"inline"``, or they run in the
            ``"background"`` and are written down when they are in; high-stakes answers wait.
        calls: Most calls of models for one answer.
        revisions: Most times that an answer is written again before it is refused.
        refusal: What is said in place of a blocked answer; ``{reason}`` names the failure.
    """

    emit_threshold: Share = 0.85
    revise_threshold: Share = 0.6
    block_threshold: Share = 0.4
    below_emit: Literal["revise", "annotate"] = "revise"
    aggregate: Literal["min", "mean"] = "min"
    base_rate: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] | None = None
    words: Literal["show", "gate"] = "show"
    high_stakes: bool = False
    task_type: TaskType = "factual"
    strict_tool_evidence: bool = False
    judge: Callable[..., Any] | None = None
    verifier: Callable[..., Any] | None = None
    probes: Annotated[int, Field(ge=0, le=5)] = 1
    probing: Literal["inline", "background"] = "inline"
    calls: Annotated[int, Field(ge=0, le=1_000)] = 16
    revisions: Annotated[int, Field(ge=0, le=9)] = 2
    refusal: str = "I cannot answer this reliably: {reason}."

    @model_validator(mode="after")
    def _check_thresholds(self) -> Self:
        limits = (self.block_threshold, self.revise_threshold, self.emit_threshold)
        if not limits[0] <= limits[1] <= limits[2]:
            raise ValueError(
                "`block_threshold`, `revise_threshold` and `emit_threshold` are"
                f" {limits[0]:g}, {limits[1]:g} and {limits[2]:g}; none may be above the next"
            )
        if self.high_stakes and self.probing == "background":
            raise ValueError(
                '`probing` is "background" and `high_stakes` is set; a high-stakes answer is not'
                ' emitted before its probes: use "inline"'
            )
        return self

    @field_validator("refusal")
    @classmethod
    def _check_refusal(cls, refusal: str) -> str:
        try:
            placeholders = [part[1:] for part in Formatter().parse(refusal) if part[1] is not None]
        except ValueError:
            placeholders = [("", "", None)]
        if any(one != ("reason", "", None) for one in placeholders):
            raise ValueError(
                f"{shown(refusal)} cannot be filled in; `{{reason}}` is all that it may name, and"
                " `{{` stands for a brace"
            )
        if not refusal.strip():
            raise ValueError("it says nothing; write what the agent says in place of its answer")
        return refusal

    @property
    def scores(self) -> bool:
        """Whether claims are scored at all."""
        return self.task_type == "factual"
