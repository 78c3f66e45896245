"""From an answer to its report: claims, scores, probes and the gate, sync and async of one text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from abs_shield.answer.claim import Claim, Scored, Unavailable
from abs_shield.answer.claims import claims_of
from abs_shield.answer.combine import Combined, Said, combined
from abs_shield.answer.evidence import Evidence
from abs_shield.answer.gate import Judged, gate
from abs_shield.answer.gathering import evidence_from, evidence_of
from abs_shield.answer.probes import ConsistencyProbe, probing
from abs_shield.answer.report import (
    EvidenceSpan,
    HallucinationReport,
    ReportAction,
    ReportedClaim,
    Status,
)
from abs_shield.answer.scorers.entailment import entailment
from abs_shield.answer.scorers.hard import hard
from abs_shield.answer.scorers.judge import judging
from abs_shield.answer.scorers.lexical import answer_score, lexical
from abs_shield.answer.validations import final_turn_rejected, validations_of
from abs_shield.core.ids import new_id
from abs_shield.errors import ShieldError
from abs_shield.model import Budget, Terms, aplay, play
from abs_shield.model.ask import NO_JUDGE, Steps
from abs_shield.policy.answer import AnswerConfig
from abs_shield.session import Session
from abs_shield.text.show import shown

SKIPPED = "grounding_skipped"
NO_EVIDENCE = "no_evidence"
NOT_RUN = "probes_not_run"
FAILED = "check_failed"
"""Notes that we failed to check an answer, and not what it says."""


class Checked(NamedTuple):
    """
    What a check found out.

    Attributes:
        report: The report.
        claims: Each claim with its misses and why it is contradicted, in the report's order.
        notes: What else there is to say, in stable words: `no_claims`, `probes_not_run`, why the
            gate did not emit.
        errors: Why a verifier or a judge gave no usable word, one line each.
    """

    report: HallucinationReport
    claims: tuple[Combined, ...]
    notes: tuple[str, ...]
    errors: tuple[str, ...] = ()


def check_answer(
    answer: str,
    *,
    session: Session | None = None,
    evidence: Any = None,
    question: str | None = None,
    config: AnswerConfig | None = None,
) -> HallucinationReport:
    """
    Check every claim of an answer against what the run really returned.

    Args:
        answer: The answer.
        session: The run that it ends.
        evidence: Documents in place of a run: a text, a list of texts or of ``{"id", "text"}``,
            or an `Evidence`.
        question: What the user asked; of a session its newest user message where None.
        config: Thresholds, and who is asked; the usual where None.

    Returns:
        Claims with scores and evidence, and what to do: emit, revise or block.

    Raises:
        ShieldError: The answer is no text; neither a session nor evidence is given, or both are.
    """
    return checked(
        answer, session=session, evidence=evidence, question=question, config=config
    ).report


async def acheck_answer(answer: str, **given: Any) -> HallucinationReport:
    """As `check_answer`; models are asked side by side, without holding up the event loop."""
    return (await achecked(answer, **given)).report


def checked(answer: str, **given: Any) -> Checked:
    """
    As `check_answer`, with what the report has no field for.

    A run's evidence may have values beside it that are admitted everywhere: ``allow=[...]``.
    """
    asked = _asked(answer, **given)
    return play(_checking(asked), asked.config.judge, terms=_terms(asked.config))


async def achecked(answer: str, **given: Any) -> Checked:
    """As `checked`, on this event loop."""
    asked = _asked(answer, **given)
    return await aplay(_checking(asked), asked.config.judge, terms=_terms(asked.config))


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


class _Asked(NamedTuple):
    """What is checked, against what, and how."""

    answer: str
    evidence: Evidence
    question: str | None
    config: AnswerConfig
    session: Session | None


def _asked(
    answer: Any,
    *,
    session: Session | None = None,
    evidence: Any = None,
    question: str | None = None,
    config: AnswerConfig | Mapping[str, Any] | None = None,
    allow: Sequence[Any] = (),
) -> _Asked:
    if not isinstance(answer, str):
        raise ShieldError(f"check_answer: the answer is {shown(answer)}; give a text")
    if (session is None) == (evidence is None):
        raise ShieldError("check_answer: give `session=` or `evidence=`, one of them")
    told = AnswerConfig(**config) if isinstance(config, Mapping) else config or AnswerConfig()
    if session is not None:
        strict = told.strict_tool_evidence
        found = evidence_of(session, strict_tool_evidence=strict, allow=allow)
        question = question if question is not None else _newest_question(session)
    else:
        found = evidence if isinstance(evidence, Evidence) else evidence_from(evidence)
    return _Asked(answer, found, question, told, session)


def _newest_question(session: Session) -> str | None:
    said = (piece.text for piece in reversed(evidence_of(session).pieces) if piece.source == "user")
    return next(said, None)


def _terms(config: AnswerConfig) -> Terms:
    return Terms(budget=Budget(calls=config.calls))


def _checking(asked: _Asked) -> Steps[Checked]:
    """Go from claims to the report; yield what a model is asked on the way."""
    config, evidence = asked.config, asked.evidence
    claims = claims_of(asked.answer) if config.scores else ()
    if claims and not evidence.pieces and not evidence.deeds:
        return _unverified(asked, claims)
    first = lexical(claims, evidence, question=asked.question)
    if evidence.blind or evidence.vouches is not None:  # what stands nowhere may have stood there
        first = tuple(replace(one, misses=()) for one in first)
    checks = hard(claims, evidence, question=asked.question, answer=asked.answer)
    judged = tuple(combined(*one) for one in zip(claims, first, checks, strict=True))
    open_ = tuple(one.claim for one in judged if _is_open(one, config))
    said: dict[Claim, list[Said]] = {claim: [] for claim in open_}
    if open_ and config.verifier is not None:
        verify = entailment(config.verifier)
        for claim, one in zip(open_, verify(open_, evidence, question=asked.question), strict=True):
            said[claim].append(one)
    if open_ and config.judge is not None:
        verdicts = yield from judging(open_, evidence, asked.question)
        for claim, one in zip(open_, verdicts, strict=True):
            said[claim].append(one)
    judged = tuple(
        combined(claim, lex, check, said.get(claim, ()))
        for claim, lex, check in zip(claims, first, checks, strict=True)
    )
    probes: tuple[ConsistencyProbe, ...] = ()
    if config.probes and any(claim.critical for claim in claims):
        probes = yield from _probed(asked, claims)
    found = _reported(asked, judged, probes, overall=_overall(first, judged, config))
    return _with_errors(found, [one for some in said.values() for one in some])


def _is_open(one: Combined, config: AnswerConfig) -> bool:
    """The expensive scorers are asked where the cheap ones leave it open."""
    return one.score is not None and config.block_threshold <= one.score < config.emit_threshold


def _overall(
    first: Sequence[Any], judged: Sequence[Combined], config: AnswerConfig
) -> float | None:
    """
    The worst claim's score; of lexical scores the answer layer's, which reads all of them at once.

    A hard check bounds either: no answer is better than a claim that is known to be wrong.
    """
    scored = [one.score for one in judged if one.score is not None]
    if not scored or config.aggregate != "min":
        return None
    as_first = all(one.score == told.opinion for one, told in zip(first, judged, strict=True))
    whole = answer_score(list(first)) if as_first else min(scored)
    return min([whole, *(one.score for one in judged if one.confirmed and one.score is not None)])


def _probed(asked: _Asked, claims: tuple[Claim, ...]) -> Steps[tuple[ConsistencyProbe, ...]]:
    if asked.config.judge is None:
        return tuple(
            ConsistencyProbe(claim=claim.text, original=claim.text, not_run=NO_JUDGE)
            for claim in claims
            if claim.critical
        )
    times = asked.config.probes
    return (yield from probing(claims, asked.answer, asked.question, asked.evidence, times=times))


def _unverified(asked: _Asked, claims: tuple[Claim, ...]) -> Checked:
    """Nothing was returned that an answer could stand on: its claims are unverified."""
    checks = hard(claims, asked.evidence, question=asked.question, answer=asked.answer)
    undone = (isinstance(one, Scored) and one.contradicted for one in checks)
    judged = tuple(
        combined(claim, None, check if wrong else None)
        for claim, check, wrong in zip(claims, checks, undone, strict=True)
    )
    told = _reported(asked, judged, (), overall=None)
    return told._replace(notes=(NO_EVIDENCE, *told.notes))


def _with_errors(found: Checked, said: Sequence[Said]) -> Checked:
    """What broke is told, and nothing is emitted that it was asked about."""
    errors = tuple(dict.fromkeys(one.reason for one in said if isinstance(one, Unavailable)))
    if not errors:
        return found
    emits = found.report.action == "emit"
    report = replace(found.report, action="revise") if emits else found.report
    return found._replace(report=report, notes=(*found.notes, FAILED), errors=errors)


def _reported(
    asked: _Asked,
    judged: tuple[Combined, ...],
    probes: tuple[ConsistencyProbe, ...],
    *,
    overall: float | None,
) -> Checked:
    divergent = {probe.claim for probe in probes if probe.diverges}
    ran = all(not probe.not_run for probe in probes) and (
        bool(probes) or not any(one.claim.critical for one in judged)
    )
    session = asked.session
    verdict = gate(
        [Judged(c.score, c.claim.critical, c.confirmed, c.claim.text in divergent) for c in judged],
        asked.config,
        overall=overall,
        rejected=session is not None and final_turn_rejected(session),
        probed=ran,
    )
    notes = verdict.notes if ran else (*verdict.notes, NOT_RUN)
    if not asked.config.scores:
        notes = (*(note for note in notes if note != "no_claims"), SKIPPED)
    sources = {piece.id: piece.source.value for piece in asked.evidence}
    report = HallucinationReport(
        run_id=new_id() if session is None else session.run_id,
        claims=tuple(
            _claim(one, one.claim.text in divergent, sources, asked.config) for one in judged
        ),
        tool_call_validations=() if session is None else validations_of(session),
        consistency_probes=probes,
        overall_score=verdict.overall,
        action=verdict.action,
    )
    return Checked(report, judged, notes)


def _claim(
    one: Combined, divergent: bool, sources: Mapping[str, str], config: AnswerConfig
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


def _status(one: Combined, divergent: bool, config: AnswerConfig) -> Status:
    if one.contradicted:
        return "contradicted"
    if divergent:
        return "divergent"
    if one.score is None:
        return "unverified"
    return "grounded" if one.score >= config.revise_threshold else "unsupported"
