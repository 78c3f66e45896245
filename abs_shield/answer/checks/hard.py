"""Whether a claim's figures, citations and deeds stand in the evidence: no model, no opinion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from abs_shield.answer.checks.actions import said_done
from abs_shield.answer.checks.backing import Backing
from abs_shield.answer.checks.citations import Sources
from abs_shield.answer.checks.conflicts import contrary
from abs_shield.answer.checks.named_ids import Named, ids_of
from abs_shield.answer.checks.values import How, Standing, Standings
from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.types import Claim, MissingValue, Opinion, Span, Spelling, Unavailable
from abs_shield.text.citations import citations
from abs_shield.text.show import shown

FOUND, DERIVED, ABSENT, CONTRADICTED = 1.0, 0.9, 0.55, 0.25
"""P(grounded) by the worst of a claim's figures."""
_SCORES = {How.FOUND: FOUND, How.DERIVED: DERIVED, How.ABSENT: ABSENT}
_MOST_SPANS = 3
_MOST_DEEDS = 50
"""Deeds of one claim that are looked at each where it stands; of the others one of a kind."""


def hard(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> tuple[Opinion | Unavailable, ...]:
    """
    Check what can be checked without an opinion: figures, citations and deeds.

    A figure is found, derived from figures of the same reply and the newest result, or absent;
    a date, time or amount is looked for in the record that the claim, or what stands around it,
    names. What stands there for another record, and another value for the same field, is a
    contradiction; so are a source that nobody retrieved and a deed that no call stands behind.

    Args:
        claims: The claims of one answer, in order.
        evidence: What they may stand on.
        question: What was asked; its figures need no other evidence.
        answer: The whole answer, so that headings count that are no claims; without it what is
            around a claim is the other claims.

    Returns:
        One for each claim: 1.0 where all is found, .9 where something is derived, .55 where
        something is absent, .25 where it is contradicted; `Unavailable` where there is nothing
        to check, or where a miss proves nothing.
    """
    text = _whole(claims) if answer is None else answer
    check = _Check(text, evidence, question)
    return tuple(check.claim(claim) for claim in claims)


def spellings_of(checks: Iterable[Opinion | Unavailable | None]) -> list[Spelling]:
    """Return the figures that the checks have found in another spelling."""
    return [some for one in checks if isinstance(one, Opinion) for some in one.spellings]


def _whole(claims: Sequence[Claim]) -> str:
    """The answer as far as its claims tell, each on a line of its own."""
    pieces, at = [], 0
    for claim in sorted(claims, key=lambda one: one.start):
        if claim.start >= at:
            pieces += ["\n" * (claim.start - at), claim.text]
            at = claim.start + len(claim.text)
    return "".join(pieces)


@dataclass(slots=True)
class _Seen:
    """What was noticed of one claim so far."""

    checked: bool = False
    score: float = FOUND
    spans: list[Span] = field(default_factory=list)
    missing: list[MissingValue] = field(default_factory=list)
    spellings: list[Spelling] = field(default_factory=list)
    told: str = ""

    def worst(self, score: float, told: str = "") -> None:
        self.checked = True
        self.score = min(self.score, score)
        self.told = self.told or told

    def take(self, standing: Standing) -> None:
        """Take in how a figure stands."""
        self.checked = self.checked or standing.how is not How.IDLE
        if standing.how in _SCORES:
            self.worst(CONTRADICTED if standing.told else _SCORES[standing.how], standing.told)
        self.spans += [standing.span] if standing.span else []
        self.missing += [standing.miss] if standing.miss else []
        self.spellings += [standing.spelling] if standing.spelling else []


class _Check:
    """One answer against its evidence."""

    def __init__(self, answer: str, evidence: Evidence, question: str | None) -> None:
        self._evidence = evidence
        self._sources: Sources = evidence.derived(Sources)
        self._standings = Standings(answer, evidence, question)

    def claim(self, claim: Claim) -> Opinion | Unavailable:
        """Check one claim."""
        seen = _Seen()
        for standing in self._standings.within(claim.start, claim.end):
            seen.take(standing)
        for citation in citations(claim.text):
            told = self._sources.unretrieved(citation)
            seen.worst(CONTRADICTED if told else FOUND, told)
        self._deeds(claim, seen)
        if not seen.told and (against := contrary(claim.text, self._evidence)):
            sentence, why = against
            seen.worst(CONTRADICTED, f"the evidence says {shown(sentence.text)}: {why}")
        span, told = self._standings.flagged(claim)
        if told:
            seen.spans += [span] if span else []
            seen.worst(CONTRADICTED, told)
        return self._scored(seen)

    def _scored(self, seen: _Seen) -> Opinion | Unavailable:
        if not seen.checked:
            return Unavailable("nothing to check")
        if self._evidence.blind and seen.score < DERIVED and not seen.told:
            return Unavailable(self._evidence.blind)
        return Opinion(
            score=seen.score,
            spans=tuple(dict.fromkeys(seen.spans))[:_MOST_SPANS],
            missing=tuple(seen.missing),
            contradicted=seen.told,
            spellings=tuple(seen.spellings),
        )

    def _deeds(self, claim: Claim, seen: _Seen) -> None:
        if self._evidence.deeds is None:
            return
        backing: Backing = self._evidence.derived(Backing)
        found = [*said_done(claim.text)]
        kinds = {said._replace(text="", start=0, end=0): said for said in reversed(found)}
        deeds = dict.fromkeys((*found[:_MOST_DEEDS], *kinds.values()))
        ids = ids_of(claim.text) if deeds else Named()
        for said in deeds:
            behind = backing.behind(said, ids)
            told = "" if behind else f"{shown(said.text)}: no successful call stands behind it"
            seen.worst(FOUND if behind else CONTRADICTED, told)
