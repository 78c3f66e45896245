"""The decision log in a SQLite file, which the processes of one host may share."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from abs_shield.errors import StoreError
from abs_shield.stores.durable_store import MOST_WAITING, DurableStore
from abs_shield.stores.log_tables import Ledger
from abs_shield.stores.schema_migrations import SQLITE_STEPS
from abs_shield.stores.sealed_record import SealedRow
from abs_shield.stores.sqlite_forks import FORKS

_APPLICATION = 0x61627368  # "absh": tells a decision log from any other SQLite file
_OPENS_WITHIN_S = 10.0  # several processes may start together and wait for one migration
_ASKS_AGAIN_S = 0.005  # another process switches in a few milliseconds
_WAITS_MS = 1_000
"""Milliseconds that one attempt waits for another process's lock; the writer retries."""
_NOT_WRITABLE = ("unable to open database file", "attempt to write a readonly database")
_AT_ONCE = 250
"""Rows per statement: SQLite releases the GIL while it runs, so that tool calls go on."""
_COLUMNS = (*SealedRow._fields, "pattern")
_ROW = f"({', '.join('?' * len(_COLUMNS))})"
_INSERT = f"INSERT INTO records ({', '.join(_COLUMNS)}) VALUES "


class SqliteStore(DurableStore):
    """
    Decisions in a SQLite file in WAL mode; several processes of one host may share it.

    A call only puts its decision into a buffer; one thread writes batches, each with a commit that
    survives a power failure. Only the file's owner can read it. It must be on a local disk: WAL
    mode does not work on network drives.

    Args:
        path: The file; it is created if missing.
        key: Seals the records with HMAC-SHA-256, so that only its owner can forge one.
        most: Maximum number of decisions that wait while the file cannot be written; further ones
            are dropped and counted.
        existing: Whether the file must already exist; a read-only file can be read.

    Raises:
        StoreError: The file cannot be opened, is not a decision log, or a newer version wrote it.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        key: bytes | None = None,
        most: int = MOST_WAITING,
        existing: bool = False,
    ) -> None:
        self.path = Path(fspath(path)).absolute()
        super().__init__(key=key, most=most, existing=existing)
        FORKS.register_holder(self)

    def _guard_use(self) -> AbstractContextManager[None]:
        return FORKS.prevent_forks()

    def _connect(self, *, reads: bool = False) -> Ledger:
        return SqliteLedger(self.path, reads=reads)

    @property
    def name(self) -> str:
        return str(self.path)


class SqliteLedger(Ledger):
    """
    One connection to the file.

    Args:
        path: The file.
        reads: Whether the connection only reads; then the file must exist.

    Raises:
        StoreError: The file cannot be opened, is not a decision log, or a newer version wrote it.
    """

    errors = (sqlite3.Error,)
    refusals = (
        sqlite3.DataError,
        sqlite3.IntegrityError,
        sqlite3.InterfaceError,
        OverflowError,
        UnicodeError,
    )

    def __init__(self, path: Path, *, reads: bool = False) -> None:
        self._path = path
        self._reads = reads
        try:
            self.file = _ensure_file(path, reads=reads)
            self._require_not_inherited()
            FORKS.track(self)  # before it is opened, so that a fork in between knows the file
            self._connection = _open_connection(path, reads=reads)
        except (OSError, sqlite3.Error) as error:
            FORKS.untrack(self)
            why = "it is a folder; name a file in it" if path.is_dir() else _error_text(error)
            raise StoreError(f"cannot open the decision log `{path}`: {why}") from None
        try:
            self._prepare()
        except sqlite3.Error as error:
            self.close()
            raise StoreError(
                f"cannot use the decision log `{path}`: {_error_text(error)}"
            ) from None
        except StoreError:
            self.close()
            raise

    def _require_not_inherited(self) -> None:
        """Raise StoreError if the file was open at the fork: SQLite takes no lock on it then."""
        if FORKS.was_inherited(self.file):
            raise StoreError(
                f"the decision log `{self._path}` was in use when this process was forked and is"
                " not safe here; fork while nothing reads it, or spawn the process"
            )

    def _prepare(self) -> None:
        # a transaction, so that it sees all or none of the tables that another process creates
        self.execute("BEGIN")
        application, version = self._pragma("application_id"), self._pragma("user_version")
        tables = self._has_tables()
        self.execute("COMMIT")
        if application != _APPLICATION and (application or version or tables):
            raise StoreError(
                f"`{self._path}` is a SQLite file but not a decision log; use another file"
            )
        if version > len(SQLITE_STEPS):
            raise StoreError(
                f"`{self._path}` has schema {version}, "
                f"this version supports up to {len(SQLITE_STEPS)};"
                " use the abs-shield that wrote it, or a newer one"
            )
        if self._reads and not version:
            raise StoreError(f"`{self._path}` contains no decision log; use another file")
        if version < len(SQLITE_STEPS):
            self._enable_wal()
            self._migrate()
        if not self._reads:
            # a commit survives a power failure; NORMAL may lose it
            self._pragma("synchronous = FULL")
            self._pragma(f"busy_timeout = {_WAITS_MS}")

    def _enable_wal(self) -> None:
        """Switch to WAL mode, with retries: SQLite's own timeout does not apply to this."""
        until = time.monotonic() + _OPENS_WITHIN_S
        while True:
            try:
                self._pragma("journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                # the low byte; the rest is the extended code
                busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > until:
                    raise
            time.sleep(_ASKS_AGAIN_S)

    def _migrate(self) -> None:
        with self.transaction():
            for step in SQLITE_STEPS[self._pragma("user_version") :]:
                for statement in step:
                    self.execute(statement)
            self._pragma(f"application_id = {_APPLICATION}")
            self._pragma(f"user_version = {len(SQLITE_STEPS)}")

    def _pragma(self, statement: str) -> Any:
        row = self.execute(f"PRAGMA {statement}").fetchone()
        return None if row is None else row[0]

    def _has_tables(self) -> bool:
        return self.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._require_file()
        # takes the write lock now: a lock taken at the first write fails without waiting if another
        # process wrote meanwhile
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:  # also KeyboardInterrupt: an open transaction would lock the file
            with suppress(sqlite3.Error):
                if self._connection.in_transaction:
                    self.execute("ROLLBACK")
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        self.execute("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                self.execute("COMMIT")

    def _require_file(self) -> None:
        """Raise StoreError if the file was deleted: SQLite would go on writing to it."""
        with suppress(OSError):
            if _identity(os.stat(self._path)) == self.file:
                return
        raise StoreError(f"the decision log `{self._path}` was deleted or replaced")

    def insert(self, rows: Sequence[SealedRow], patterns: Sequence[int | None]) -> None:
        complete = [(*row, pattern) for row, pattern in zip(rows, patterns, strict=True)]
        for start in range(0, len(complete), _AT_ONCE):
            some = complete[start : start + _AT_ONCE]
            values = [value for row in some for value in row]
            self.execute(_INSERT + ", ".join([_ROW] * len(some)), values)

    def last_assigned_place(self) -> int:
        row = self.execute("SELECT seq FROM sqlite_sequence WHERE name = 'records'").fetchone()
        return row[0] if row is not None and isinstance(row[0], int) else 0

    def is_damage(self, error: BaseException) -> bool:
        code = getattr(error, "sqlite_errorcode", None)
        return code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        return self._connection.execute(sql, values)

    def execute_many(self, sql: str, values: Sequence[Sequence[Any]]) -> None:
        self._connection.executemany(sql, values)

    def exclusive(self) -> AbstractContextManager[None]:
        return self.transaction()

    def stream(self, sql: str, values: Sequence[Any]) -> Generator[Sequence[Any], None, None]:
        with closing(self._connection.execute(sql, values)) as cursor:
            yield from iter(cursor.fetchone, None)

    def close(self) -> None:
        self._connection.close()
        FORKS.untrack(self)


def _ensure_file(path: Path, *, reads: bool) -> tuple[int, int]:
    """
    Create a missing file, readable by its owner alone, and return the file's identity.

    SQLite itself would create it readable by everyone. An existing file is not opened here:
    closing it would release all locks that SQLite holds on it in this process, and another
    process could then write at the same time.
    """
    try:
        return _identity(os.stat(path))
    except FileNotFoundError:
        if reads:
            raise
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    return _identity(os.stat(path))


def _open_connection(path: Path, *, reads: bool) -> sqlite3.Connection:
    """Connect; for reading also to a read-only file, or one in a read-only folder."""
    try:
        return _connection(path, "mode=rw" if os.access(path, os.W_OK) else "mode=ro")
    except sqlite3.Error as error:
        if not reads or not str(error).startswith(_NOT_WRITABLE):
            raise
    _require_empty_wal(path)
    return _connection(path, "immutable=1")


def _connection(path: Path, word: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.as_uri()}?{word}",
        uri=True,
        timeout=_OPENS_WITHIN_S,
        isolation_level=None,  # transactions are explicit: Python would begin some of them itself
        check_same_thread=False,  # `close` and forks disconnect from another thread
    )
    try:
        # SQLite opens lazily: only the first statement reads the file and fails
        connection.execute("PRAGMA user_version")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _require_empty_wal(path: Path) -> None:
    """Raise StoreError if the WAL file has records: an immutable file is read without them."""
    rest = path.with_name(f"{path.name}-wal")
    with suppress(FileNotFoundError):
        if rest.stat().st_size:
            raise StoreError(
                f"the newest records of `{path}` are in `{rest.name}`, which is only readable"
                " where it is writable; copy both files to a folder of your own and open the copy"
            )


def _identity(file: os.stat_result) -> tuple[int, int]:
    return file.st_dev, file.st_ino


def _error_text(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file or folder"
    if isinstance(error, OSError):
        return str(error.strerror)
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
        return "it is not a SQLite database"
    return str(error)
