"""One training example, and what a gap's mutation returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingExample:
    """
    One training example.

    Attributes:
        prompt: What the model is asked.
        answer: The right answer.
        rejected: A wrong one of the kind that was caught; empty where none can be made.
        gap: Id of the gap that it is for.
        kind: What the answer is taken from: ``fact``, ``name``, ``copy`` or ``correction``.
        template: Name of the template, or of the model that worded the prompt.
        source: Where the right answer stands: a fact, or a name of the mapping of right answers.
        context: What the answer rests on: a fact's fields, or the tool and the value to copy.
    """

    prompt: str
    answer: str
    rejected: str
    gap: str
    kind: str
    template: str
    source: str
    context: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the example as JSON-able data."""
        record = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**record, "context": dict(self.context)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> TrainingExample:
        """Return the example of a line that `to_dict` wrote."""
        return cls(**record)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """
    The examples of a gap.

    Attributes:
        examples: The examples, in a seeded order.
        duplicates: Drafts left out as near-duplicates of others.
        leaks: Drafts left out as evaluation cases.
        wrong: Drafts left out because their answer holds the model's error.
        notes: What was not done, and why: a model that gave no usable reply.
    """

    examples: tuple[TrainingExample, ...]
    duplicates: int = 0
    leaks: int = 0
    wrong: int = 0
    notes: tuple[str, ...] = ()
