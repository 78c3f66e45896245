"""From an answer to its report: claims, scores, probes and the gate, sync and async of one text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from abs_shield.answer.assembly import (
    NO_EVIDENCE,
    PENDING,
    SKIPPED,
    Checked,
    Found,
    found_of,
    reported,
)
from abs_shield.answer.checks.hard import hard, spellings_of
from abs_shield.answer.checks.values import has_unchecked_figures
from abs_shield.answer.combination import Assessment, Said, combined, refuted
from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.extraction.blocks import has_code
from abs_shield.answer.extraction.claims import claims_of
from abs_shield.answer.injected import injected
from abs_shield.answer.odds import at_base_rate, at_odds
from abs_shield.answer.probes.background import Probed, abegin, begin, room
from abs_shield.answer.probes.consistency import ConsistencyProbe, probing
from abs_shield.answer.report import HallucinationReport
from abs_shield.answer.request import Asked, asked_of
from abs_shield.answer.scorers.judge import judging
from abs_shield.answer.scorers.verifier import entailment
from abs_shield.answer.scorers.words import answer_score, lexical
from abs_shield.answer.types import Claim, MissingValue, Opinion, Unavailable
from abs_shield.errors import ShieldError
from abs_shield.model import aplay, play
from abs_shield.model.ask import NO_JUDGE, Steps
from abs_shield.policy.answer import AnswerConfig
from abs_shield.session import Session

_CODE = "code_not_checked"
_CUT = "figures_cut"
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
        run: A recorded run in place of a session: its messages, in OpenAI's or Anthropic's shape,
            or an object or mapping that has them as ``messages``.
        evidence: Documents in place of a run: a text, a list of texts or of ``{"id", "text"}``,
            or an `Evidence`.
        question: What the user asked; of a run its newest user message where None.
        config: Thresholds, and who is asked; the usual where None.
        allow: Values, globs and callables that a run may speak of without having seen them.
        probed: Told the whole once ``probing="background"`` is through with its probes.

    Returns:
        Claims with scores and evidence, and what to do: emit, revise or block.

    Raises:
        ShieldError: The answer is no text; none or several of *session*, *run* and *evidence* are
            given; the probes run in the background and nobody is told.
    """
    return checked(
        answer, session=session, run=run, evidence=evidence, question=question, config=config,
        allow=allow, probed=probed,
    ).report  # fmt: skip


async def acheck_answer(answer: str, **given: Any) -> HallucinationReport:
    """As `check_answer`; models are asked side by side, without holding up the event loop."""
    return (await achecked(answer, **given)).report


def checked(answer: str, *, probed: Probed | None = None, **given: Any) -> Checked:
    """As `check_answer`, with what the report has no field for."""
    asked = _asked(answer, probed, given)
    judge, terms = asked.config.judge, asked.terms
    found = play(_scored(asked, _read(asked)), judge, terms=terms)
    if probed is not None and _is_late(asked, found):
        begin(_probed(asked, found), asked, probed)
        return _pending(asked, found)
    return play(_probed(asked, found), judge, terms=terms)


async def achecked(answer: str, *, probed: Probed | None = None, **given: Any) -> Checked:
    """As `checked`, on this event loop; what computes does so in a thread."""
    asked = _asked(answer, probed, given)
    judge, terms = asked.config.judge, asked.terms
    found = await aplay(_scored(asked, await _aread(asked)), judge, terms=terms)
    if probed is not None and _is_late(asked, found):
        abegin(_probed(asked, found), asked, probed)
        return _pending(asked, found)
    return await aplay(_probed(asked, found), judge, terms=terms)


def _asked(answer: str, probed: Probed | None, given: Mapping[str, Any]) -> Asked:
    asked = asked_of(answer, **given)
    if asked.config.probing == "background" and probed is None:
        raise ShieldError(
            "check_answer: the probes run in the background; give `probed=` a callable that is"
            " told the whole, or use `Shield.check_answer`, which writes it down"
        )
    return asked


