"""Settings for judging results, personal data and answers: thresholds, evidence and probes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from string import Formatter
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypedDict, Unpack

from pydantic import ConfigDict, Field, field_validator, model_validator

from abs_shield.policy.declaration_base import Declaration, Float, Int
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import shown

InnerShare = Annotated[Float, Field(gt=0, lt=1, allow_inf_nan=False)]
# 1 is no evidence; the upper bound keeps the log-odds finite
Above1 = Annotated[Float, Field(gt=1, lt=1e9, allow_inf_nan=False)]


class Verification(Declaration):
    """
    Settings for judging results; ``configure(verification=False)`` turns the judging off.

    Attributes:
        prior: Prior P(hallucination), above 0 and below *block_threshold*. If it is at least
            *accept_threshold*, a result is accepted only when enough signals could judge it.
        accept_threshold: P(hallucination) below which a result is accepted, in (0, 1).
        block_threshold: P(hallucination) from which a result is blocked, in (0, 1).
        session_times: Factor, above 1, by which a number must differ to contradict the session.
        sub_floor_lr: Likelihood ratio, above 1, of a network call that returns within 2 ms.
    """

    # Below `accept_threshold`, so that a result without evidence is accepted.
    prior: InnerShare = 0.15
    # Both thresholds are those of the engine's specification.
    accept_threshold: InnerShare = 0.2
    block_threshold: InnerShare = 0.5
    session_times: Above1 = 50.0  # numbers change within a session, but rarely by a factor of 50
    sub_floor_lr: Above1 = 50.0  # "near-certain": it raises a prior of 0.15 to 0.9

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
PII_KINDS = tuple(
    "AHV Aadhaar BSN BankAccountNumber CNPJ CPF CPR CURP CodiceFiscale CreditCardNumber DEANumber "
    "DNI DriverLicenseNumber EIN EmailAddress Fodselsnummer HETU IBAN ITIN "
    "Krankenversichertennummer MedicalRecordNumber MedicareNumber MyNumber NHSNumber NIE NIF NINO "
    "NIR NPI NRIC NationalNumber PAN PESEL PPSNumber PassportNumber Personalausweis Personnummer "
    "PhoneNumber PrescriptionNumber RRN Rentenversicherungsnummer ResidentID RoutingNumber SIN SSN "
    "Sozialversicherungsnummer SteuerID TCKN TFN UTR".split()
)
"""The kinds of personal data that the built-in recognisers find."""


class PersonalDataFields(TypedDict, total=False):
    """The arguments of `PersonalData`, whose types are wider than those of its fields."""

    kinds: Iterable[str]
    allow: Iterable[str]
    verdict: Literal["suspicious", "hallucinated"]
    detectors: Iterable[Any]


class PersonalData(Declaration):
    """
    Settings of the layer `personal_data`, which searches the arguments of calls.

    It uses the recognisers of the quality cascade.

    Attributes:
        kinds: Kinds to detect, such as ``("CreditCardNumber", "SSN")``; empty for all kinds.
        allow: Values or globs that calls may contain, such as ``"*@acme.com"``; letter case is
            ignored.
        verdict: The verdict on a call with personal data: ``"suspicious"``, which the policy's
            ``on_suspicious`` handles, or ``"hallucinated"``, which strict mode blocks.
        detectors: Detectors of personal data; empty for the built-in recognisers.

    Raises:
        PolicyError: No built-in recogniser finds one of *kinds*, and *detectors* is empty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)
    _label: ClassVar[str] = "pii"

    kinds: tuple[Text, ...] = ()
    allow: tuple[Text, ...] = ()
    verdict: Literal["suspicious", "hallucinated"] = "suspicious"
    detectors: tuple[Any, ...] = ()

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[PersonalDataFields]) -> None: ...

    @model_validator(mode="after")
    def _check_kinds(self) -> Self:
        # Another detector may find other kinds.
        for kind in () if self.detectors else self.kinds:
            if kind not in PII_KINDS:
                hint = suggest_name(kind, PII_KINDS, otherwise=f"use one of {', '.join(PII_KINDS)}")
                raise ValueError(f"`kinds` has {shown(kind)}, which no detector finds; {hint}")
        return self


Share = Annotated[Float, Field(ge=0, le=1, allow_inf_nan=False)]
TaskType = Literal["factual", "creative", "brainstorm", "draft"]


class AnswerConfig(Declaration):
    """
    Settings for judging answers; ``configure(answer=False)`` turns the judging off.

    Attributes:
        emit_threshold: Overall score from which an answer is emitted, in [0, 1].
        revise_threshold: Score of a claim below which the answer is revised, in [0, 1].
        block_threshold: Score of a critical claim below which the answer is blocked if a hard
            check, a verifier or a judge agrees, in [0, 1].
        below_emit: The action on an answer whose only fault is an overall score below
            `emit_threshold`: ``"revise"``, or ``"annotate"``, which emits it with a note.
        aggregate: The overall score: ``"min"``, the lowest score of a claim, or ``"mean"``, in
            which critical claims count twice.
        base_rate: Prior probability that a claim is true, in (0, 1). None for 0.97 in a run, and
            0.5 for claims that are checked against documents.
        words: Effect of the lexical score in a run. ``"show"``: none by itself; a claim that no
            hard check, verifier or judge contradicts has the base rate. ``"gate"``: it can cause
            a revision, as it always can against documents.
        high_stakes: Emit an answer only after its critical claims were probed.
        task_type: Creative, brainstorm and draft answers are not scored; the calls of their run
            are still judged.
        strict_tool_evidence: Accept only tool results as evidence, not messages of users or the
            host.
        judge: A `Judge`, a model that scores claims and answers probes; None for no judge.
        verifier: A `Verifier`, an entailment model; None for no verifier.
        probes: Number of probes of a critical claim, 0 to 5; they need a judge.
        probing: ``"inline"`` makes the answer wait for its probes; ``"background"`` records them
            when they finish, which `high_stakes` does not allow.
        calls: Maximum number of model calls for one answer, 0 to 1,000.
        revisions: Maximum number of revisions of an answer before it is refused, 0 to 9.
        refusal: Text returned in place of a blocked answer; ``{reason}`` is replaced by the
            failure.
    """

    _label: ClassVar[str] = "answer"

    # The specification's thresholds for general agents; docs/answers.md says how to fit them.
    emit_threshold: Share = 0.85
    revise_threshold: Share = 0.6
    block_threshold: Share = 0.4
    below_emit: Literal["revise", "annotate"] = "revise"
    aggregate: Literal["min", "mean"] = "min"
    base_rate: Annotated[Float, Field(gt=0, lt=1, allow_inf_nan=False)] | None = None
    words: Literal["show", "gate"] = "show"
    high_stakes: bool = False
    task_type: TaskType = "factual"
    strict_tool_evidence: bool = False
    judge: Callable[..., Any] | None = None
    verifier: Callable[..., Any] | None = None
    # each probe is another call of the judge
    probes: Annotated[Int, Field(ge=0, le=5)] = 1
    probing: Literal["inline", "background"] = "inline"
    # Limits the cost of one answer; its claims and probes share these calls.
    calls: Annotated[Int, Field(ge=0, le=1_000)] = 16
    # each is another call of the model, while the user waits
    revisions: Annotated[Int, Field(ge=0, le=9)] = 2
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
            # A lone brace is rejected below, like an unknown name.
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
        """True if claims are scored, as only those of factual answers are."""
        return self.task_type == "factual"
