"""The rows of versions in the flywheel's file."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace

from abs_shield.errors import StoreError
from abs_shield.flywheel.database import parse_row
from abs_shield.flywheel.promotions import Promotion, history, stack, targets, versions_in_use
from abs_shield.flywheel.version_record import Event, Version
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped


def with_event(
    version: Version, what: str, by: str, reason: str, *, predecessor: str = ""
) -> Version:
    """Return a version with an additional event."""
    event = Event(at=time.time(), what=what, by=by, reason=reason, predecessor=predecessor)
    return replace(version, events=(*version.events, event))


def write_version(connection: sqlite3.Connection, version: Version) -> None:
    """Write a version."""
    connection.execute(
        "INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?)",
        (version.id, version.number, version.target, version.state.value,
         json.dumps(version.to_dict())),
    )  # fmt: skip


def describe_version(version: Version) -> str:
    """Return the name of a version for messages."""
    return f"version {version.number} of `{escaped(version.target)}`"


def read_version(connection: sqlite3.Connection, version: str) -> Version:
    """
    Return a version.

    Raises:
        StoreError: No version has this id, or it is damaged.
    """
    row = connection.execute("SELECT body FROM versions WHERE id = ?", (version,)).fetchone()
    if row is None:
        raise StoreError(f"flywheel: no version has the id `{escaped(version)}`")
    return parse_row(row[0], Version.from_dict, f"version `{escaped(version)}`")


def read_versions(connection: sqlite3.Connection) -> Iterator[Version]:
    """Yield all versions by target and number."""
    rows = connection.execute("SELECT id, body FROM versions ORDER BY target, number").fetchall()
    for key, body in rows:
        yield parse_row(body, Version.from_dict, f"version `{escaped(key)}`")


def stack_of(connection: sqlite3.Connection, target: str) -> list[Promotion]:
    """Return the stack of a target's promotions; raise StoreError if it is empty."""
    promotions = stack(history(connection, target))
    if not promotions:
        near = nearest(target, targets(connection))
        hint = f"did you mean `{escaped(near[0])}`?" if near else "promote one first"
        raise StoreError(f"flywheel: no version of `{escaped(target)}` is in use; {hint}")
    return promotions


def id_in_use(connection: sqlite3.Connection, target: str) -> str:
    """Return the id of the version in use; empty if none was promoted."""
    promotions = stack(history(connection, target))
    return promotions[-1].version if promotions else ""


def current_version(connection: sqlite3.Connection, target: str) -> Version | None:
    """Return the version in use; None if none was promoted."""
    version = id_in_use(connection, target)
    return read_version(connection, version) if version else None


def is_covered(connection: sqlite3.Connection, gap: str) -> bool:
    """Return whether a version for a gap is on the stack of any target."""
    return any(read_version(connection, one).gap == gap for one in versions_in_use(connection))
