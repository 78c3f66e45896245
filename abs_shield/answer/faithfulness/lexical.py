"""Faithfulness without a model: the claims of a text, judged by their words and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from abs_shield.answer.evidence.sentence_index import index_of
from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.extraction.claims import claims_of
from abs_shield.answer.faithfulness.inferred import inferred
from abs_shield.answer.faithfulness.provider import Judged, Verdict
from abs_shield.answer.faithfulness.scope import points_back, shares_entity, shares_subject
from abs_shield.answer.faithfulness.settings import share_of
from abs_shield.answer.types import Claim, Opinion, Unavailable
from abs_shield.model import Undetermined
from abs_shield.model.ask import Steps
from abs_shield.text.show import escaped

Score = Callable[..., Sequence[Opinion | Unavailable]]
"""``score(claims, evidence, question=None)``: of each claim how far it is grounded, in [0, 1]."""
_ENDS = ".!?\u2026\u3002\uff01\uff1f"


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalProvider:
    """
    A deterministic provider: the same text gets the same verdicts, and nothing leaves the process.

    Attributes:
        claims: Takes a text apart.
        score: Scores the claims against the context; where None their words and the hard checks
            do, strictly: see `abs_shield.answer.faithfulness.inferred`.
        holds_from: The least score of a statement that can be inferred, in [0, 1].

    Raises:
        PolicyError: *holds_from* is no number in [0, 1].
    """

    claims: Callable[[str], tuple[Claim, ...]] = claims_of
    score: Score | None = None
    holds_from: float = 0.3

    def __post_init__(self) -> None:
        share_of("holds_from", self.holds_from)

    @property
    def judge(self) -> None:
        """No model is asked."""
        return None

    def steps(self, text: str, context: Evidence) -> Steps[Judged | Undetermined]:
        """Ask nothing; give the verdicts."""
        yield from ()
        claims = self.claims(text)
        if self.score is None:
            scores: Sequence[Opinion | Unavailable] = inferred(claims, context, answer=text)
        else:
            scores = self.score(claims, context, question=None)
        verdicts: list[Verdict] = []
        for number, (claim, scored) in enumerate(zip(claims, scores, strict=True)):
            if isinstance(scored, Unavailable):
                return Undetermined(scored.reason)
            before = claims[number - 1] if number else None
            goes_on = before is not None and _goes_on(before, claim, text)
            verdicts.append(self._verdict(claim, scored, context, verdicts, goes_on=goes_on))
        return Judged(tuple(verdicts))

    def _verdict(
        self,
        claim: Claim,
        scored: Opinion,
        context: Evidence,
        earlier: list[Verdict],
        *,
        goes_on: bool,
    ) -> Verdict:
        wrong = scored.missing or scored.contradicted
        inferable = scored.score >= self.holds_from and not wrong
        in_scope = (
            inferable
            or (goes_on and earlier[-1].in_scope)
            or _in_scope(claim.text, context, earlier)
        )
        return Verdict(claim.text, inferable, in_scope, _reason(scored, inferable, in_scope))


def _goes_on(before: Claim, claim: Claim, text: str) -> bool:
    """Whether a claim is a later part of the sentence before it: it speaks of the same."""
    between = text[before.end : claim.start]
    return "\n" not in between and not before.text.rstrip().endswith(tuple(_ENDS))


def _in_scope(text: str, context: Evidence, earlier: list[Verdict]) -> bool:
    """What points back is about what the statement before it was; the first one, the context."""
    index = index_of(context)
    if not index.sentences:
        return False
    if shares_entity(text, index) or shares_subject(text, index):
        return True
    return points_back(text) and (not earlier or earlier[-1].in_scope)


def _reason(scored: Opinion, inferable: bool, in_scope: bool) -> str:
    if inferable:
        return "its words and figures stand in the context"
    if not in_scope:
        return "it refers to nothing in the context"
    if scored.contradicted:
        return scored.contradicted
    if scored.missing:
        miss = scored.missing[0]
        return f"the {miss.kind} `{escaped(miss.text)}` is not in the context"
    return "too few of its words stand in the context"
