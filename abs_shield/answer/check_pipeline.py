"""
The pipeline of an answer check: claims, opinions, probes, the gate and the report.

Sync and async share one implementation: generators yield questions, `play` or `aplay` asks them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from abs_shield.answer.answer_request import AnswerRequest, request_of
from abs_shield.answer.background_probes import Probed, abegin, begin, take_slot
from abs_shield.answer.claim_scores import assess_claims, score_claims
from abs_shield.answer.claim_types import Claim
from abs_shield.answer.consistency_probes import ConsistencyProbe, probe_claims
from abs_shield.answer.hallucination_report import HallucinationReport
from abs_shield.answer.report_assembly import (
    NO_EVIDENCE,
    PENDING,
    AssessedAnswer,
    Checked,
    assemble,
)
from abs_shield.errors import ShieldError
from abs_shield.model import aplay, play
from abs_shield.model.ask import NO_JUDGE, Steps
from abs_shield.policy.check_config import AnswerConfig
from abs_shield.session import Session


def check_answer(
    answer: str,
    *,
    session: Session | None = None,
    run: Any = None,
    evidence: Any = None,
    question: str | None = None,
    config: AnswerConfig | Mapping[str, Any] | None = None,
    allow: Iterable[Any] = (),
    probed: Probed | None = None,
) -> HallucinationReport:
    """
    Check every claim of an answer against what the run really returned.

    Args:
        answer: The answer.
        session: The run that ends with the answer.
        run: A recorded run in place of a session: its messages, in any provider's shape,
            or an object or mapping that has them as ``messages``.
        evidence: Documents in place of a run: a text, a list of texts or of ``{"id", "text"}``,
            or an `Evidence`.
        question: The user's question; the newest user message of a run if None.
        config: Thresholds and models; the defaults if None.
        allow: Values, globs and callables that an answer may mention without evidence.
        probed: Called with the complete result after the probes of ``probing="background"``.

    Returns:
        Claims with scores and evidence, and what to do: emit, revise or block.

    Raises:
        ShieldError: The answer is not a text; none or several of *session*, *run* and *evidence*
            are given; the probes run in the background without *probed*.
    """
    return checked(
        answer, session=session, run=run, evidence=evidence, question=question, config=config,
        allow=allow, probed=probed,
    ).report  # fmt: skip


async def acheck_answer(answer: str, **arguments: Any) -> HallucinationReport:
    """Do the same as `check_answer`, with concurrent model calls on this event loop."""
    return (await achecked(answer, **arguments)).report


def checked(answer: str, *, probed: Probed | None = None, **arguments: Any) -> Checked:
    """Do the same as `check_answer`, and return notes and assessments with the report."""
    request = _request(answer, probed, arguments)
    judge, terms = request.config.judge, request.terms
    assessed = play(assess_claims(request, score_claims(request)), judge, terms=terms)
    if probed is not None and _runs_in_background(request, assessed):
        begin(_probe_and_assemble(request, assessed), request, probed)
        return _pending_result(request, assessed)
    return play(_probe_and_assemble(request, assessed), judge, terms=terms)


async def achecked(answer: str, *, probed: Probed | None = None, **arguments: Any) -> Checked:
    """Do the same as `checked` on this event loop; the scorers run in a thread."""
    import asyncio  # sync programs start faster without it

    request = _request(answer, probed, arguments)
    judge, terms = request.config.judge, request.terms
    # a long answer would block the event loop
    scored = await asyncio.to_thread(score_claims, request)
    assessed = await aplay(assess_claims(request, scored), judge, terms=terms)
    if probed is not None and _runs_in_background(request, assessed):
        abegin(_probe_and_assemble(request, assessed), request, probed)
        return _pending_result(request, assessed)
    return await aplay(_probe_and_assemble(request, assessed), judge, terms=terms)


def _request(answer: str, probed: Probed | None, arguments: Mapping[str, Any]) -> AnswerRequest:
    request = request_of(answer, **arguments)
    # before any work: without a callable the result of the probes would be lost
    if request.config.probing == "background" and probed is None:
        raise ShieldError(
            "check_answer: the probes run in the background; give `probed=`, a callable that gets"
            " the whole result, or use `Shield.check_answer`, which records it"
        )
    return request


def _runs_in_background(request: AnswerRequest, assessed: AssessedAnswer) -> bool:
    """Return whether the probes run in the background; if so, take a slot."""
    config = request.config
    if config.probing != "background" or config.judge is None:
        return False
    # the slot last: it is given back only by a probe that ran
    return bool(_claims_to_probe(request, assessed)) and take_slot()


def _pending_result(request: AnswerRequest, assessed: AssessedAnswer) -> Checked:
    """Return the result of an answer whose probes are still running."""
    probes = _unrun_probes(request, assessed, "in the background")
    return assemble(request, assessed._replace(notes=(*assessed.notes, PENDING)), probes)


def _claims_to_probe(request: AnswerRequest, assessed: AssessedAnswer) -> tuple[Claim, ...]:
    """Return the claims to be probed."""
    # without evidence a probe would ask the model for its own knowledge
    if not request.config.probes or NO_EVIDENCE in assessed.notes:
        return ()
    return tuple(one.claim for one in assessed.assessments if one.claim.critical)


def _unrun_probes(
    request: AnswerRequest, assessed: AssessedAnswer, reason: str
) -> tuple[ConsistencyProbe, ...]:
    return tuple(
        ConsistencyProbe(claim=claim.text, original=claim.text, not_run=reason)
        for claim in _claims_to_probe(request, assessed)
    )


def _probe_and_assemble(request: AnswerRequest, assessed: AssessedAnswer) -> Steps[Checked]:
    """Probe the critical claims, and assemble the result."""
    probes, config = _unrun_probes(request, assessed, NO_JUDGE), request.config
    if probes and config.judge is not None:
        claims = _claims_to_probe(request, assessed)
        probes = yield from probe_claims(
            claims, request.answer, request.question, request.evidence, times=config.probes
        )
        broken = tuple(dict.fromkeys(one.not_run for one in probes if one.not_run))
        assessed = assessed._replace(errors=(*assessed.errors, *broken))
    return assemble(request, assessed, probes)
