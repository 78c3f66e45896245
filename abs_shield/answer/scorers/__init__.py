"""The scorers of claims, in one table: how far the evidence supports a claim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from abs_shield.answer.checks.action_check import actions
from abs_shield.answer.checks.citation_check import sources
from abs_shield.answer.checks.people_check import people
from abs_shield.answer.checks.polarity_check import polarity
from abs_shield.answer.checks.value_check import facts
from abs_shield.answer.scorers.judge_scorer import judge_claims
from abs_shield.answer.scorers.verifier_scorer import verify
from abs_shield.answer.scorers.word_scorer import words


class ScorerEffect(StrEnum):
    """The strongest effect of a scorer's opinion on an answer, from mild to grave."""

    ROUTE = "route"
    REVISE = "revise"
    BLOCK = "block"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """
    One scorer of claims.

    Attributes:
        score: Function of ``(claims, evidence, question)`` to one opinion per claim. A check also
            takes the whole ``answer``, words take the opinions of ``facts``, a scorer with a
            model takes the model.
        in_run: Its effect on the answer of a run.
        in_documents: Its effect on an answer about documents. ``route`` only sends a claim to the
            scorers with a model; the score is shown in the report either way.
        caps: Whether it bounds the score of a claim; other opinions add up as log-odds.
        model: The field of `AnswerConfig` with its model, which is asked about claims that the
            earlier scorers leave undecided; empty if it needs none.
    """

    score: Callable[..., Any]
    in_run: ScorerEffect
    in_documents: ScorerEffect
    caps: bool = False
    model: str = ""

    def effect(self, *, in_run: bool) -> ScorerEffect:
        """Return its effect."""
        return self.in_run if in_run else self.in_documents


_ROUTE, _REVISE, _BLOCK = ScorerEffect

SCORERS: dict[str, Scorer] = {
    "facts": Scorer(score=facts, in_run=_BLOCK, in_documents=_BLOCK, caps=True),
    "actions": Scorer(score=actions, in_run=_BLOCK, in_documents=_BLOCK, caps=True),
    "sources": Scorer(score=sources, in_run=_BLOCK, in_documents=_BLOCK, caps=True),
    "polarity": Scorer(score=polarity, in_run=_BLOCK, in_documents=_BLOCK, caps=True),
    "people": Scorer(score=people, in_run=_REVISE, in_documents=_REVISE, caps=True),
    "words": Scorer(score=words, in_run=_ROUTE, in_documents=_REVISE),
    "verifier": Scorer(score=verify, in_run=_BLOCK, in_documents=_BLOCK, model="verifier"),
    "judge": Scorer(score=judge_claims, in_run=_BLOCK, in_documents=_BLOCK, model="judge"),
}
"""Every scorer, in order of execution: cheap ones first."""

CHECKS = tuple(name for name, scorer in SCORERS.items() if scorer.caps)
