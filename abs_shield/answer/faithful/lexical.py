"""Faithfulness without a model: statements by sentences, verdicts by words and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from abs_shield.answer.claim import Claim, Scored
from abs_shield.answer.evidence import Evidence
from abs_shield.answer.faithful.overlap import overlap
from abs_shield.answer.faithful.provider import Judged, Verdict
from abs_shield.answer.faithful.scope import points_back, shares_entity, shares_subject
from abs_shield.answer.faithful.sentences import sentence_claims
from abs_shield.answer.windows import Windows
from abs_shield.core.finding import Unavailable
from abs_shield.model import Undetermined
from abs_shield.model.ask import Steps
from abs_shield.text.show import escaped

Score = Callable[..., Sequence[Scored | Unavailable]]
"""``score(claims, evidence, question=None)``: of each claim how far it is grounded, in [0, 1]."""
_MOST = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalProvider:
    """
    A deterministic provider: the same text gets the same verdicts, and nothing leaves the process.

    Attributes:
        claims: Takes a text apart.
        score: Scores the claims against the context.
        holds_from: The least score of a statement that can be inferred, in [0, 1].
    """

    claims: Callable[[str], tuple[Claim, ...]] = sentence_claims
    score: Score = overlap
    holds_from: float = 0.5

    @property
    def judge(self) -> None:
        """No model is asked."""
        return None

    def steps(self, text: str, context: Evidence) -> Steps[Judged | Undetermined]:
        """Ask nothing; give the verdicts."""
        yield from ()
        claims = self.claims(text)
        if len(claims) > _MOST:
            return Undetermined(f"{len(claims)} statements, at most {_MOST} are judged")
        scores = self.score(claims, context, question=None)
        windows: Windows = context.derived(Windows)
        verdicts: list[Verdict] = []
        for claim, scored in zip(claims, scores, strict=True):
            if isinstance(scored, Unavailable):
                return Undetermined(scored.reason)
            verdicts.append(self._verdict(claim, scored, windows, verdicts))
        return Judged(tuple(verdicts))

    def _verdict(
        self, claim: Claim, scored: Scored, windows: Windows, earlier: list[Verdict]
    ) -> Verdict:
        inferable = (
            scored.score >= self.holds_from and not scored.misses and not scored.contradicted
        )
        in_scope = inferable or (bool(windows) and _in_scope(claim.text, windows, earlier))
        return Verdict(claim.text, inferable, in_scope, _reason(scored, inferable, in_scope))


def _in_scope(text: str, windows: Windows, earlier: list[Verdict]) -> bool:
    """What points back is about what the statement before it was; the first one, the context."""
    if shares_entity(text, windows) or shares_subject(text, windows):
        return True
    return points_back(text) and (not earlier or earlier[-1].in_scope)


def _reason(scored: Scored, inferable: bool, in_scope: bool) -> str:
    if inferable:
        return "its words and figures stand in the context"
    if not in_scope:
        return "it refers to nothing in the context"
    if scored.misses:
        miss = scored.misses[0]
        return f"the {miss.kind} `{escaped(miss.text)}` is not in the context"
    return scored.contradicted or "too few of its words stand in the context"
