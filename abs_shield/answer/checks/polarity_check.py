"""Check for claims that contradict a sentence, a yes/no field or a direction of the evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from abs_shield.answer.checks.conflicting_sentences import find_contradiction
from abs_shield.answer.checks.directions import Directions
from abs_shield.answer.checks.state_check import Flags
from abs_shield.answer.claim_types import NOTHING, Claim, Opinion, Opinions, contradicted
from abs_shield.answer.evidence.passages import Evidence
from abs_shield.core import Unavailable

_PROPOSAL = re.compile(
    r"\b(?:please confirm|confirm if|confirm that you|for confirmation|to proceed|go ahead with"
    r"|shall i|should i)\b|\byes/no\b",
    re.IGNORECASE,
)
"""Words of an answer that asks for confirmation: it describes a plan, not the present state."""


def polarity(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> Opinions:
    """Check that nothing in the evidence says the opposite of a claim."""
    # of the whole answer: the question for confirmation often comes last
    text = " ".join(claim.text for claim in claims) if answer is None else answer
    proposes = _PROPOSAL.search(text) is not None
    return tuple(_opinion(claim.text, evidence, proposes) for claim in claims)


def _opinion(claim: str, evidence: Evidence, proposes: bool) -> Opinion | Unavailable:
    # sentences first: their conflict names a word of the evidence
    if contradiction := find_contradiction(claim, evidence):
        sentence, why = contradiction
        return contradicted(f"the evidence says otherwise: {why}", sentence.span)
    if proposes:  # a plan describes what will be, while fields have what is
        return NOTHING
    flags: Flags = evidence.derived(Flags)
    if flag := flags.find_conflict(claim):
        return contradicted(flag.conflict, flags.span(flag))
    directions: Directions = evidence.derived(Directions)
    conflict = directions.conflict(claim)
    return contradicted(conflict) if conflict else NOTHING
