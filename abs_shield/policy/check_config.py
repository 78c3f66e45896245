"""Settings for judging results, personal data and answers: thresholds, evidence and probes."""

from __future__ import annotations

from collections.abc import Callable
from string import Formatter
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from abs_shield.policy.declaration_base import Declaration
from abs_shield.text.safe_display import shown

InnerShare = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
# 1 is no evidence; the upper bound keeps the log-odds finite
Above1 = Annotated[float, Field(gt=1, lt=1e9, allow_inf_nan=False)]


class Verification(Declaration):
    """
    Settings for judging results; ``configure(verification=False)`` turns the judging off.

    Attributes:
        prior: Prior P(hallucination), above 0 and below *block_threshold*. If it is at least
            *accept_threshold*, a result is accepted only when enough signals could judge it.
        accept_threshold: P(hallucination) below which a result is accepted.
        block_threshold: P(hallucination) from which a result is blocked.
        session_times: Factor by which a number must differ to contradict the session.
        sub_floor_lr: Likelihood ratio of a network call that returns within 2 ms.
    """

    # Below `accept_threshold`: without evidence a result is accepted.
    prior: InnerShare = 0.15
    # Both thresholds are those of the engine's specification.
    accept_threshold: InnerShare = 0.2
    block_threshold: InnerShare = 0.5
    session_times: Above1 = 50.0  # numbers change within a session, but hardly fifty-fold
    sub_floor_lr: Above1 = 50.0  # "near-certain" in odds: it takes the prior of 0.15 to 0.9

    @model_validator(mode="after")
    def _check_thresholds(self) -> Self:
        if self.accept_threshold >= self.block_threshold:
            raise ValueError(
                f"`accept_threshold` {self.accept_threshold:g} is not below `block_threshold`"
                f" {self.block_threshold:g}; results between them are flagged"
            )
        if self.prior >= self.block_threshold:
            raise ValueError(
                f"`prior` {self.prior:g} is not below `block_threshold` {self.block_threshold:g};"
                " everything would be blocked at first"
            )
        return self


Text = Annotated[str, Field(min_length=1)]


class PersonalData(Declaration):
    """
    Settings of the layer `personal_data`, which searches the arguments of calls.

    It uses the recognisers of the quality cascade.

    Attributes:
        kinds: Kinds to detect, such as ``("CreditCardNumber", "SSN")``; all kinds if empty.
        allow: Values or globs that calls may contain, in any case: ``"*@acme.com"``.
        verdict: The verdict on a call with personal data: ``"suspicious"`` handles it as the
            policy's ``on_suspicious`` says, ``"hallucinated"`` blocks it in strict mode.
        detectors: Detectors of personal data; the built-in recognisers if empty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    kinds: tuple[Text, ...] = ()
    allow: tuple[Text, ...] = ()
    verdict: Literal["suspicious", "hallucinated"] = "suspicious"
    detectors: tuple[Any, ...] = ()


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
TaskType = Literal["factual", "creative", "brainstorm", "draft"]


class AnswerConfig(Declaration):
    """
    Settings for judging answers; ``configure(answer=False)`` turns the judging off.

    Attributes:
        emit_threshold: Overall score from which an answer is emitted.
        revise_threshold: Score of a claim below which the answer is revised.
        block_threshold: Score of a critical claim below which the answer is blocked, where a hard
            check, a verifier or a judge agrees.
        below_emit: The action on an answer whose only fault is an overall score below
            `emit_threshold`: ``"revise"``, or ``"annotate"``, which emits it with a note.
        aggregate: The overall score: ``"min"``, the worst claim's, or ``"mean"``, in which
            critical claims count twice.
        base_rate: Prior share of claims that hold, in (0, 1); None: 0.99 for claims of a run,
            and 0.5 for claims checked against documents.
        words: Effect of the lexical score in a run. ``"show"``: none by itself; a claim that no
            hard check, verifier or judge contradicts keeps the base rate. ``"gate"``: it can
            cause a revision, as it always can against documents.
        high_stakes: Emit an answer only after its critical claims were probed.
        task_type: Creative, brainstorm and draft answers are not scored; the calls of their run
            are still judged.
        strict_tool_evidence: Accept only tool results as evidence, not messages of users or the
            host.
        judge: A model that scores claims and answers probes; a `Judge`. None for no judge.
        verifier: A model of entailment; a `Verifier`. None for no verifier.
        probes: Number of probes of a critical claim, at most 5; they need a judge.
        probing: Whether the answer waits for its probes, ``"inline"``, or they run in the
            ``"background"`` and are recorded when they finish; high-stakes answers wait.
        calls: Maximum number of model calls for one answer.
        revisions: Maximum number of revisions of an answer before it is refused.
        refusal: Text returned in place of a blocked answer; ``{reason}`` names the failure.
    """

    # The three thresholds are the specification's for general agents; measure your own
    # (answers.md).
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
    # each probe is a further call of the judge
    probes: Annotated[int, Field(ge=0, le=5)] = 1
    probing: Literal["inline", "background"] = "inline"
    # Bounds the cost of one answer: its claims and probes share these calls.
    calls: Annotated[int, Field(ge=0, le=1_000)] = 16
    # each is a further call of the model, for which the user waits
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
            # A lone brace: refused below like an unknown name.
            placeholders = [("", "", None)]
        if any(one != ("reason", "", None) for one in placeholders):
            raise ValueError(
                f"{shown(refusal)} is not a valid template; use no field but `{{reason}}`, and"
                " write `{{` for a brace"
            )
        if not refusal.strip():
            raise ValueError("it is empty; write what the agent says in place of its answer")
        return refusal

    @property
    def scores(self) -> bool:
        """Return whether claims are scored; only factual answers are."""
        return self.task_type == "factual"
