"""From verdicts to a score: what is out of scope passes, is left out, or fails."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from abs_shield.answer.faithfulness.provider import Judged, Verdict
from abs_shield.answer.faithfulness.result import FaithfulnessResult, Statement
from abs_shield.answer.faithfulness.settings import EXCLUDE, PASS
from abs_shield.core.words import Mode
from abs_shield.model import Undetermined

NO_STATEMENTS = "no_statements"
NO_CONTEXT = "no_context"
ONLY_OUT_OF_SCOPE = "only_out_of_scope"


class Tally(NamedTuple):
    """The verdicts of a text's earlier parts: those of 1, those that count, all of them."""

    faithful: int = 0
    counted: int = 0
    statements: int = 0

    def with_(self, result: FaithfulnessResult) -> Tally:
        """Give the tally with one more part."""
        counted = [one.verdict for one in result.statements if one.counted]
        return Tally(
            self.faithful + sum(counted),
            self.counted + len(counted),
            self.statements + len(result.statements),
        )


NONE_YET = Tally()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """
    How verdicts become a result.

    Attributes:
        threshold: The least score that passes.
        out_of_scope: ``pass``, ``exclude`` or ``fail``.
        mode: Whether what does not pass is denied.
    """

    threshold: Fraction
    out_of_scope: str
    mode: Mode

    def result(
        self, phase: str, judged: Judged | Undetermined, *, earlier: Tally = NONE_YET
    ) -> FaithfulnessResult:
        """Give the result of one text, or of one more part of it."""
        if isinstance(judged, Undetermined):
            return FaithfulnessResult(
                phase=phase,
                passed=False,
                mode=self.mode,
                threshold=self.threshold,
                undetermined=judged.reason,
                notes=("undetermined",),
            )
        named = enumerate(judged.verdicts, earlier.statements + 1)
        statements = tuple(self._statement(number, one) for number, one in named)
        counted = [one.verdict for one in statements if one.counted]
        whole = earlier.counted + len(counted)
        score = Fraction(earlier.faithful + sum(counted), whole) if whole else None
        return FaithfulnessResult(
            phase=phase,
            passed=score is None or score >= self.threshold,
            mode=self.mode,
            threshold=self.threshold,
            statements=statements,
            score=score,
            notes=(*_flags(statements), *judged.notes),
        )

    def _statement(self, number: int, given: Verdict) -> Statement:
        passes = given.inferable or (not given.in_scope and self.out_of_scope == PASS)
        return Statement(
            id=f"s{number}",
            text=given.text,
            verdict=int(passes),
            reason=given.reason,
            in_scope=given.in_scope,
            counted=given.in_scope or self.out_of_scope != EXCLUDE,
        )


def _flags(statements: tuple[Statement, ...]) -> tuple[str, ...]:
    if not statements:
        return (NO_STATEMENTS,)
    return () if any(one.in_scope for one in statements) else (ONLY_OUT_OF_SCOPE,)
