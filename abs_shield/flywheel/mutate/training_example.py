"""Training examples, and the result of a mutation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingExample:
    """
    One training example.

    Attributes:
        prompt: The prompt for the model.
        answer: The right answer.
        rejected: A wrong answer of the caught kind; empty if none can be generated.
        gap: Id of the gap that it is for.
        kind: The source of the answer: ``fact``, ``name``, ``copy`` or ``correction``.
        template: Name of the template, or of the model that worded the prompt.
        source: The origin of the right answer: a fact, or a key of the mapping of right answers.
        context: The data of the answer: a fact's fields, or the tool and the value to copy.
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
        """Return the example from the data of `to_dict`."""
        return cls(**record)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """
    The examples of a gap.

    Attributes:
        examples: The examples, in a seeded order.
        duplicates: Drafts left out as near-duplicates of others.
        leaks: Drafts left out as evaluation cases.
        wrong: Drafts left out because their answer contains the model's error.
        notes: Problems, such as a model that gave no usable reply.
    """

    examples: tuple[TrainingExample, ...]
    duplicates: int = 0
    leaks: int = 0
    wrong: int = 0
    notes: tuple[str, ...] = ()
