"""The file in which the flywheel keeps catches, gaps, reviews and versions: SQLite."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from abs_shield.errors import StoreError
from abs_shield.text.show import escaped

VERSION = 1
_BUSY_S = 30.0
_TABLES = """
CREATE TABLE IF NOT EXISTS catches (
    id TEXT PRIMARY KEY, at REAL NOT NULL, decision_id TEXT NOT NULL, gap TEXT NOT NULL,
    body TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS labels (
    decision_id TEXT PRIMARY KEY, truth TEXT NOT NULL, at REAL NOT NULL, writer TEXT NOT NULL,
    note TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tallies (
    subject TEXT NOT NULL, tool TEXT NOT NULL, day TEXT NOT NULL, decisions INTEGER NOT NULL,
    PRIMARY KEY (subject, tool, day)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS chains (writer TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS patterns (
    id TEXT PRIMARY KEY, gap TEXT NOT NULL, bucket TEXT NOT NULL, words TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS catches_by_gap ON catches (gap);
CREATE INDEX IF NOT EXISTS catches_by_decision ON catches (decision_id);
CREATE TABLE IF NOT EXISTS harvests (log TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS gaps (id TEXT PRIMARY KEY, state TEXT NOT NULL, body TEXT NOT NULL)
WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS reviews (
    number INTEGER PRIMARY KEY, gap TEXT NOT NULL, at REAL NOT NULL, body TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS versions (
    id TEXT PRIMARY KEY, number INTEGER NOT NULL, target TEXT NOT NULL, state TEXT NOT NULL,
    body TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS current (target TEXT PRIMARY KEY, version TEXT NOT NULL) WITHOUT ROWID;
"""


@contextmanager
def database(path: str | PathLike[str]) -> Iterator[sqlite3.Connection]:
    """
    Open the file for one piece of work: all of it is kept, or none where it raises.

    A new file is readable by its owner alone.

    Raises:
        StoreError: The file cannot be opened, is no such file, or is of a newer version.
    """
    file = Path(path)
    try:
        if not file.exists():
            os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(file, timeout=_BUSY_S, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"flywheel: `{file}` cannot be opened: {_reason(error)}") from None
    try:
        _prepare(connection, file)
        with _transaction(connection):
            yield connection
    except sqlite3.Error as error:
        raise StoreError(f"flywheel: `{file}` cannot be used: {_reason(error)}") from None
    finally:
        connection.close()


def _prepare(connection: sqlite3.Connection, file: Path) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise StoreError(f"flywheel: `{file}` is of version {version}; {VERSION} is the newest")
    if version < VERSION:
        connection.executescript(_TABLES)
        connection.execute(f"PRAGMA user_version = {VERSION}")


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _reason(error: Exception) -> str:
    return escaped(str(error), limit=200)