# Stage 2 -----------------------------------------------------------------------------------------


class _Read(NamedTuple):
    """
    What code alone and a verifier say of each claim, in order.

    Attributes:
        claims: The claims.
        bare: The lexical scores at even odds; None where there is no evidence.
        lexical: The same at the odds of the run; in their place the base rate, where facts decide.
        hard: The hard checks.
        said: What models said of those that were left open.
        of_a_run: Whether figures may be reckoned from more than anybody can follow here.
    """

    claims: tuple[Claim, ...]
    bare: Sequence[Opinion | None]
    lexical: Sequence[Opinion | None]
    hard: Sequence[Said]
    said: dict[Claim, list[Said]]
    of_a_run: bool = False

    @property
    def judged(self) -> tuple[Assessment, ...]:
        told = zip(self.claims, self.bare, self.lexical, self.hard, strict=True)
        return tuple(
            combined(
                claim,
                bare if refuted(said) else lexical,
                hard,
                said,
                absent_refutes=not self.of_a_run,
            )._replace(words=bare.score if bare else None)
            for claim, bare, lexical, hard in told
            for said in [self.said.get(claim, ())]
        )


def _read(asked: Asked) -> _Read:
    """Score every claim without a judge."""
    evidence, of_documents = asked.evidence, asked.session is None
    claims = claims_of(asked.answer, questions=of_documents) if asked.config.scores else ()
    question = None if asked.config.strict_tool_evidence else asked.question  # it is the user's
    checks = hard(claims, evidence, question=question, answer=asked.answer)
    if claims and not evidence.pieces and not evidence.deeds:
        nothing = (None,) * len(claims)
        return _Read(claims, nothing, nothing, _undone(checks), {})
    missed = _missed(checks) if asked.has_base_rate else None
    bare = lexical(
        claims, evidence, question=question, missed=missed, spellings=spellings_of(checks)
    )
    if evidence.blind or evidence.vouches is not None:  # what stands nowhere may have stood there
        bare = tuple(replace(one, missing=()) for one in bare)
    first = _weighed(asked, claims, bare, checks)
    read = _Read(claims, bare, first, checks, {}, of_a_run=asked.has_base_rate)
    open_ = _open(read, asked.config)
    if open_ and asked.config.verifier is not None:
        verify = entailment(asked.config.verifier)
        for claim, one in zip(open_, verify(open_, evidence, question=question), strict=True):
            read.said[claim] = [one]
    return read


def _weighed(
    asked: Asked, claims: Sequence[Claim], bare: Sequence[Opinion], checks: Sequence[Said]
) -> list[Opinion]:
    """The lexical scores as the gate reads them."""
    if asked.facts_decide:
        return [at_base_rate(one, asked) for one in bare]
    sources = {piece.id: piece.source for piece in asked.evidence}
    told = zip(claims, bare, checks, strict=True)
    return [at_odds(*one, asked, sources) for one in told]


def _missed(checks: Sequence[Said]) -> list[MissingValue]:
    return [miss for one in checks if isinstance(one, Opinion) for miss in one.missing]


def _undone(checks: Sequence[Said]) -> tuple[Said, ...]:
    """Of a run in which nothing came back, what it cannot have done; all else is unverified."""
    return tuple(one if isinstance(one, Opinion) and one.contradicted else None for one in checks)


async def _aread(asked: Asked) -> _Read:
    """In a thread: a long answer would hold the event loop up, and so would a verifier."""
    import asyncio  # sync programs start faster without it

    return await asyncio.to_thread(_read, asked)


def _open(read: _Read, config: AnswerConfig) -> tuple[Claim, ...]:
    """
    Give the claims that the cheap scorers leave open: the models are asked about these.

    In a run such a claim is high enough with the run's base rate, and too low without it.
    """
    low, high = config.block_threshold, config.emit_threshold
    cheap = read._replace(said={}).judged
    return tuple(
        one.claim
        for one, bare in zip(cheap, read.bare, strict=True)
        if one.score is not None and bare is not None and low <= one.score
        if min(one.score, bare.score) < high
    )


