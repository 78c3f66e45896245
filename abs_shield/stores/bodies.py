"""The bodies of records, read as decisions, labels, reports, scores and gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from abs_shield.core import Decision
from abs_shield.core.label import Label
from abs_shield.stores.record import Damaged, Kind, Row, Score, time_of

T = TypeVar("T")
Skipped = Callable[[Damaged], None]
"""Called with each record that cannot be read and is left out."""


def readable(
    rows: Iterable[Row], make: Callable[[Any], T], skipped: Skipped | None = None
) -> list[T]:
    """
    Return what *make* makes of the bodies of rows.

    Args:
        rows: The rows.
        make: Reads one body.
        skipped: Called with each record that cannot be read; None raises then.

    Raises:
        Damaged: A record cannot be read, and *skipped* is None.
    """
    made = []
    for row in rows:
        try:
            made.append(row.read(make))
        except Damaged as error:
            if skipped is None:
                raise
            skipped(error)
    return made


def decision_of(body: dict[str, Any]) -> Decision:
    """Return the decision of a record's body."""
    for name in ("id", "session_id", "tool"):
        if not isinstance(body[name], str):
            raise ValueError(f"its `{name}` is no text")
    return Decision.from_dict({**body, "at": time_of(Kind.DECISION, body)})


def label_of(body: dict[str, Any]) -> Label:
    """Return the label of a record's body."""
    return Label.of({**body, "at": time_of(Kind.LABEL, body)})


def report_of(body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the decision's id and the report of a record's body."""
    report = body["report"]
    if not isinstance(report, dict):
        raise ValueError("its `report` is not an object")
    return str(body["decision_id"]), report


def score_of(body: dict[str, Any]) -> Score:
    """Return the quality score of a record's body."""
    texts = {name: str(body[name]) for name in ("agent", "task_type", "model")}
    return Score(at=time_of(Kind.SCORE, body), score=float(body["score"]), **texts)


def gap_of(body: dict[str, Any]) -> dict[str, Any]:
    """Return the gap of a record's body."""
    times = {name: float(body[name]) for name in ("first_at", "last_at")}
    return {"dropped": int(body["dropped"]), **times, "reason": str(body["reason"])}
