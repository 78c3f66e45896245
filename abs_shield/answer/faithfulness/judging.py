"""How a guardrail that was declared judges one text, in steps that ask its provider's model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.faithfulness.lexical import LexicalProvider
from abs_shield.answer.faithfulness.provider import Judged, Provider
from abs_shield.answer.faithfulness.result import FaithfulnessResult
from abs_shield.answer.faithfulness.scoring import NO_CONTEXT, NONE_YET, Scoring, Tally
from abs_shield.answer.faithfulness.settings import evidence_of
from abs_shield.errors import PolicyError
from abs_shield.model import Terms, Undetermined, aplay, play
from abs_shield.model.ask import Steps
from abs_shield.text.show import escaped, shown, told

LONGEST = 200_000
"""Characters of a text that is judged; a longer one is undetermined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """
    Everything that judging one text needs.

    Attributes:
        provider: Who judges.
        evidence: The declared context.
        scoring: How verdicts become a result.
        terms: Time, budget and kept replies of the model.
    """

    provider: Provider
    evidence: Evidence
    scoring: Scoring
    terms: Terms

    def within(self, context: Any) -> Judging:
        """Give the same with another context; None keeps the declared one."""
        return self if context is None else replace(self, evidence=evidence_of(context))

    def result(self, phase: str, given: Any, *, earlier: Tally = NONE_YET) -> FaithfulnessResult:
        """Judge a text, or several of one phase."""
        judged = play(self._steps(text_of(given)), self.provider.judge, terms=self._fresh())
        return self.scoring.result(phase, judged, earlier=earlier)

    async def aresult(
        self, phase: str, given: Any, *, earlier: Tally = NONE_YET
    ) -> FaithfulnessResult:
        """As `result`, without holding up the event loop."""
        steps = self._steps(text_of(given))
        judged = await aplay(steps, self.provider.judge, terms=self._fresh())
        return self.scoring.result(phase, judged, earlier=earlier)

    def not_run(self, phase: str, why: str) -> FaithfulnessResult:
        """Give the result of what is not judged."""
        result = self.scoring.result(phase, Judged(()))
        return replace(result, notes=(f"not_run: {why}",))

    def _fresh(self) -> Terms:
        """The same terms with an unspent budget: it is that of one check."""
        spent = self.terms.budget
        return replace(self.terms, budget=spent.fresh()) if spent else self.terms

    def _steps(self, text: str) -> Steps[Judged | Undetermined]:
        """The provider's own steps, within bounds; one that breaks has judged nothing."""
        if len(text) > LONGEST:
            return Undetermined(f"{len(text)} characters, at most {LONGEST} are judged")
        if not text.strip():
            return Judged(())
        known = bool(self.evidence.pieces)
        provider = self.provider if known else LexicalProvider()
        try:
            judged = yield from provider.steps(text, self.evidence)
        except Exception as error:
            return Undetermined(f"the provider broke: {escaped(told(error))}")
        if isinstance(judged, Undetermined):
            return judged
        notes = ("" if known else NO_CONTEXT, self.evidence.blind)
        return judged._replace(notes=(*filter(None, notes), *judged.notes))


def text_of(given: Any) -> str:
    """
    Give what is judged as one text.

    Raises:
        PolicyError: It is no text and no list of texts.
    """
    texts = [given] if isinstance(given, str) else given
    if isinstance(texts, Sequence) and all(isinstance(one, str) for one in texts):
        return "\n\n".join(texts)
    raise PolicyError(f"faithfulness: got {shown(given)}; give a text, or a list of texts")
