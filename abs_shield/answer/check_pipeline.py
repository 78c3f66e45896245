"""
From an answer to its report: claims, opinions, probes and the gate.

Sync and async come from one text: what asks a model is a generator that `play` or `aplay` drives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from abs_shield.answer.assembly import (
    NO_EVIDENCE,
    PENDING,
    SKIPPED,
    AssessedAnswer,
    Checked,
    RunCalls,
    assemble,
)
from abs_shield.answer.checks.value_check import has_unchecked_figures
from abs_shield.answer.claim_types import Assessment, Claim, Opinion, Opinions, Unavailable
from abs_shield.answer.combination import combine
from abs_shield.answer.evidence.extent import read_of_answer
from abs_shield.answer.evidence.passages import Evidence
from abs_shield.answer.extraction.claim_reader import claims_of
from abs_shield.answer.extraction.markdown_blocks import has_code
from abs_shield.answer.injected import injected
from abs_shield.answer.probes.background_probes import Probed, abegin, begin, take_slot
from abs_shield.answer.probes.consistency import ConsistencyProbe, probe_claims
from abs_shield.answer.report import HallucinationReport
from abs_shield.answer.request import AnswerRequest, request_of
from abs_shield.answer.scorers import CHECKS, SCORERS, Effect, Scorer
from abs_shield.answer.scorers.word_scorer import answer_score
from abs_shield.errors import ShieldError
from abs_shield.model import aplay, play
from abs_shield.model.ask import NO_JUDGE, Steps
from abs_shield.policy.answer_config import AnswerConfig
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
        session: The run that it ends.
        run: A recorded run in place of a session: its messages, in any provider's shape,
            or an object or mapping that has them as ``messages``.
        evidence: Documents in place of a run: a text, a list of texts or of ``{"id", "text"}``,
            or an `Evidence`.
        question: What the user asked; of a run its newest user message if None.
        config: Thresholds and models; the defaults if None.
        allow: Values, globs and callables that a run may mention without having seen them.
        probed: Called with the whole once ``probing="background"`` is through with its probes.

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


async def acheck_answer(answer: str, **given: Any) -> HallucinationReport:
    """As `check_answer`; models are asked side by side, without blocking the event loop."""
    return (await achecked(answer, **given)).report


def checked(answer: str, *, probed: Probed | None = None, **given: Any) -> Checked:
    """As `check_answer`, with what the report has no field for."""
    request = _request(answer, probed, given)
    judge, terms = request.config.judge, request.terms
    found = play(_assessed(request, _scored(request)), judge, terms=terms)
    if probed is not None and _is_late(request, found):
        begin(_probed(request, found), request, probed)
        return _pending(request, found)
    return play(_probed(request, found), judge, terms=terms)


async def achecked(answer: str, *, probed: Probed | None = None, **given: Any) -> Checked:
    """As `checked`, on this event loop; what computes does so in a thread."""
    import asyncio  # sync programs start faster without it

    request = _request(answer, probed, given)
    judge, terms = request.config.judge, request.terms
    scored = await asyncio.to_thread(_scored, request)  # a long answer would block the event loop
    found = await aplay(_assessed(request, scored), judge, terms=terms)
    if probed is not None and _is_late(request, found):
        abegin(_probed(request, found), request, probed)
        return _pending(request, found)
    return await aplay(_probed(request, found), judge, terms=terms)


def _request(answer: str, probed: Probed | None, given: Mapping[str, Any]) -> AnswerRequest:
    request = request_of(answer, **given)
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
    The claims of an answer, and what each scorer says of them.

    Attributes:
        request: What is checked.
        answer: As much of the answer as is read.
        claims: Its claims, in order.
        opinions: One for each claim, by the scorer's name.
    """

    request: AnswerRequest
    answer: str
    claims: tuple[Claim, ...]
    opinions: dict[str, Opinions] = field(default_factory=dict)

    @property
    def effects(self) -> dict[str, Effect]:
        """What each scorer may do here."""
        in_run = self.request.in_run
        found = {name: scorer.effect(in_run=in_run) for name, scorer in SCORERS.items()}
        return found | ({"words": Effect.REVISE} if self.request.config.words == "gate" else {})

    @property
    def unread(self) -> tuple[Assessment, ...]:
        """The rest of the answer as one claim that nothing scores; none where all is read."""
        start, whole = len(self.answer), self.request.answer
        if start == len(whole):
            return ()
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
        Return the places of claims that the cheap scorers leave open: models are asked about them.

        Those are claims that the words alone do not emit, unless a check contradicts them. Low
        scores of words are no exception: a claim in other words scores low, and may hold.
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
        """Add what a scorer says of the claims at some places."""
        some: list[Opinion | Unavailable | None] = [None] * len(self.claims)
        for place, one in zip(places, opinions, strict=True):
            some[place] = one
        self.opinions[name] = tuple(some)


def _scored(request: AnswerRequest) -> _Scores:
    """Ask every scorer but the judge."""
    config, evidence = request.config, request.evidence
    answer = read_of_answer(request.answer) if config.scores else request.answer
    claims = claims_of(answer, questions=not request.in_run) if config.scores else ()
    scores = _Scores(request, answer, claims)
    for name in CHECKS:
        scores.opinions[name] = _checked(SCORERS[name], scores)
    if claims and request.has_no_evidence:
        for name in CHECKS:  # what cannot have been done is wrong; all else is unverified
            scores.opinions[name] = tuple(map(_refuted_alone, scores.opinions[name]))
        return scores
    scores.opinions["words"] = _words(scores)
    places = scores.open() if config.verifier is not None else ()
    if places:
        some = tuple(claims[place] for place in places)
        verify = SCORERS["verifier"].score
        opinions = verify(some, evidence, question=request.usable_question, model=config.verifier)
        scores.add("verifier", places, opinions)
    return scores


