"""Files with an engine's state: save, merge and load."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from abs_shield.errors import StoreError
from abs_shield.text.safe_display import escaped
from abs_shield.verification.snapshot_schema import PARTS, SCHEMA_VERSION
from abs_shield.verification.state_snapshot import damaged_error

_BUSY_S = 30.0  # seconds to wait for other processes, each of which holds the lock for one save
_TABLE = """CREATE TABLE IF NOT EXISTS verification (
    part TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (part, id)
) WITHOUT ROWID"""


class Restorable(Protocol):
    """An object with a state to save: an engine."""

    def snapshot(self) -> dict[str, Any]:
        """Return its state."""

    def restore(self, snapshot: Mapping[str, Any]) -> Any:
        """Merge a snapshot into its state."""


def save_state(engine: Restorable, path: str | PathLike[str]) -> None:
    """
    Write JSON if the name ends in ``.json``; else merge with the state in an SQLite database.

    Raises:
        StoreError: The file cannot be written, is another database, or has a newer version.
    """
    with _store_errors(path):
        if _is_json(path):
            _write_json(engine.snapshot(), Path(path))
            return
        with closing(_open(path)) as database:
            # The write lock comes before the read, or two processes could overwrite each other's
            # state.
            database.execute("BEGIN IMMEDIATE")
            database.execute(_TABLE)
            database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            before = _rows(database)
            engine.restore(_snapshot(before))
            _replace(database, before, engine.snapshot())
            database.commit()


def load_state(engine: Restorable, path: str | PathLike[str]) -> None:
    """
    Merge the state in a file written by `save_state`.

    Raises:
        StoreError: The file does not exist, has no such state, or has a newer version.
    """
    with _store_errors(path):
        if not Path(path).is_file():
            raise StoreError(f"verification: there is no file `{escaped(str(path), limit=200)}`")
        if _is_json(path):
            engine.restore(json.loads(Path(path).read_text(encoding="utf-8")))
            return
        with closing(_open(path)) as database:
            engine.restore(_snapshot(_rows(database)))


@contextmanager
def _store_errors(path: str | PathLike[str]) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error, ValueError, RecursionError) as error:
        name = escaped(str(path), limit=200)
        raise StoreError(
            f"verification: `{name}` cannot be used: {_why(error)}; give a file that `save` wrote"
        ) from None


def _why(error: Exception) -> str:
    """Return the problem of a file, reworded if SQLite or a parser states it."""
    match error:
        case json.JSONDecodeError() | RecursionError() | UnicodeError():
            return "it is not valid JSON"
        case sqlite3.DatabaseError() if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            return "it is not a SQLite database"
        case sqlite3.OperationalError() if "no such table" in str(error):
            return "it holds no state of a verification engine"
        case OSError():
            return error.strerror or str(error)
        case _:
            return str(error)


def _is_json(path: str | PathLike[str]) -> bool:
    return str(path).endswith(".json")


def _write_json(snapshot: Mapping[str, Any], path: Path) -> None:
    """Write to a temporary file in the same folder, and replace the old one atomically."""
    # In the same folder, because `os.replace` is atomic only within a file system.
    beside = path.with_name(f"{path.name}.{os.urandom(8).hex()}.part")
    try:
        with beside.open("x", encoding="utf-8") as file:
            file.write(json.dumps(snapshot, allow_nan=False))
        os.replace(beside, path)
    finally:
        with suppress(FileNotFoundError):  # after a successful replace it no longer exists
            beside.unlink()


def _open(path: str | PathLike[str]) -> sqlite3.Connection:
    # no implicit transactions: `BEGIN IMMEDIATE` is explicit
    database = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
    try:
        _require_supported(database, path)
    except Exception:
        database.close()
        raise
    return database


def _require_supported(database: sqlite3.Connection, path: str | PathLike[str]) -> None:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"verification: `{escaped(str(path), limit=200)}` has schema_version {version}, and"
            f" {SCHEMA_VERSION} is the newest known here; update abs_shield"
        )


def _rows(database: sqlite3.Connection) -> dict[tuple[str, str], str]:
    rows = database.execute("SELECT part, id, body FROM verification")
    return {(part, ident): body for part, ident, body in rows}


def _snapshot(rows: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    snapshot: dict[str, Any] = {"schema_version": SCHEMA_VERSION, **{part: {} for part in PARTS}}
    for (part, ident), body in rows.items():
        if part not in PARTS:
            raise damaged_error(
                f"the database has a part `{escaped(part)}`, which is not known here"
            )
        snapshot[part][ident] = json.loads(body)
    return snapshot


def _replace(
    database: sqlite3.Connection, before: Mapping[tuple[str, str], str], snapshot: Mapping[str, Any]
) -> None:
    after = {
        (part, ident): json.dumps(body, allow_nan=False)
        for part in PARTS
        for ident, body in snapshot[part].items()
    }
    # Only the changes are written, which are few in a large state.
    gone = [key for key in before if key not in after]
    new = [(*key, body) for key, body in after.items() if before.get(key) != body]
    database.executemany("DELETE FROM verification WHERE part = ? AND id = ?", gone)
    database.executemany("INSERT OR REPLACE INTO verification VALUES (?, ?, ?)", new)
