"""The flywheel's SQLite file of catches, gaps, reviews and versions."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from abs_shield.errors import StoreError
from abs_shield.text.safe_display import escaped

VERSION = 2  # of the tables; a file of another version is refused rather than misread
_APPLICATION = 0x666C7977  # "flyw", in the header of the file: no other SQLite file has it
_HINTS = {
    "not a database": "name a file created by `abs-shield flywheel harvest`",
    "unable to open": "name a file in a writable folder",
}
_BUSY_S = 30.0  # a harvest writes some thousand rows per transaction, while another command waits
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
CREATE TABLE IF NOT EXISTS promotions (
    number INTEGER PRIMARY KEY, target TEXT NOT NULL, version TEXT NOT NULL, at REAL NOT NULL,
    ended REAL, original TEXT NOT NULL
);
"""
Row = TypeVar("Row")


@contextmanager
def database(path: str | PathLike[str], *, create: bool = False) -> Iterator[sqlite3.Connection]:
    """
    Open the file for one transaction, which is rolled back if the block raises.

    A new file is readable by its owner only. A file not created by the flywheel is never written.

    Args:
        path: The file.
        create: Whether to create a missing file.

    Raises:
        StoreError: The file is missing, cannot be opened, was not created by the flywheel, or has
            another version.
    """
    file = Path(path)
    try:
        if not file.exists():
            _require(
                create, f"there is no file `{file}`; make it with `abs-shield flywheel harvest`"
            )
            # SQLite would let all users read it
            os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(file, timeout=_BUSY_S, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(
            f"flywheel: `{file}` cannot be opened: {_reason(error)}{_hint(error)}"
        ) from None
    try:
        _prepare(connection, file, create=create)
        with _transaction(connection):
            yield connection
    except sqlite3.Error as error:
        raise StoreError(
            f"flywheel: `{file}` cannot be used: {_reason(error)}{_hint(error)}"
        ) from None
    finally:
        connection.close()


def parse_row(body: str, make: Callable[[Any], Row], what: str) -> Row:
    """
    Parse a row of the file.

    Args:
        body: Its JSON.
        make: Builds the object from the JSON's value.
        what: Name of the object in messages.

    Raises:
        StoreError: The row is damaged.
    """
    try:
        return make(json.loads(body))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        reason = f"{type(error).__name__}: {_reason(error)}"
        raise StoreError(f"flywheel: {what} is damaged in the file: {reason}") from None


def _prepare(connection: sqlite3.Connection, file: Path, *, create: bool) -> None:
    def number(sql: str) -> int:
        return int(connection.execute(sql).fetchone()[0])

    if not number("SELECT count(*) FROM sqlite_master"):
        _require(create, f"`{file}` is empty; fill it with `abs-shield flywheel harvest`")
        connection.executescript(
            f"BEGIN IMMEDIATE; {_TABLES} PRAGMA application_id = {_APPLICATION};"
            f" PRAGMA user_version = {VERSION}; COMMIT"
        )
    is_own = number("PRAGMA application_id") == _APPLICATION
    _require(is_own, f"`{file}` was not made by the flywheel; name another file")
    version = number("PRAGMA user_version")
    _require(version == VERSION, f"`{file}` is of version {version}; this release reads {VERSION}")


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise StoreError(f"flywheel: {message}")


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    # the write lock first: reading and then writing would fail if another command wrote in between
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:  # also KeyboardInterrupt: all or nothing
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _hint(error: Exception) -> str:
    return next((f"; {hint}" for words, hint in _HINTS.items() if words in str(error)), "")


def _reason(error: Exception) -> str:
    return escaped(str(error), limit=200)
