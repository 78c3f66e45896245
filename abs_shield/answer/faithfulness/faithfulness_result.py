"""Result of the faithfulness guardrail: statements, verdicts and a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from abs_shield.core.vocabularies import Mode
from abs_shield.errors import PolicyError
from abs_shield.text.safe_display import escaped, shown

REFUSAL = "I cannot answer this reliably: it does not follow from the sources that I was given."
NO_STATEMENTS = "no_statements"
NO_CONTEXT = "no_context"
ONLY_OUT_OF_SCOPE = "only_out_of_scope"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """
    One self-contained fact that a text states.

    Attributes:
        id: Its name among the text's statements: ``"s1"``, ``"s2"``, ...
        text: The statement.
        verdict: 1 if it can be inferred from the context, or passes as out of scope; else 0.
        reason: Why, one line.
        in_scope: Whether it refers to the context.
        counted: Whether it counts for the score.
        score: P(grounded), in [0, 1]; None if the provider computes none.
    """

    id: str
    text: str
    verdict: int
    reason: str
    in_scope: bool = True
    counted: bool = True
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FaithfulnessResult:
    """
    The guardrail's decision about one text.

    Attributes:
        phase: ``"before"`` for the user's input, ``"after"`` for the response.
        passed: Whether the score is at least the threshold; False if it is undetermined.
        mode: In ``strict`` a text that has not passed is denied; ``audit`` only reports it.
        threshold: The lowest score that passes.
        statements: Every statement with its verdict.
        score: Exact share of faithful statements among the counted ones; None if none is counted.
        undetermined: Why there are no verdicts; empty if there are.
        notes: Other remarks, such as ``"no_statements"``.
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
        """True if the text must be withheld."""
        return not self.passed and self.mode is Mode.STRICT

    @property
    def instead(self) -> str:
        """Text to send in place of a denied one; empty if it is not denied."""
        return REFUSAL if self.denied else ""

    @property
    def in_scope(self) -> tuple[Statement, ...]:
        """Statements that refer to the context."""
        return tuple(one for one in self.statements if one.in_scope)

    @property
    def out_of_scope(self) -> tuple[Statement, ...]:
        """Statements that do not refer to the context."""
        return tuple(one for one in self.statements if not one.in_scope)

    @property
    def unfaithful(self) -> tuple[Statement, ...]:
        """Statements that lower the score."""
        return tuple(one for one in self.statements if one.counted and not one.verdict)

    def explain(self) -> str:
        """Return one line for an operator."""
        outcome = "passes" if self.passed else "denied" if self.denied else "would be denied"
        if self.undetermined:
            return f"faithfulness: {outcome}: undetermined: {self.undetermined}"
        if self.score is None:
            return f"faithfulness: {outcome}: {', '.join(self.notes)}"
        score = f"score {_round(self.score)}, at least {_round(self.threshold)} is required"
        wrong = "; ".join(f"`{escaped(one.text)}`: {one.reason}" for one in self.unfaithful[:3])
        return f"faithfulness: {outcome}: {score}{wrong and f': {wrong}'}"

    def as_dict(self) -> dict[str, Any]:
        """Return the result as JSON-able data, with the score rounded to three digits."""
        return {
            "phase": self.phase,
            "passed": self.passed,
            "denied": self.denied,
            "score": None if self.score is None else _round(self.score),
            "threshold": _round(self.threshold),
            "undetermined": self.undetermined or None,
            "notes": list(self.notes),
            "statements": [
                {
                    "statement" if name == "text" else name: value
                    for name, value in asdict(one).items()
                }
                for one in self.statements
            ],
        }


def flags(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return the note about a text without statements in scope; empty for other texts."""
    if any(one.in_scope for one in statements):
        return ()
    return (ONLY_OUT_OF_SCOPE,) if statements else (NO_STATEMENTS,)


def share(name: str, value: Any) -> Fraction:
    """
    Return a share as an exact fraction.

    >>> share("threshold", 0.8)
    Fraction(4, 5)

    Raises:
        PolicyError: It is not a number in [0, 1].
    """
    is_number = isinstance(value, int | float | Decimal | Fraction) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= 1:
        raise PolicyError(f"faithfulness: `{name}` is {shown(value)}; give a number in [0, 1]")
    return Fraction(str(value))  # by its text: 0.8 is four fifths, not the nearest binary fraction


def _round(number: Fraction) -> float:
    return round(float(number), 3)
