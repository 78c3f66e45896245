"""Check of the values of claims against the evidence: opinions by the worst value."""

from __future__ import annotations

from collections.abc import Sequence

from abs_shield.answer.checks.answer_values import (
    MOST_VALUES,
    AnswerValues,
    CheckedValue,
    ValueStatus,
)
from abs_shield.answer.claim_types import (
    ABSENT,
    CONTRADICTED,
    NOTHING,
    PRESENT,
    Claim,
    Opinion,
    Opinions,
)
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.core import Unavailable
from abs_shield.text.values.figure_reader import figures

# 501 figures are counted in about 10,000 characters of a table
_BEGINNING = 10_000
_MOST_SPANS = 3  # as many as a report shows
# below PRESENT, as a wrong figure may follow from others by chance; above the revise threshold
DERIVED = 0.9
"""P(grounded) of a claim whose worst value is derived."""
_SCORES = {ValueStatus.PRESENT: PRESENT, ValueStatus.DERIVED: DERIVED, ValueStatus.ABSENT: ABSENT}


def facts(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> Opinions:
    """
    Check the values of claims: present, derived from others, missing, or contradicted.

    Args:
        claims: The claims of one answer, in order.
        evidence: The evidence.
        question: The user's question; its values need no other evidence.
        answer: The whole answer, including headings, which are not claims; if None, the text of
            the claims.
    """
    values = AnswerValues(join_claims(claims) if answer is None else answer, evidence, question)
    return tuple(_opinion([*values.within(one.start, one.end)], evidence) for one in claims)


def _opinion(checked: Sequence[CheckedValue], evidence: Evidence) -> Opinion | Unavailable:
    if all(one.status is ValueStatus.IDLE for one in checked):
        return NOTHING
    conflict = next((one.conflict for one in checked if one.conflict), "")
    score = min((_SCORES[one.status] for one in checked if one.status in _SCORES), default=PRESENT)
    # what was not read may have the value; a conflict is in what was read
    if evidence.blind and score < DERIVED and not conflict:
        return Unavailable(evidence.blind)
    spans = dict.fromkeys(one.span for one in checked if one.span)
    return Opinion(
        score=CONTRADICTED if conflict else score,
        spans=tuple(spans)[:_MOST_SPANS],
        missing=tuple(one.missing for one in checked if one.missing),
        contradicted=conflict,
        spellings=tuple(one.spelling for one in checked if one.spelling),
    )


def has_unchecked_figures(answer: str) -> bool:
    """
    Return whether *answer* has more values than the 500 that are checked in full.

    >>> has_unchecked_figures("$1 " * 501), has_unchecked_figures("$1 " * 500)
    (True, False)
    """
    # the beginning suffices for an answer with many values, without reading all of it again
    beginnings = (_BEGINNING, len(answer)) if len(answer) > MOST_VALUES else ()
    return any(len(figures(answer[:end])) > MOST_VALUES for end in beginnings)


def join_claims(claims: Sequence[Claim]) -> str:
    """Return the text of the claims, each at its offset and on its own line."""
    pieces, at = [], 0
    for claim in sorted(claims, key=lambda one: one.start):
        if claim.start >= at:
            pieces += ["\n" * (claim.start - at), claim.text]
            at = claim.start + len(claim.text)
    return "".join(pieces)
