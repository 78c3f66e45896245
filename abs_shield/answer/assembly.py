"""From assessments and probes to the report and its notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from abs_shield.answer.gate import Judged, gate
from abs_shield.answer.probes.consistency import ConsistencyProbe
from abs_shield.answer.report import (
    EvidenceSpan,
    HallucinationReport,
    ReportAction,
    ReportedClaim,
    Status,
    ToolCallValidation,
)
from abs_shield.answer.request import AnswerRequest
from abs_shield.answer.types import Assessment
from abs_shield.answer.validations import final_turn_rejected, validations_of
from abs_shield.core.ids import new_id
from abs_shield.policy.answer import AnswerConfig
from abs_shield.session import Session

SKIPPED = "grounding_skipped"
NO_CLAIMS = "no_claims"
NO_EVIDENCE = "no_evidence"
NOT_RUN = "probes_not_run"
PENDING = "probes_pending"
BROKE = "check_failed"
NOT_CHECKED = "not_checked"
_MARKED_BELOW = 0.2
"""Of the thresholds .1, .2, .3 and .6 the one whose marks come nearest to those of people."""


class Checked(NamedTuple):
    """
    The result of a check.

    Attributes:
        report: The report.
        claims: The assessment of each claim, in the report's order.
        notes: What the report has no field for, in stable words: `no_claims`, `probes_not_run`,
            why the gate did not emit.
        errors: What failed, one line each: a verifier, a judge, or the check itself.
    """

    report: HallucinationReport
    claims: tuple[Assessment, ...]
    notes: tuple[str, ...]
    errors: tuple[str, ...] = ()

    @property
    def marked(self) -> tuple[tuple[int, int], ...]:
        """
        The parts of the answer that the evidence does not support, as pairs of offsets.

        They are claims below .2, claims that are contradicted, and of the other claims that do
        not hold the words and values that are missing. If a verifier marked the words of a
        claim, they are those.
        """
        found: list[tuple[int, int]] = []
        for reported, one in zip(self.report.claims, self.claims, strict=True):
            low = one.score is not None and one.score < _MARKED_BELOW
            verified = any(value.kind == "words" for value in one.missing)
            if (low or one.contradicted) and not verified:
                found.append((one.claim.start, one.claim.end))
            elif reported.status != "grounded":
                found += ((value.start, value.end) for value in one.missing)
        return tuple(found)


class RunCalls(NamedTuple):
    """
    The calls of a run, as stage 1 decided them.

    Attributes:
        run_id: The run's id; a new one beside documents.
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


class Findings(NamedTuple):
    """
    What is known before the probes.

    Attributes:
        assessments: One for each claim.
        overall: The overall score, if it is known better than by the gate.
        run: The calls of the run; probes in the background end when it may have gone on.
        notes: What the report has no field for.
        errors: Why a verifier or a judge gave no usable opinion.
    """

    assessments: tuple[Assessment, ...]
    overall: float | None
    run: RunCalls
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def assemble(
    request: AnswerRequest, found: Findings, probes: tuple[ConsistencyProbe, ...]
) -> Checked:
    """Let the gate decide, and write the report."""
    config, notes = request.config, found.notes
    divergent = {probe.claim for probe in probes if probe.diverges}
    critical = any(one.claim.critical for one in found.assessments)
    ran = all(not probe.not_run for probe in probes) and (bool(probes) or not critical)
    decision = gate(
        [
            Judged(one.score, one.claim.critical, one.confirmed, one.claim.text in divergent)
            for one in found.assessments
        ],
        config,
        overall=found.overall,
        rejected=found.run.rejected,
        probed=ran,
    )
    if not ran and PENDING not in notes:
        notes = (*notes, NOT_RUN)
    sources = {passage.id: passage.source.value for passage in request.evidence}
    report = HallucinationReport(
        run_id=found.run.run_id,
        claims=tuple(
            _claim(one, one.claim.text in divergent, sources, config) for one in found.assessments
        ),
        tool_call_validations=found.run.validations,
        consistency_probes=probes,
        overall_score=decision.overall,
        action=decision.action,
    )
    own = [note for note in decision.notes if note != NO_CLAIMS or SKIPPED not in notes]
    result = Checked(report, found.assessments, (*notes, *own), found.errors)
    return _with_errors(result) if found.errors else result


def _with_errors(result: Checked) -> Checked:
    """Note that something broke; nothing is emitted that it was asked about."""
    emits = result.report.action == "emit"
    report = replace(result.report, action="revise") if emits else result.report
    return result._replace(report=report, notes=(*result.notes, BROKE))


def unchecked(session: Session, *, note: str, action: ReportAction = "emit") -> Checked:
    """Return the result of an answer that was not checked; *note* says why."""
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
        status=_status(one, divergent, config),
    )  # fmt: skip


def _status(one: Assessment, divergent: bool, config: AnswerConfig) -> Status:
    if one.contradicted:
        return "contradicted"
    if divergent:
        return "divergent"
    if one.score is None:
        return "unverified"
    return "grounded" if one.score >= config.revise_threshold else "unsupported"
