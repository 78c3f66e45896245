"""All deterministic checks of a claim as one opinion: what a claim without a model comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from abs_shield.answer.checks.actions import actions
from abs_shield.answer.checks.citations import sources
from abs_shield.answer.checks.opinions import NOTHING
from abs_shield.answer.checks.people import people
from abs_shield.answer.checks.polarity import polarity
from abs_shield.answer.checks.values import facts
from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.types import Claim, Opinion, Unavailable

_MOST_SPANS = 3


def hard(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> tuple[Opinion | Unavailable, ...]:
    """Return one opinion a claim from all deterministic checks: the worst score, all the rest."""
    each = (
        check(claims, evidence, question=question, answer=answer)
        for check in (facts, sources, actions, polarity, people)
    )
    return tuple(_joined(some) for some in zip(*each, strict=True))


def _joined(some: Iterable[Opinion | Unavailable | None]) -> Opinion | Unavailable:
    given = [*some]
    found = [one for one in given if isinstance(one, Opinion)]
    if not found:
        reasons = [one for one in given if isinstance(one, Unavailable) and one is not NOTHING]
        return reasons[0] if reasons else NOTHING
    return Opinion(
        score=min(one.score for one in found),
        spans=tuple(dict.fromkeys(span for one in found for span in one.spans))[:_MOST_SPANS],
        missing=tuple(value for one in found for value in one.missing),
        contradicted=next((one.contradicted for one in found if one.contradicted), ""),
        spellings=tuple(value for one in found for value in one.spellings),
    )
