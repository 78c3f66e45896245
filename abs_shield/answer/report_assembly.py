"""Assembly of the report and its notes from assessments, probes and decisions of the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from abs_shield.answer.answer_gate import GateClaim, gate
from abs_shield.answer.answer_request import AnswerRequest
from abs_shield.answer.claim_types import Assessment
from abs_shield.answer.consistency_probes import ConsistencyProbe
from abs_shield.answer.evidence.result_lines import as_plain
from abs_shield.answer.hallucination_report import (
    EvidenceSpan,
    HallucinationReport,
    ReportAction,
    ReportedClaim,
    Status,
    ToolCallValidation,
)
from abs_shield.core import Decision, ToolCall, Verdict
from abs_shield.core.call_arguments import Malformed, read_arguments
from abs_shield.core.events import Proposed
from abs_shield.core.fork_safety import new_id
from abs_shield.policy.check_config import AnswerConfig
from abs_shield.session import Session
from abs_shield.session.session_record import record_of


def validations_of(session: Session) -> tuple[ToolCallValidation, ...]:
    """Return every decision about a call of the newest run of *session*, in order."""
    calls = dict(_calls(session))
    return tuple(
        ToolCallValidation(
            tool=decision.tool,
            # by the decision, or by the call's own id if the decision is not among the events
            args=_arguments(calls.get(decision.id) or calls.get(decision.call_id or "")),
            status=_call_status(decision),
            errors=tuple(finding.detail for finding in decision.findings if finding.weighs)
            + decision.errors,
        )
        for decision in session.decisions
        if decision.run_id == session.run_id
    )


def final_turn_rejected(session: Session) -> bool:
    """Return whether a call of the run's last turn was stopped; without turns, its last call."""
    newest = record_of(session).decisions
    if newest.is_turn_over:  # the model was asked to write again, and has called nothing since
        return False
    calls = [one for one in session.decisions if one.run_id == session.run_id]
    turn = {*newest.turn}
    if not calls or calls[-1].id not in turn:  # without a turn, such as after single calls
        return bool(calls) and calls[-1].blocked
    return any(one.blocked for one in calls if one.id in turn)


def _calls(session: Session) -> Iterator[tuple[str, ToolCall]]:
    """Yield each call with its decision's id and its own id, as far as the session has them."""
    for entry in session.entries():
        if isinstance(event := entry.event, Proposed):
            for call in event.calls:
                if event.decision_id is not None:
                    yield event.decision_id, call
                if call.id:
                    yield call.id, call


def _arguments(call: ToolCall | None) -> Any:
    if call is None:
        return None
    read = read_arguments(call.arguments)
    # unreadable arguments are shown as they came
    return as_plain(call.arguments if isinstance(read, Malformed) else read)


def _call_status(decision: Decision) -> Literal["accepted", "flagged", "rejected"]:
    if decision.blocked:
        return "rejected"
    return "accepted" if decision.verdict is Verdict.CLEAN else "flagged"


SKIPPED = "grounding_skipped"
NO_CLAIMS = "no_claims"
NO_EVIDENCE = "no_evidence"
NOT_RUN = "probes_not_run"
PENDING = "probes_pending"
CHECK_FAILED = "check_failed"
NOT_CHECKED = "not_checked"
_MARKED_BELOW = 0.4
"""Marks agree with those of human annotators best from .4 to .5; fewer are shown."""


class Checked(NamedTuple):
    """
    The result of a check.

    Attributes:
        report: The report.
        claims: The assessment of each claim, in the report's order.
        notes: Remarks that have no field in the report, in stable words: `no_claims`,
            `probes_not_run`, why the gate did not emit.
        errors: Failures, one line each: of a verifier, a judge, or the check itself.
    """

    report: HallucinationReport
    claims: tuple[Assessment, ...]
    notes: tuple[str, ...]
    errors: tuple[str, ...] = ()

    @property
    def marked(self) -> tuple[tuple[int, int], ...]:
        """
        The parts of the answer that the evidence does not support, as (start, end) pairs.

        A claim with a score below .4 and a contradicted claim are marked whole; in other
        ungrounded claims the missing words and values are marked. If a verifier marked words
        of a claim, these are used.
        """
        spans: list[tuple[int, int]] = []
        for reported, one in zip(self.report.claims, self.claims, strict=True):
            # a score of None is unread, and not wrong
            low = one.score is not None and one.score < _MARKED_BELOW
            # a verifier's own marks are narrower than the claim
            verified = any(value.kind == "words" for value in one.missing)
            if (low or one.contradicted) and not verified:
                spans.append((one.claim.start, one.claim.end))
            elif reported.status != "grounded":
                spans += ((value.start, value.end) for value in one.missing)
        return tuple(spans)