def _scored(asked: Asked, read: _Read) -> Steps[Found]:
    """Ask the judge about the claims that are open, and give what is known before the probes."""
    config = asked.config
    open_ = _open(read, config)
    if open_ and config.judge is not None:
        verdicts = yield from judging(open_, asked.evidence, asked.question)
        for claim, one in zip(open_, verdicts, strict=True):
            read.said.setdefault(claim, []).append(one)
    return found_of(
        asked,
        read.judged,
        overall=_overall(read, config),
        notes=_notes(asked, read),
        errors=_errors(read),
    )


def _errors(read: _Read) -> tuple[str, ...]:
    """Why a verifier or a judge gave no usable word."""
    said = (one for some in read.said.values() for one in some)
    return tuple(dict.fromkeys(one.reason for one in said if isinstance(one, Unavailable)))


def _notes(asked: Asked, read: _Read) -> tuple[str, ...]:
    notes: tuple[str, ...] = () if asked.config.scores else (SKIPPED,)
    if None in read.lexical:
        notes = (NO_EVIDENCE,)
    if "```" in asked.answer or "~~~" in asked.answer:
        notes += (_CODE,) if has_code(asked.answer) else ()
    if asked.config.scores and has_unchecked_figures(asked.answer):
        notes += (_CUT,)
    if asked.config.judge is None:  # what nobody reads instructs nobody
        return notes
    none = Evidence(())
    told = (injected(asked.answer, none), injected("", asked.evidence))
    found = (name for name, some in zip(_INJECTED, told, strict=True) if some)
    return (*notes, *found)


def _overall(read: _Read, config: AnswerConfig) -> float | None:
    """
    The worst claim's score; of lexical scores at even odds the answer layer's, which reads all.

    A hard check bounds either: no answer is better than a claim that is known to be wrong.
    """
    scored = [one for one in read.judged if one.score is not None]
    bare = [one for one in read.bare if one is not None]
    if not bare or config.aggregate != "min":
        return None
    if read.said or [*read.lexical] != [*read.bare]:
        return min(one.score for one in scored if one.score is not None)
    known = (one.score for one in scored if one.confirmed and one.score is not None)
    return min([answer_score(bare), *known])


# Stage 3 -----------------------------------------------------------------------------------------


def _is_late(asked: Asked, found: Found) -> bool:
    """Whether the answer goes without waiting for its probes; who says so has a place there."""
    config = asked.config
    if config.probing != "background" or config.judge is None:
        return False
    return bool(_critical(asked, found)) and room()


def _pending(asked: Asked, found: Found) -> Checked:
    """Give the report of an answer whose probes are still being asked."""
    probes = _unasked(asked, found, "in the background")
    return reported(asked, found._replace(notes=(*found.notes, PENDING)), probes)


def _critical(asked: Asked, found: Found) -> tuple[Claim, ...]:
    """What is to be asked again."""
    if not asked.config.probes or NO_EVIDENCE in found.notes:
        return ()
    return tuple(one.claim for one in found.judged if one.claim.critical)


def _unasked(asked: Asked, found: Found, reason: str) -> tuple[ConsistencyProbe, ...]:
    return tuple(
        ConsistencyProbe(claim=claim.text, original=claim.text, not_run=reason)
        for claim in _critical(asked, found)
    )


def _probed(asked: Asked, found: Found) -> Steps[Checked]:
    """Ask about the critical claims again, and report."""
    probes, config = _unasked(asked, found, NO_JUDGE), asked.config
    if probes and config.judge is not None:
        claims = _critical(asked, found)
        again = probing(claims, asked.answer, asked.question, asked.evidence, times=config.probes)
        probes = yield from again
        broke = tuple(dict.fromkeys(one.not_run for one in probes if one.not_run))
        found = found._replace(errors=(*found.errors, *broke))
    return reported(asked, found, probes)