def _checked(scorer: Scorer, scores: _Scores) -> Opinions:
    request = scores.request
    opinions: Opinions = scorer.score(
        scores.claims, request.evidence, question=request.usable_question, answer=scores.answer
    )
    return opinions


def _words(scores: _Scores) -> Opinions:
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
            _of_half(one, fact, request) for one, fact in zip(opinions, facts, strict=True)
        )
    if request.evidence.blind or request.evidence.vouches is not None:
        some = (one for one in opinions if isinstance(one, Opinion))
        return tuple(replace(one, missing=()) for one in some)  # it may have been seen
    return opinions


def _of_half(
    words: Opinion | Unavailable | None,
    facts: Opinion | Unavailable | None,
    request: AnswerRequest,
) -> Opinion | Unavailable:
    """
    Return what the words say of a claim where a part of the evidence is not read.

    It may have the values that the facts do not find, and beside documents the words, too: then
    nothing scores the claim.
    """
    unread = Unavailable(request.evidence.unread)
    if not isinstance(words, Opinion) or facts == Unavailable(request.evidence.blind):
        return unread
    low = not request.in_run and words.score < request.config.revise_threshold
    return unread if low else replace(words, missing=())


def _refuted_alone(one: Opinion | Unavailable | None) -> Opinion | None:
    return one if isinstance(one, Opinion) and one.contradicted else None


def _assessed(request: AnswerRequest, scores: _Scores) -> Steps[AssessedAnswer]:
    """Ask the judge about the claims that are open, and return what is known before the probes."""
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
    asked = (one for name, some in scores.opinions.items() if SCORERS[name].model for one in some)
    return tuple(dict.fromkeys(one.reason for one in asked if isinstance(one, Unavailable)))


def _notes(scores: _Scores) -> tuple[str, ...]:
    request, answer = scores.request, scores.answer
    notes: tuple[str, ...] = () if request.config.scores else (SKIPPED,)
    if scores.claims and "words" not in scores.opinions:
        notes = (NO_EVIDENCE,)
    if ("```" in answer or "~~~" in answer) and has_code(answer):
        notes += (_CODE,)
    if scores.unread:
        notes += (_ANSWER_UNREAD,)
    if request.config.scores and request.evidence.unread:
        notes += (_UNREAD,)
    if request.config.scores and has_unchecked_figures(answer):
        notes += (_CUT,)
    if request.config.judge is None:  # what no model reads instructs none
        return notes
    both = (injected(request.answer, Evidence(())), injected("", request.evidence))
    return (*notes, *(name for name, some in zip(_INJECTED, both, strict=True) if some))


def _overall(scores: _Scores) -> float | None:
    """
    Return the worst claim's score; of words at even odds the answer layer's, which reads all.

    A check bounds either: no answer is better than a claim that is known to be wrong.
    """
    words = [one for one in scores.opinions.get("words", ()) if isinstance(one, Opinion)]
    if not words or scores.request.config.aggregate != "min":
        return None
    some = [one for one in scores.assessments() if one.score is not None]
    asked_models = any(SCORERS[name].model for name in scores.opinions)
    if asked_models or scores.request.prior or scores.effects["words"] is Effect.ROUTE:
        return min(one.score for one in some if one.score is not None)
    confirmed = (one.score for one in some if one.confirmed and one.score is not None)
    return min([answer_score(words), *confirmed])


# Stage 3: probes ----------------------------------------------------------------------------------


def _is_late(request: AnswerRequest, found: AssessedAnswer) -> bool:
    """Return whether the answer goes without waiting for its probes; if so, a slot is taken."""
    config = request.config
    if config.probing != "background" or config.judge is None:
        return False
    return bool(_critical(request, found)) and take_slot()


def _pending(request: AnswerRequest, found: AssessedAnswer) -> Checked:
    """Return the report of an answer whose probes still run."""
    probes = _not_run(request, found, "in the background")
    return assemble(request, found._replace(notes=(*found.notes, PENDING)), probes)


def _critical(request: AnswerRequest, found: AssessedAnswer) -> tuple[Claim, ...]:
    """Return the claims that are asked again."""
    if not request.config.probes or NO_EVIDENCE in found.notes:
        return ()
    return tuple(one.claim for one in found.assessments if one.claim.critical)


def _not_run(
    request: AnswerRequest, found: AssessedAnswer, reason: str
) -> tuple[ConsistencyProbe, ...]:
    return tuple(
        ConsistencyProbe(claim=claim.text, original=claim.text, not_run=reason)
        for claim in _critical(request, found)
    )


def _probed(request: AnswerRequest, found: AssessedAnswer) -> Steps[Checked]:
    """Ask about the critical claims again, and report."""
    probes, config = _not_run(request, found, NO_JUDGE), request.config
    if probes and config.judge is not None:
        claims = _critical(request, found)
        probes = yield from probe_claims(
            claims, request.answer, request.question, request.evidence, times=config.probes
        )
        broken = tuple(dict.fromkeys(one.not_run for one in probes if one.not_run))
        found = found._replace(errors=(*found.errors, *broken))
    return assemble(request, found, probes)
