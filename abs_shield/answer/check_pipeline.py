"""
The pipeline of an answer check: claims, opinions, probes, the gate and the report.

Sync and async share one implementation: generators yield questions, `play` or `aplay` asks them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from abs_shield.answer.answer_request import AnswerRequest, request_of
from abs_shield.answer.background_probes import Probed, abegin, begin, take_slot
from abs_shield.answer.checks.value_check import has_unchecked_figures
from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.claim_types import Assessment, Claim, Opinion, Opinions
from abs_shield.answer.consistency_probes import ConsistencyProbe, probe_claims
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.evidence.reading_limits import read_of_answer
from abs_shield.answer.hallucination_report import HallucinationReport
from abs_shield.answer.judge_questions import injected_instructions
from abs_shield.answer.markdown_blocks import has_code
from abs_shield.answer.report_assembly import (
    NO_EVIDENCE,
    PENDING,
    SKIPPED,
    AssessedAnswer,
    Checked,
    RunCalls,
    assemble,
)
from abs_shield.answer.score_combination import combine
from abs_shield.answer.scorers import CHECKS, SCORERS, Scorer, ScorerEffect
from abs_shield.answer.scorers.word_scorer import answer_score
from abs_shield.core import Unavailable
from abs_shield.errors import ShieldError
from abs_shield.model import aplay, play
from abs_shield.model.ask import NO_JUDGE, Steps
from abs_shield.policy.check_config import AnswerConfig
from abs_shield.session import Session

_CODE = "code_not_checked"
_CUT = "figures_cut"
_UNREAD = "evidence_cut"
_ANSWER_UNREAD = "answer_cut"
_INJECTED = ("instructions_in_answer", "instructions_in_evidence")


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
    assessed = play(_assess(request, _score(request)), judge, terms=terms)
    if probed is not None and _runs_in_background(request, assessed):
        begin(_probe_and_assemble(request, assessed), request, probed)
        return _pending_result(request, assessed)
    return play(_probe_and_assemble(request, assessed), judge, terms=terms)


async def achecked(answer: str, *, probed: Probed | None = None, **arguments: Any) -> Checked:
    """Do the same as `checked` on this event loop; the scorers run in a thread."""
    import asyncio  # sync programs start faster without it

    request = _request(answer, probed, arguments)
    judge, terms = request.config.judge, request.terms
    scored = await asyncio.to_thread(_score, request)  # a long answer would block the event loop
    assessed = await aplay(_assess(request, scored), judge, terms=terms)
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


# Stage 2: opinions --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Scores:
    """
    The claims of an answer, and each scorer's opinions on them.

    Attributes:
        request: The request.
        answer: The part of the answer that is read.
        claims: Its claims, in order.
        opinions: One for each claim, by the scorer's name.
    """

    request: AnswerRequest
    answer: str
    claims: tuple[Claim, ...]
    opinions: dict[str, Opinions] = field(default_factory=dict)

    @property
    def effects(self) -> dict[str, ScorerEffect]:
        """The effect that each scorer may have on this answer."""
        in_run = self.request.in_run
        assessed = {name: scorer.effect(in_run=in_run) for name, scorer in SCORERS.items()}
        return assessed | (
            {"words": ScorerEffect.REVISE} if self.request.config.words == "gate" else {}
        )

    @property
    def unread(self) -> tuple[Assessment, ...]:
        """The rest of the answer as one unscored claim; empty if all is read."""
        start, whole = len(self.answer), self.request.answer
        if start == len(whole):
            return ()
        # unscored, so that the gate does not emit what nobody has read
        return (Assessment(Claim(whole[start:], start, len(whole)), None),)

    def assessments(self, *, models: bool = True) -> tuple[Assessment, ...]:
        """Combine the opinions of each claim; without *models*, those of cheap scorers alone."""
        used = [name for name in self.opinions if models or not SCORERS[name].model]
        effects, request = self.effects, self.request
        return tuple(
            combine(
                claim,
                {name: self.opinions[name][place] for name in used},
                effects=effects,
                prior=request.prior,
                missing_confirms=not request.has_base_rate,
            )
            for place, claim in enumerate(self.claims)
        )

    def open(self) -> tuple[int, ...]:
        """
        Return the positions of claims that the cheap scorers leave undecided, for the models.

        These are claims that the words alone do not emit, unless a check contradicts them. Low
        scores of words are included: a paraphrase scores low and may be true.
        """
        high = self.request.config.emit_threshold
        return tuple(
            place
            for place, one in enumerate(self.assessments(models=False))
            if one.score is not None and one.words is not None and not one.contradicted
            if min(one.score, one.words) < high
        )

    def add(
        self, name: str, places: Sequence[int], opinions: Iterable[Opinion | Unavailable]
    ) -> None:
        """Add a scorer's opinions on the claims at some positions."""
        some: list[Opinion | Unavailable | None] = [None] * len(self.claims)
        for place, one in zip(places, opinions, strict=True):
            some[place] = one
        self.opinions[name] = tuple(some)


