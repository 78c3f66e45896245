"""The rows of versions in the flywheel's file."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace

from abs_shield.errors import StoreError
from abs_shield.flywheel.database import restored
from abs_shield.flywheel.promotions import Promotion, history, stack, targets, versions_in_use
from abs_shield.flywheel.version import Event, Version
from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped


def decided(version: Version, what: str, by: str, reason: str, *, predecessor: str = "") -> Version:
    """Return a version with one more event."""
    event = Event(at=time.time(), what=what, by=by, reason=reason, predecessor=predecessor)
    return replace(version, events=(*version.events, event))


def write_version(connection: sqlite3.Connection, version: Version) -> None:
    """Write a version."""
    connection.execute(
        "INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?)",
        (version.id, version.number, version.target, version.state.value,
         json.dumps(version.to_dict())),
    )  # fmt: skip


def name_of(version: Version) -> str:
    """Return what a message calls a version."""
    return f"version {version.number} of `{escaped(version.target)}`"


def read_version(connection: sqlite3.Connection, version: str) -> Version:
    """
    Return a version.

    Raises:
        StoreError: There is none with this id, or it is damaged.
    """
    row = connection.execute("SELECT body FROM versions WHERE id = ?", (version,)).fetchone()
    if row is None:
        raise StoreError(f"flywheel: no version has the id `{escaped(version)}`")
    return restored(row[0], Version.from_dict, f"version `{escaped(version)}`")


def read_versions(connection: sqlite3.Connection) -> Iterator[Version]:
    """Yield all versions by target and number."""
    rows = connection.execute("SELECT id, body FROM versions ORDER BY target, number").fetchall()
    for key, body in rows:
        yield restored(body, Version.from_dict, f"version `{escaped(key)}`")


def stack_of(connection: sqlite3.Connection, target: str) -> list[Promotion]:
    """Return the promotions of a target that hold, at least one."""
    found = stack(history(connection, target))
    if not found:
        near = nearest(target, targets(connection))
        hint = f"did you mean `{escaped(near[0])}`?" if near else "promote one first"
        raise StoreError(f"flywheel: no version of `{escaped(target)}` is in use; {hint}")
    return found


def id_in_use(connection: sqlite3.Connection, target: str) -> str:
    """Return the id of the version in use; empty where none was promoted."""
    found = stack(history(connection, target))
    return found[-1].version if found else ""


def current_version(connection: sqlite3.Connection, target: str) -> Version | None:
    """Return the version in use; None where none was promoted."""
    version = id_in_use(connection, target)
    return read_version(connection, version) if version else None


def is_covered(connection: sqlite3.Connection, gap: str) -> bool:
    """Return whether a version for a gap is in use, or below one that is."""
    return any(read_version(connection, one).gap == gap for one in versions_in_use(connection))
