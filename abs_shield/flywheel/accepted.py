"""Gaps and their catches as the flywheel's file holds them, and what a promotion makes of a gap."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import fields
from enum import StrEnum
from os import PathLike
from typing import Any

from abs_shield.errors import StoreError
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.database import database
from abs_shield.flywheel.gap import Gap, GapState
from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped


def gap_with_catches(book: str | PathLike[str], gap: str) -> tuple[Gap, list[Catch]]:
    """
    Return a gap of the flywheel's file and its catches; those that are false alarms are left out.

    Raises:
        StoreError: There is no such gap, or the file cannot be used.
    """
    with database(book) as connection:
        body = _body(connection, gap)
        rows = connection.execute(
            "SELECT body FROM catches WHERE gap = ? ORDER BY at, id", (gap,)
        ).fetchall()
    catches = [_catch(json.loads(text)) for (text,) in rows]
    return _gap(body), [one for one in catches if one.label != "ok"]


def mark_gap(connection: sqlite3.Connection, gap: str, state: GapState) -> None:
    """
    Write the state of a gap.

    Raises:
        StoreError: There is no such gap.
    """
    body = {**_body(connection, gap), "state": state.value}
    connection.execute(
        "UPDATE gaps SET state = ?, body = ? WHERE id = ?", (state.value, json.dumps(body), gap)
    )


def _body(connection: sqlite3.Connection, gap: str) -> dict[str, Any]:
    row = connection.execute("SELECT body FROM gaps WHERE id = ?", (gap,)).fetchone()
    if row is None:
        known = [name for (name,) in connection.execute("SELECT id FROM gaps ORDER BY id")]
        near = nearest(gap, known)
        hint = f"did you mean `{near[0]}`?" if near else f"the file holds {len(known)} gaps"
        raise StoreError(f"flywheel: no gap has the id `{escaped(gap)}`; {hint}")
    body: dict[str, Any] = json.loads(row[0])
    return body


def _gap(body: dict[str, Any]) -> Gap:
    known = [one for one in fields(Gap) if one.name in body]
    return Gap(**{one.name: _restored(body[one.name], one.default) for one in known})


def _restored(value: Any, default: object) -> Any:
    """Return a value of JSON as its field has it: a word of a vocabulary, or a tuple."""
    if isinstance(default, StrEnum):
        return type(default)(value)
    return tuple(value) if isinstance(default, tuple) else value


def _catch(body: dict[str, Any]) -> Catch:
    return Catch(**{name: body[name] for name in Catch.__dataclass_fields__ if name in body})
