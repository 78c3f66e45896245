"""Gaps: catches with a common cause, their frequency, their review, and their later state."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from os import PathLike
from typing import Any

from abs_shield.errors import StoreError
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.flywheel_database import database, parse_row
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import escaped


class GapState(StrEnum):
    """The state of a gap."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    MERGED = "merged"
    FIXED = "fixed"


class GapScope(StrEnum):
    """The scope of a gap."""

    UNKNOWN = "unknown"
    TASK_SPECIFIC = "task-specific"
    GENERAL = "general"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """
    Catches with a common cause.

    Attributes:
        id: Stable id, derived from what its catches have in common.
        title: The error in one line.
        check: The check that found them.
        code: The kind of fault.
        tier: 1 (high impact and frequent), 2 or 3.
        count: Number of catches.
        decisions: Number of decisions of the same kind in the same period.
        rate: Share of those decisions with such a catch, in [0, 1].
        low: Lower end of its 95 % interval.
        high: Upper end.
        agents: Number of such catches by agent.
        task_types: Likewise by task type.
        models: Likewise by model.
        examples: Ids of some of its catches.
        first: Timestamp of the first catch.
        last: Timestamp of the newest catch.
        state: Its state.
        into: The gap that it was merged into; empty if not merged.
        affected: Number of decisions with such a catch.
        sessions: Number of sessions with such a catch.
        impact: Estimated impact of one catch, in [0, 1]; the mean of their priorities.
        systematic: Whether it happens repeatedly: in several decisions of several sessions.
        scope: Whether it affects several agents.
        subject: ``call``, ``result``, ``answer`` or ``output``.
        off: The smallest and the largest deviation of wrong values from the right ones, as shares
            of them; empty for other gaps.
        right_answer: The right answer, written by the person who accepted the gap; empty if not
            given.
    """

    id: str
    title: str
    check: str
    code: str
    tier: int
    count: int
    decisions: int
    rate: float
    low: float
    high: float
    agents: Mapping[str, int] = field(default_factory=dict)
    task_types: Mapping[str, int] = field(default_factory=dict)
    models: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[str, ...] = ()
    first: str = ""
    last: str = ""
    state: GapState = GapState.OPEN
    into: str = ""
    affected: int = 0
    sessions: int = 0
    impact: float = 0.0
    systematic: bool = False
    scope: GapScope = GapScope.UNKNOWN
    subject: str = ""
    off: tuple[float, ...] = ()
    right_answer: str = ""

    @property
    def burden(self) -> float:
        """Frequency times impact: the expected impact of one decision of the same kind."""
        return self.rate * self.impact

    def to_dict(self) -> dict[str, Any]:
        """Return the gap as JSON-able data."""
        record = {name: getattr(self, name) for name in self.__dataclass_fields__}
        words = {"state": self.state.value, "scope": self.scope.value}
        return {**record, **words, "examples": list(self.examples), "off": list(self.off)}

    def to_json(self) -> str:
        """Return the gap as one line of JSON in ASCII."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Gap:
        """Return the gap from the data of `to_dict`."""
        words = {"state": GapState(record["state"]), "scope": GapScope(record["scope"])}
        lists = {name: tuple(record[name]) for name in ("examples", "off")}
        return cls(**{**record, **words, **lists})


def gap_with_catches(book: str | PathLike[str], gap: str) -> tuple[Gap, list[Catch]]:
    """
    Return a gap of the flywheel's file and its catches, without false alarms.

    Raises:
        StoreError: The gap does not exist, or the file cannot be used.
    """
    with database(book) as connection:
        body = _body(connection, gap)
        rows = connection.execute(
            "SELECT body FROM catches WHERE gap = ? ORDER BY at, id", (gap,)
        ).fetchall()
    catches = [
        parse_row(text, Catch.from_dict, f"a catch of gap `{escaped(gap)}`") for (text,) in rows
    ]
    # a false alarm would teach the model to avoid a right answer
    return Gap.from_dict(body), [one for one in catches if one.label != "ok"]


def state_of_gap(connection: sqlite3.Connection, gap: str) -> GapState:
    """
    Return the state of a gap.

    Raises:
        StoreError: The gap does not exist.
    """
    return GapState(_body(connection, gap)["state"])


def mark_gap(connection: sqlite3.Connection, gap: str, state: GapState) -> None:
    """
    Write the state of a gap.

    Raises:
        StoreError: The gap does not exist.
    """
    body = {**_body(connection, gap), "state": state.value}
    connection.execute(
        "UPDATE gaps SET state = ?, body = ? WHERE id = ?", (state.value, json.dumps(body), gap)
    )


def _body(connection: sqlite3.Connection, gap: str) -> dict[str, Any]:
    row = connection.execute("SELECT body FROM gaps WHERE id = ?", (gap,)).fetchone()
    if row is None:
        existing = [name for (name,) in connection.execute("SELECT id FROM gaps ORDER BY id")]
        hint = suggest_name(gap, existing, otherwise=f"the file holds {len(existing)} gaps")
        raise StoreError(f"flywheel: no gap has the id `{escaped(gap)}`; {hint}")
    return parse_row(row[0], _validate, f"gap `{escaped(gap)}`")


def _validate(record: dict[str, Any]) -> dict[str, Any]:
    return Gap.from_dict(record).to_dict()