class RunCalls(NamedTuple):
    """
    The calls of a run, as stage 1 decided them.

    Attributes:
        run_id: The run's id; a new one for an answer about documents.
        validations: The decision about each call.
        rejected: Whether a call of the final turn was blocked.
    """

    run_id: str
    validations: tuple[ToolCallValidation, ...] = ()
    rejected: bool = False

    @classmethod
    def of(cls, session: Session | None) -> RunCalls:
        """Return the calls of the newest run of *session*."""
        if session is None:
            return cls(new_id())
        return cls(session.run_id, validations_of(session), final_turn_rejected(session))


class AssessedAnswer(NamedTuple):
    """
    The assessment of an answer before its probes.

    Attributes:
        assessments: One for each claim.
        overall: The overall score, if it is more precise than the one that the gate computes.
        run: The calls of the run, fixed now: background probes may end after the run has gone on.
        notes: Remarks that have no field in the report.
        errors: Why a verifier or a judge gave no usable opinion.
    """

    assessments: tuple[Assessment, ...]
    overall: float | None
    run: RunCalls
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def assemble(
    request: AnswerRequest, assessed: AssessedAnswer, probes: tuple[ConsistencyProbe, ...]
) -> Checked:
    """Apply the gate, and build the report."""
    config, notes = request.config, assessed.notes
    divergent = {probe.claim for probe in probes if probe.diverges}
    critical = any(one.claim.critical for one in assessed.assessments)
    # without critical claims there is nothing to probe, and that counts as probed
    ran = all(not probe.not_run for probe in probes) and (bool(probes) or not critical)
    decision = gate(
        [
            GateClaim(one.score, one.claim.critical, one.confirmed, one.claim.text in divergent)
            for one in assessed.assessments
        ],
        config,
        overall=assessed.overall,
        rejected=assessed.run.rejected,
        probed=ran,
    )
    if not ran and PENDING not in notes:
        notes = (*notes, NOT_RUN)
    sources = {passage.id: passage.source.value for passage in request.evidence}
    report = HallucinationReport(
        run_id=assessed.run.run_id,
        claims=tuple(
            _claim(one, one.claim.text in divergent, sources, config)
            for one in assessed.assessments
        ),
        tool_call_validations=assessed.run.validations,
        consistency_probes=probes,
        overall_score=decision.overall,
        action=decision.action,
    )
    # "not scored" implies "no claims"
    own = [note for note in decision.notes if note != NO_CLAIMS or SKIPPED not in notes]
    result = Checked(report, assessed.assessments, (*notes, *own), assessed.errors)
    return _with_errors(result) if assessed.errors else result


def _with_errors(result: Checked) -> Checked:
    """Return a result with the note that a check failed; "emit" becomes "revise"."""
    # a failed model is neither a pass nor a verdict, so the answer is written again
    emits = result.report.action == "emit"
    report = replace(result.report, action="revise") if emits else result.report
    return result._replace(report=report, notes=(*result.notes, CHECK_FAILED))


def unchecked_result(session: Session, *, note: str, action: ReportAction = "emit") -> Checked:
    """Return the result for an answer that was not checked; *note* is the reason."""
    report = HallucinationReport(
        run_id=session.run_id,
        claims=(),
        tool_call_validations=validations_of(session),
        consistency_probes=(),
        overall_score=None,
        action=action,
    )
    return Checked(report, (), (note,))


def _claim(
    one: Assessment, divergent: bool, sources: Mapping[str, str], config: AnswerConfig
) -> ReportedClaim:
    return ReportedClaim(
        text=one.claim.text,
        evidence_spans=tuple(
            EvidenceSpan(
                source=sources.get(span.piece, ""), message=span.piece, pointer=span.pointer,
                start=span.start, end=span.end, text=span.text,
            )
            for span in one.spans
        ),
        score=one.score,
        critical=one.claim.critical,
        status=_answer_status(one, divergent, config),
    )  # fmt: skip


def _answer_status(one: Assessment, divergent: bool, config: AnswerConfig) -> Status:
    # what the evidence says is stronger than what a model repeats
    if one.contradicted:
        return "contradicted"
    if divergent:
        return "divergent"
    if one.score is None:
        return "unverified"
    return "grounded" if one.score >= config.revise_threshold else "unsupported"
