"""What the faithfulness guardrail says of a text: statements, verdicts, a score, pass or deny."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from abs_shield.core.words import Mode
from abs_shield.text.show import escaped

DENIED = "I cannot answer this reliably: it does not follow from the sources that I was given."
_SHOWN = 3
"""Digits behind the point of a score that is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """
    One self-contained fact that a text states.

    Attributes:
        id: Its name among the text's statements: ``"s1"``, ``"s2"``, ...
        text: The statement.
        verdict: 1 where it can be inferred from the context, or passes as out of scope; else 0.
        reason: Why, one line.
        in_scope: Whether it refers to anything of the context.
        counted: Whether it has a part in the score.
    """

    id: str
    text: str
    verdict: int
    reason: str
    in_scope: bool = True
    counted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FaithfulnessResult:
    """
    What the guardrail says of one text.

    Attributes:
        phase: ``"before"`` of the user's input, ``"after"`` of the response.
        passed: Whether the score is at least the threshold. False where it is undetermined.
        mode: In ``strict`` what has not passed is denied; in ``audit`` it is only said.
        threshold: The least score that passes.
        statements: Every statement with its verdict.
        score: Faithful statements / counted ones, exactly; None where none is counted.
        undetermined: Why nothing could be judged; empty where it was.
        notes: What else there is to say, such as ``"no_statements"``.
    """

    phase: str
    passed: bool
    mode: Mode
    threshold: Fraction
    statements: tuple[Statement, ...] = ()
    score: Fraction | None = None
    undetermined: str = ""
    notes: tuple[str, ...] = ()

    @property
    def denied(self) -> bool:
        """Whether the text must not go on."""
        return not self.passed and self.mode is Mode.STRICT

    @property
    def instead(self) -> str:
        """What a user may read in its place: no statement, no error of ours; empty where passed."""
        return DENIED if self.denied else ""

    @property
    def in_scope(self) -> tuple[Statement, ...]:
        """The statements that refer to the context."""
        return tuple(one for one in self.statements if one.in_scope)

    @property
    def out_of_scope(self) -> tuple[Statement, ...]:
        """The statements that do not."""
        return tuple(one for one in self.statements if not one.in_scope)

    @property
    def unfaithful(self) -> tuple[Statement, ...]:
        """The statements that lower the score."""
        return tuple(one for one in self.statements if one.counted and not one.verdict)

    def explain(self) -> str:
        """Say it in one line, for an operator."""
        done = "passes" if self.passed else "denied" if self.denied else "would be denied"
        if self.undetermined:
            return f"faithfulness: {done}: undetermined: {self.undetermined}"
        if self.score is None:
            return f"faithfulness: {done}: {', '.join(self.notes)}"
        least = _short(self.threshold)
        line = f"faithfulness: {done}: score {_short(self.score)}, at least {least} is asked for"
        wrong = "; ".join(f"`{escaped(one.text)}`: {one.reason}" for one in self.unfaithful[:3])
        return f"{line}: {wrong}" if wrong else line

    def as_dict(self) -> dict[str, Any]:
        """Give it as JSON-able data; the score rounded to three digits."""
        return {
            "phase": self.phase,
            "passed": self.passed,
            "denied": self.denied,
            "score": None if self.score is None else _short(self.score),
            "threshold": _short(self.threshold),
            "undetermined": self.undetermined or None,
            "notes": list(self.notes),
            "statements": [
                {
                    "id": one.id,
                    "statement": one.text,
                    "verdict": one.verdict,
                    "reason": one.reason,
                    "in_scope": one.in_scope,
                    "counted": one.counted,
                }
                for one in self.statements
            ],
        }


def _short(number: Fraction) -> float:
    return round(float(number), _SHOWN)
