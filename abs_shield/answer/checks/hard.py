"""The deterministic checks of a claim: values, actions, sources and polarity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from abs_shield.answer.checks.actions import actions
from abs_shield.answer.checks.citations import sources
from abs_shield.answer.checks.opinions import CONTRADICTED, FOUND, NOTHING
from abs_shield.answer.checks.polarity import polarity
from abs_shield.answer.checks.values import How, Standings
from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.types import (
    Claim,
    MissingValue,
    Opinion,
    Opinions,
    Spelling,
    Unavailable,
)

DERIVED, ABSENT = 0.9, 0.55
"""P(grounded) by the worst of a claim's values."""
_SCORES = {How.FOUND: FOUND, How.DERIVED: DERIVED, How.ABSENT: ABSENT}
_MOST_SPANS = 3


def facts(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> Opinions:
    """
    Check the values of claims: found, derived from others, missing, or contradicted.

    Args:
        claims: The claims of one answer, in order.
        evidence: What they may rest on.
        question: What was asked; its values need no other evidence.
        answer: The whole answer, so that headings count that are no claims; without it what is
            around a claim is the other claims.
    """
    standings = Standings(joined(claims) if answer is None else answer, evidence, question)
    return tuple(_of_values(claim, standings, evidence) for claim in claims)


def _of_values(claim: Claim, standings: Standings, evidence: Evidence) -> Opinion | Unavailable:
    some = [*standings.within(claim.start, claim.end)]
    if all(one.how is How.IDLE for one in some):
        return NOTHING
    conflict = next((one.told for one in some if one.told), "")
    score = min((_SCORES[one.how] for one in some if one.how in _SCORES), default=FOUND)
    if evidence.blind and score < DERIVED and not conflict:
        return Unavailable(evidence.blind)
    spans = dict.fromkeys(one.span for one in some if one.span)
    return Opinion(
        score=CONTRADICTED if conflict else score,
        spans=tuple(spans)[:_MOST_SPANS],
        missing=tuple(one.miss for one in some if one.miss),
        contradicted=conflict,
        spellings=tuple(one.spelling for one in some if one.spelling),
    )


def hard(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> tuple[Opinion | Unavailable, ...]:
    """Return one opinion a claim from all deterministic checks: the worst score, all the rest."""
    each = (
        facts(claims, evidence, question=question, answer=answer),
        sources(claims, evidence),
        actions(claims, evidence),
        polarity(claims, evidence, answer=answer),
    )
    return tuple(_joined(some) for some in zip(*each, strict=True))


def _joined(some: Iterable[Opinion | Unavailable | None]) -> Opinion | Unavailable:
    given = [*some]
    found = [one for one in given if isinstance(one, Opinion)]
    if not found:
        said = [one for one in given if isinstance(one, Unavailable) and one is not NOTHING]
        return said[0] if said else NOTHING
    return Opinion(
        score=min(one.score for one in found),
        spans=tuple(dict.fromkeys(span for one in found for span in one.spans))[:_MOST_SPANS],
        missing=tuple(value for one in found for value in one.missing),
        contradicted=next((one.contradicted for one in found if one.contradicted), ""),
        spellings=tuple(value for one in found for value in one.spellings),
    )


def spellings_of(checks: Iterable[Opinion | Unavailable | None]) -> list[Spelling]:
    """Return the values that the checks have found in another spelling."""
    return [some for one in checks if isinstance(one, Opinion) for some in one.spellings]


def missing_of(checks: Iterable[Opinion | Unavailable | None]) -> list[MissingValue]:
    """Return the values that the checks have not found."""
    return [some for one in checks if isinstance(one, Opinion) for some in one.missing]


def joined(claims: Sequence[Claim]) -> str:
    """Return the answer as far as its claims tell, each on a line of its own."""
    pieces, at = [], 0
    for claim in sorted(claims, key=lambda one: one.start):
        if claim.start >= at:
            pieces += ["\n" * (claim.start - at), claim.text]
            at = claim.start + len(claim.text)
    return "".join(pieces)
