"""All deterministic checks of a claim, combined to one opinion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from abs_shield.answer.checks.action_check import actions
from abs_shield.answer.checks.citation_check import sources
from abs_shield.answer.checks.people_check import people
from abs_shield.answer.checks.polarity_check import polarity
from abs_shield.answer.checks.value_check import facts
from abs_shield.answer.claim_types import NOTHING, Claim, Opinion
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.core import Unavailable

_MOST_SPANS = 3  # as many as a report shows


def hard(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> tuple[Opinion | Unavailable, ...]:
    """Return one opinion for each claim: the worst score of all deterministic checks."""
    each = (
        check(claims, evidence, question=question, answer=answer)
        # the order of the conflict that is reported: a wrong figure says most
        for check in (facts, sources, actions, polarity, people)
    )
    return tuple(_combine(some) for some in zip(*each, strict=True))


def _combine(some: Iterable[Opinion | Unavailable | None]) -> Opinion | Unavailable:
    opinions = [*some]
    usable = [one for one in opinions if isinstance(one, Opinion)]
    if not usable:
        reasons = [one for one in opinions if isinstance(one, Unavailable) and one is not NOTHING]
        return reasons[0] if reasons else NOTHING
    return Opinion(
        score=min(one.score for one in usable),
        spans=tuple(dict.fromkeys(span for one in usable for span in one.spans))[:_MOST_SPANS],
        missing=tuple(value for one in usable for value in one.missing),
        contradicted=next((one.contradicted for one in usable if one.contradicted), ""),
        spellings=tuple(value for one in usable for value in one.spellings),
    )
