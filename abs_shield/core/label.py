"""An operator's label for a decision: whether its subject was hallucinated."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Truth(StrEnum):
    """The values of a label: hallucinated or not."""

    OK = "ok"
    HALLUCINATED = "hallucinated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """
    One operator's label for one decision; the newest label of a decision applies.

    Attributes:
        decision_id: The decision's id.
        truth: Whether its subject was hallucinated, whatever the verdict.
        at: Seconds since the epoch, UTC.
        by: The operator; empty if unknown.
        note: The reason, in one line.
    """

    decision_id: str
    truth: Truth
    at: float
    by: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the label as JSON-able data, the input of ``Label.of``."""
        return asdict(self)

    @classmethod
    def of(cls, record: dict[str, Any]) -> Label:
        """
        Read a label that `to_dict` wrote.

        Raises:
            ValueError: The label is neither `hallucinated` nor `ok`.
        """
        return cls(**{**record, "truth": Truth(record["truth"])})
