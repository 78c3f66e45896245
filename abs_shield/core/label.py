"""An operator's label of a decision: whether its subject was hallucinated."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Truth(StrEnum):
    """The operator's answer: hallucinated or not."""

    OK = "ok"
    HALLUCINATED = "hallucinated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """
    One operator's word about one decision; the newest word about it holds.

    Attributes:
        decision_id: The decision's id.
        truth: What its subject really was, whatever the shield said.
        at: Seconds since the epoch, UTC.
        by: Who says so; empty where unknown.
        note: Why, in one line.
    """

    decision_id: str
    truth: Truth
    at: float
    by: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the label as JSON-able data; ``Label.of`` reads it back."""
        return asdict(self)

    @classmethod
    def of(cls, record: dict[str, Any]) -> Label:
        """
        Read a label that `to_dict` wrote.

        Raises:
            ValueError: The label is neither `hallucinated` nor `ok`.
        """
        return cls(**{**record, "truth": Truth(record["truth"])})
