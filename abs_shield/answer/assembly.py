"""From what the stages found to the report and its notes."""

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
    What a check found out.

    Attributes:
        report: The report.
        claims: Each claim with its misses and why it is contradicted, in the report's order.
        notes: What else there is to say, in stable words: `no_claims`, `probes_not_run`, why the
            gate did not emit.
        errors: What failed, one line each: a verifier, a judge, or the check itself.
    """

    report: HallucinationReport
    claims: tuple[Assessment, ...]
    notes: tuple[str, ...]
    errors: tuple[str, ...] = ()

    @property
    def marked(self) -> tuple[tuple[int, int], ...]:
        """
        The stretches of the answer that the evidence does not support, as pairs of offsets.

        They are claims below .2, claims that are contradicted, and of the other claims that do
        not hold the words and figures that stand nowhere. If a verifier marked the words of a
        claim, they are those.
        """
        found: list[tuple[int, int]] = []
        for reported, one in zip(self.report.claims, self.claims, strict=True):
            low = one.score is not None and one.score < _MARKED_BELOW
            verified = any(value.kind == "words" for value in one.missing)
            if (low or one.contradicted) and not verified:
                found.append((one.claim.start, one.claim.end))
            elif reported.status != "grounded":
                found += ((miss.start, miss.end) for miss in one.missing)
        return tuple(found)


class Found(NamedTuple):
    """
    What is known before the probes.

    Attributes:
        judged: Each claim with what the scorers say of it.
        overall: The score of the whole, where it is known better than by the gate.
        run_id: The run that the answer ends.
        validations: What stage 1 decided of its calls.
        rejected: Whether stage 1 stopped a call of the final turn.
        notes: What else there is to say.
        errors: Why a verifier or a judge gave no usable word.
    """

    judged: tuple[Assessment, ...]
    overall: float | None
    run_id: str
    validations: tuple[ToolCallValidation, ...] = ()
    rejected: bool = False
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def found_of(
    asked: AnswerRequest,
    judged: tuple[Assessment, ...],
    *,
    overall: float | None,
    notes: tuple[str, ...],
    errors: tuple[str, ...],
) -> Found:
    """Give what is known of an answer once its claims are scored, and of the calls before it."""
    session = asked.session
    if session is None:
        return Found(judged, overall, new_id(), notes=notes, errors=errors)
    stage_1 = (validations_of(session), final_turn_rejected(session))
    return Found(judged, overall, session.run_id, *stage_1, notes, errors)


def reported(asked: AnswerRequest, found: Found, probes: tuple[ConsistencyProbe, ...]) -> Checked:
    """Let the gate decide, and write the report."""
    config, notes = asked.config, found.notes
    divergent = {probe.claim for probe in probes if probe.diverges}
    critical = any(one.claim.critical for one in found.judged)
    ran = all(not probe.not_run for probe in probes) and (bool(probes) or not critical)
    verdict = gate(
        [
            Judged(one.score, one.claim.critical, one.confirmed, one.claim.text in divergent)
            for one in found.judged
        ],
        config,
        overall=found.overall,
        rejected=found.rejected,
        probed=ran,
    )
    if not ran and PENDING not in notes:
        notes = (*notes, NOT_RUN)
    sources = {piece.id: piece.source.value for piece in asked.evidence}
    report = HallucinationReport(
        run_id=found.run_id,
        claims=tuple(
            _claim(one, one.claim.text in divergent, sources, config) for one in found.judged
        ),
        tool_call_validations=found.validations,
        consistency_probes=probes,
        overall_score=verdict.overall,
        action=verdict.action,
    )
    said = [note for note in verdict.notes if note != NO_CLAIMS or SKIPPED not in notes]
    told = Checked(report, found.judged, (*notes, *said), found.errors)
    return _with_errors(told) if found.errors else told


def _with_errors(told: Checked) -> Checked:
    """What broke is told, and nothing is emitted that it was asked about."""
    emits = told.report.action == "emit"
    report = replace(told.report, action="revise") if emits else told.report
    return told._replace(report=report, notes=(*told.notes, BROKE))


def unchecked(session: Session, *, note: str, action: ReportAction = "emit") -> Checked:
    """Give what is said of an answer that nobody checked; *note* says why."""
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
