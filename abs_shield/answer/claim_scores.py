"""The opinions of all scorers on the claims of an answer, and what they add up to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from abs_shield.answer.answer_request import AnswerRequest
from abs_shield.answer.checks.value_check import has_unchecked_figures
from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.claim_types import Assessment, Claim, Opinion, Opinions
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.evidence.reading_limits import read_of_answer
from abs_shield.answer.judge_questions import injected_instructions
from abs_shield.answer.markdown_blocks import has_code, without_json
from abs_shield.answer.report_assembly import NO_EVIDENCE, SKIPPED, AssessedAnswer, RunCalls
from abs_shield.answer.score_combination import combine
from abs_shield.answer.scorers import CHECKS, SCORERS, Scorer, ScorerEffect
from abs_shield.answer.scorers.word_scorer import answer_score, count_remarks
from abs_shield.core import Unavailable
from abs_shield.model.ask import Steps

_CODE = "code_not_checked"
_CUT = "figures_cut"
_UNREAD = "evidence_cut"
_ANSWER_UNREAD = "answer_cut"
_INJECTED = ("instructions_in_answer", "instructions_in_evidence")


@dataclass(frozen=True, slots=True)
class ClaimScores:
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


def score_claims(request: AnswerRequest) -> ClaimScores:
    """Ask every scorer but the judge."""
    config, evidence = request.config, request.evidence
    answer = without_json(read_of_answer(request.answer)) if config.scores else request.answer
    claims = claims_of(answer, questions=not request.in_run) if config.scores else ()
    scores = ClaimScores(request, answer, claims)
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


def _run_check(scorer: Scorer, scores: ClaimScores) -> Opinions:
    request = scores.request
    opinions: Opinions = scorer.score(
        scores.claims, request.evidence, question=request.usable_question, answer=scores.answer
    )
    return opinions


def _score_words(scores: ClaimScores) -> Opinions:
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


def assess_claims(request: AnswerRequest, scores: ClaimScores) -> Steps[AssessedAnswer]:
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


def _errors(scores: ClaimScores) -> tuple[str, ...]:
    """Return why a verifier or a judge gave no usable opinion."""
    model_opinions = (
        one for name, some in scores.opinions.items() if SCORERS[name].model for one in some
    )
    return tuple(
        dict.fromkeys(one.reason for one in model_opinions if isinstance(one, Unavailable))
    )


def _notes(scores: ClaimScores) -> tuple[str, ...]:
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


def _overall(scores: ClaimScores) -> float | None:
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
    remarks = count_remarks(scores.answer, scores.claims, scores.request.evidence)
    return min([answer_score(words, remarks=remarks), *confirmed])
