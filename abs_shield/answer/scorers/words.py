"""The claim's words stand in the evidence, in that order, with those numbers and names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.scorers.lexical.model import judged, meant, told
from abs_shield.answer.scorers.lexical.weights import shipped
from abs_shield.answer.types import Claim, MissingValue, Opinion, Spelling


def lexical(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    missed: Iterable[MissingValue] | None = None,
    spellings: Iterable[Spelling] = (),
) -> tuple[Opinion, ...]:
    """
    Score claims by their words alone: deterministic, without a model, in time linear in both.

    Small edits of a true sentence are beyond it, but for absent numbers and names.

    Args:
        claims: Claims of one answer, as `claims_of` gives them.
        evidence: What they may stand on; its index is kept with it.
        question: What the answer answers; its words are not new when the answer repeats them.
        missed: The figures that the hard checks miss; all others count as known, also those that
            are reckoned or written otherwise. None: figures are looked up as words are.
        spellings: Figures that the hard checks find in another spelling; they are read in that.

    Returns:
        One for each claim, in order: P(grounded) at even odds, in [0, 1]; up to three nearest
        sentences, best first; the numbers and names that stand nowhere. Without evidence
        nothing is near, and everything is missed.
    """
    return judged(
        claims, evidence, question=question, weights=shipped(), missed=missed, spellings=spellings
    )


def answer_score(scored: Sequence[Opinion]) -> float:
    """
    Give P(grounded) of a whole answer at even odds, in [0, 1].

    Args:
        scored: What `lexical` says of its claims; of one claim its own score.

    Raises:
        ValueError: There are no claims: an answer that claims nothing has no score.
    """
    if not scored:
        raise ValueError("an answer without claims has no score")
    weights = shipped()
    return told([meant(one.score, weights) for one in scored], weights)
