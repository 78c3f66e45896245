"""Parsers of record bodies, decisions, labels, reports, scores and gaps; labelled decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from abs_shield.core import Decision, Subject
from abs_shield.core.label import Label
from abs_shield.stores.sealed_record import Damaged, RecordKind, ScoreRecord, SealedRow, sealed_time

T = TypeVar("T")
Skipped = Callable[[Damaged], None]
"""A callback for each record that is skipped because it cannot be read."""


def read_bodies(
    rows: Iterable[SealedRow], make: Callable[[Any], T], skipped: Skipped | None = None
) -> list[T]:
    """
    Parse the bodies of rows.

    Args:
        rows: The rows.
        make: Parses one body.
        skipped: Called with each record that cannot be read; if None, such a record raises.

    Raises:
        Damaged: A record cannot be read, and *skipped* is None.
    """
    parsed = []
    for row in rows:
        try:
            parsed.append(row.read(make))
        except Damaged as error:
            if skipped is None:
                raise
            skipped(error)
    return parsed


def parse_decision(body: dict[str, Any]) -> Decision:
    """Parse the body of a decision record."""
    # readers compare, sort and escape these as text
    for name in ("id", "session_id", "tool"):
        if not isinstance(body[name], str):
            raise ValueError(f"its `{name}` is not a string")
    return Decision.from_dict({**body, "at": sealed_time(RecordKind.DECISION, body)})


def parse_label(body: dict[str, Any]) -> Label:
    """Parse the body of a label record."""
    return Label.of({**body, "at": sealed_time(RecordKind.LABEL, body)})


def parse_report(body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Parse the body of a report record: the decision's id, and the report."""
    report = body["report"]
    if not isinstance(report, dict):
        raise ValueError("its `report` is not an object")
    return str(body["decision_id"]), report


def parse_score(body: dict[str, Any]) -> ScoreRecord:
    """Parse the body of a quality score record."""
    texts = {name: str(body[name]) for name in ("agent", "task_type", "model")}
    return ScoreRecord(at=sealed_time(RecordKind.SCORE, body), score=float(body["score"]), **texts)


def parse_gap(body: dict[str, Any]) -> dict[str, Any]:
    """Parse the body of a gap record."""
    times = {name: float(body[name]) for name in ("first_at", "last_at")}
    return {"dropped": int(body["dropped"]), **times, "reason": str(body["reason"])}


def labelled_decisions(
    store: Any, subject: Subject, *, skipped: Skipped | None = None
) -> Iterator[tuple[Decision, Label]]:
    """
    Yield each labelled decision about one kind of subject, with its newest label.

    Args:
        store: A store; one without the methods `labels` and `get` yields nothing.
        subject: The subject of the decisions.
        skipped: Called with each record that cannot be read; if None, such a record raises.
    """
    read, get = getattr(store, "labels", None), getattr(store, "get", None)
    # a host's own store need not support labels
    if read is None or get is None:
        return
    labels = read() if skipped is None else read(skipped=skipped)
    for decision_id, label in labels.items():
        try:
            decision = get(decision_id)
        except Damaged as error:
            if skipped is None:
                raise
            skipped(error)
            continue
        if decision is not None and decision.subject is subject:
            yield decision, label
