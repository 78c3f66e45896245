"""Gaps in the flywheel's file: their catches, and the state that promotions change."""

from __future__ import annotations

import json
import sqlite3
from os import PathLike
from typing import Any

from abs_shield.errors import StoreError
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.database import database, parse_row
from abs_shield.flywheel.gap import Gap, GapState
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped


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
        near = nearest(gap, existing)
        hint = f"did you mean `{near[0]}`?" if near else f"the file holds {len(existing)} gaps"
        raise StoreError(f"flywheel: no gap has the id `{escaped(gap)}`; {hint}")
    return parse_row(row[0], _validated, f"gap `{escaped(gap)}`")


def _validated(record: dict[str, Any]) -> dict[str, Any]:
    return Gap.from_dict(record).to_dict()
