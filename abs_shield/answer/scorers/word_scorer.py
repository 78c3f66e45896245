"""Scorer of words: how many words, numbers and names of a claim are in the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from abs_shield.answer.claim_types import Claim, Opinion, Opinions, WordCount
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.evidence.sentence_index import index_of
from abs_shield.answer.remarks import remarks_of
from abs_shield.answer.scorers.lexical.lexical_features import count_words
from abs_shield.answer.scorers.lexical.lexical_model import (
    answer_probability,
    score_claims,
)
from abs_shield.answer.scorers.lexical.lexical_weights import shipped_weights


def words(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    facts: Opinions | None = None,
    trust_facts: bool = False,
) -> tuple[Opinion, ...]:
    """
    Score claims by their words alone: deterministic, without a model, in linear time.

    It cannot detect small edits of a true sentence, except for absent numbers and names.

    Args:
        claims: Claims of one answer, as `claims_of` returns them.
        evidence: The evidence, which caches its index.
        question: The user's question; its words do not count as new.
        facts: Opinions of the check of values; values with another spelling in the evidence are
            compared in that spelling.
        trust_facts: Whether a value counts as present unless that check misses it, since it may
            be derived, or in another unit. Otherwise numbers are looked up as words are.

    Returns:
        One for each claim, in order: P(grounded) at even odds, in [0, 1]; up to three nearest
        sentences, best first; the absent numbers and names. Without evidence there are no
        sentences, and everything is absent.
    """
    checked = [one for one in facts or () if isinstance(one, Opinion)]
    missing = [value for one in checked for value in one.missing] if trust_facts else None
    spellings = [value for one in checked for value in one.spellings]
    return score_claims(
        claims,
        evidence,
        question=question,
        weights=shipped_weights(),
        missing=missing,
        spellings=spellings,
    )


def count_remarks(
    answer: str, claims: Sequence[Claim], evidence: Evidence
) -> tuple[WordCount, ...]:
    """
    Count the words of each remark of an answer: "Yes, I have" before a sentence of a document.

    Nobody checks remarks by themselves. An answer of few other words may still hardly be
    supported, as the document does not say what "yes" affirms.
    """
    index = index_of(evidence)
    return tuple(count_words(remark, index) for remark in remarks_of(answer, claims))


def answer_score(opinions: Sequence[Opinion], *, remarks: Iterable[WordCount] = ()) -> float:
    """
    Return P(grounded) of a whole answer at even odds, in [0, 1].

    Args:
        opinions: Opinions of `words` on its claims.
        remarks: The words of its remarks, as `count_remarks` returns them.

    Raises:
        ValueError: There are no claims: an answer that claims nothing has no score.
    """
    if not opinions:
        raise ValueError("an answer without claims has no score")
    return answer_probability(opinions, shipped_weights(), remarks=remarks)
