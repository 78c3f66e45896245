"""Who judges statements for the faithfulness guardrail: a model, or none at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from abs_shield.answer.evidence.types import Evidence
from abs_shield.model import Judge, Undetermined
from abs_shield.model.ask import Steps


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    What a provider says of one statement.

    Attributes:
        text: The statement.
        inferable: Whether it can be directly inferred from the context.
        in_scope: Whether it refers to anything of the context.
        reason: Why, one line.
    """

    text: str
    inferable: bool
    in_scope: bool
    reason: str


class Judged(NamedTuple):
    """Every statement of a text, and what else a provider has to say."""

    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()


class Provider(Protocol):
    """Takes a text apart and judges its statements against the context."""

    @property
    def judge(self) -> Judge | None:
        """The model that is asked; None where none is."""

    def steps(self, text: str, context: Evidence) -> Steps[Judged | Undetermined]:
        """Yield what the model is asked; return the verdicts, in the text's order."""