def _score(request: AnswerRequest) -> _Scores:
    """Ask every scorer but the judge."""
    config, evidence = request.config, request.evidence
    answer = read_of_answer(request.answer) if config.scores else request.answer
    claims = claims_of(answer, questions=not request.in_run) if config.scores else ()
    scores = _Scores(request, answer, claims)
    for name in CHECKS:
        scores.opinions[name] = _run_check(SCORERS[name], scores)
    if claims and request.has_no_evidence:
        # an action that cannot have been done is wrong; other claims are unverified
        for name in CHECKS:
            scores.opinions[name] = tuple(map(_combine_refutations, scores.opinions[name]))
        return scores
    scores.opinions["words"] = _score_words(scores)
    places = scores.open() if config.verifier is not None else ()
    if places:
        some = tuple(claims[place] for place in places)
        verify = SCORERS["verifier"].score
        opinions = verify(some, evidence, question=request.usable_question, model=config.verifier)
        scores.add("verifier", places, opinions)
    return scores


def _run_check(scorer: Scorer, scores: _Scores) -> Opinions:
    request = scores.request
    opinions: Opinions = scorer.score(
        scores.claims, request.evidence, question=request.usable_question, answer=scores.answer
    )
    return opinions


def _score_words(scores: _Scores) -> Opinions:
    request, facts = scores.request, scores.opinions["facts"]
    opinions: Opinions = SCORERS["words"].score(
        scores.claims,
        request.evidence,
        question=request.usable_question,
        facts=facts,
        trust_facts=request.has_base_rate,
    )
    if request.evidence.unread:
        return tuple(
            _opinion_on_partial_evidence(one, fact, request)
            for one, fact in zip(opinions, facts, strict=True)
        )
    if request.evidence.blind or request.evidence.vouches is not None:
        some = (one for one in opinions if isinstance(one, Opinion))
        return tuple(replace(one, missing=()) for one in some)  # unrecorded text may contain it
    return opinions


def _opinion_on_partial_evidence(
    words: Opinion | Unavailable | None,
    facts: Opinion | Unavailable | None,
    request: AnswerRequest,
) -> Opinion | Unavailable:
    """
    Return the opinion of the words on a claim if a part of the evidence is not read.

    The unread part may contain values that the facts miss, and in documents the words, too: then
    the claim is not scored.
    """
    unread = Unavailable(request.evidence.unread)
    # where the facts could not look, a value may be missing, too
    if not isinstance(words, Opinion) or facts == Unavailable(request.evidence.blind):
        return unread
    # in a run, low scores of words are usual for honest replies and do not count
    low = not request.in_run and words.score < request.config.revise_threshold
    return unread if low else replace(words, missing=())


def _combine_refutations(one: Opinion | Unavailable | None) -> Opinion | None:
    return one if isinstance(one, Opinion) and one.contradicted else None


def _assess(request: AnswerRequest, scores: _Scores) -> Steps[AssessedAnswer]:
    """Ask the judge about the undecided claims, and return the assessment before the probes."""
    places = scores.open() if request.config.judge is not None else ()
    if places:
        some = tuple(scores.claims[place] for place in places)
        opinions = yield from SCORERS["judge"].score(some, request.evidence, request.question)
        scores.add("judge", places, opinions)
    return AssessedAnswer(
        scores.assessments() + scores.unread,
        _overall(scores),
        RunCalls.of(request.session),
        notes=_notes(scores),
        errors=_errors(scores),
    )


def _errors(scores: _Scores) -> tuple[str, ...]:
    """Return why a verifier or a judge gave no usable opinion."""
    model_opinions = (
        one for name, some in scores.opinions.items() if SCORERS[name].model for one in some
    )
    return tuple(
        dict.fromkeys(one.reason for one in model_opinions if isinstance(one, Unavailable))
    )


def _notes(scores: _Scores) -> tuple[str, ...]:
    request, answer = scores.request, scores.answer
    notes: tuple[str, ...] = () if request.config.scores else (SKIPPED,)
    if scores.claims and "words" not in scores.opinions:
        notes = (NO_EVIDENCE,)
    # two substring searches first: splitting into blocks reads the whole answer
    if ("```" in answer or "~~~" in answer) and has_code(answer):
        notes += (_CODE,)
    if scores.unread:
        notes += (_ANSWER_UNREAD,)
    if request.config.scores and request.evidence.unread:
        notes += (_UNREAD,)
    if request.config.scores and has_unchecked_figures(answer):
        notes += (_CUT,)
    if request.config.judge is None:  # without a model, instructions have no effect
        return notes
    both = (
        injected_instructions(request.answer, Evidence(())),
        injected_instructions("", request.evidence),
    )
    return (*notes, *(name for name, some in zip(_INJECTED, both, strict=True) if some))


def _overall(scores: _Scores) -> float | None:
    """
    Return the overall score: the worst claim's, or at even odds that of the answer layer.

    Either is capped by the checks: no answer scores higher than a claim confirmed as wrong.
    """
    words = [one for one in scores.opinions.get("words", ()) if isinstance(one, Opinion)]
    if not words or scores.request.config.aggregate != "min":
        return None
    some = [one for one in scores.assessments() if one.score is not None]
    has_models = any(SCORERS[name].model for name in scores.opinions)
    # the joint estimate of the words is calibrated at even odds, and without models
    if has_models or scores.request.prior or scores.effects["words"] is ScorerEffect.ROUTE:
        return min(one.score for one in some if one.score is not None)
    confirmed = (one.score for one in some if one.confirmed and one.score is not None)
    return min([answer_score(words), *confirmed])


# Stage 3: probes ----------------------------------------------------------------------------------


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
