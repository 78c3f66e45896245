"""The decision log in PostgreSQL, which any number of hosts may share."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from abs_shield.errors import StoreError
from abs_shield.stores.durable_store import MOST_WAITING, DurableStore
from abs_shield.stores.log_tables import Ledger
from abs_shield.stores.schema_migrations import POSTGRES_STEPS
from abs_shield.stores.sealed_record import SealedRow
from abs_shield.text.safe_display import escaped

_LOCK = 0x61627368  # "absh": unlikely to be the lock of another program in the database
"""The advisory lock that lets one process migrate at a time."""
# a server in reach connects in milliseconds; libpq's own default is no limit
_CONNECTS_WITHIN_S = 5
# a batch takes milliseconds; without a limit, a hung lock stops the log
_ANSWERS_WITHIN_MS = 30_000
_AT_ONCE = 1_000  # rows per fetch: a few MB in memory, and few round trips
_COPY = f"COPY abs_shield_records ({', '.join((*SealedRow._fields, 'pattern'))}) FROM STDIN"


class PostgresStore(DurableStore):
    """
    Decisions in PostgreSQL 12 or newer, in two tables of the connection's schema.

    A call only puts its decision into a buffer; one thread writes batches with COPY, through one
    connection, which is reopened after a restart of the server.

    Args:
        dsn: A libpq connection string, e.g. ``postgresql://user@host/database``; put a password
            into ``PGPASSWORD`` or a password file rather than here.
        key: Seals the records with HMAC-SHA-256, so that only its owner can forge one.
        most: Maximum number of decisions that wait while the server is unreachable; further ones
            are dropped and counted.
        existing: Whether the tables must already exist.

    Raises:
        StoreError: The server is unreachable, psycopg is not installed, or a newer version of
            abs-shield wrote the tables.
    """

    def __init__(
        self,
        dsn: str,
        *,
        key: bytes | None = None,
        most: int = MOST_WAITING,
        existing: bool = False,
    ) -> None:
        self._dsn = dsn
        super().__init__(key=key, most=most, existing=existing)

    def _connect(self, *, reads: bool = False) -> Ledger:
        return PostgresLedger(self._dsn, reads=reads)

    @property
    def name(self) -> str:
        return _display_address(self._dsn)


class PostgresLedger(Ledger):
    """
    One connection to the server.

    Args:
        dsn: A libpq connection string.
        reads: Whether the connection only reads; then the tables must exist.

    Raises:
        StoreError: See `PostgresStore`.
    """

    records = "abs_shield_records"
    heads = "abs_shield_heads"
    patterns = "abs_shield_patterns"
    hourly_counts = "abs_shield_hourly_counts"
    param = "%s"

    def __init__(self, dsn: str, *, reads: bool = False) -> None:
        self._driver = _driver()
        self.errors = (self._driver.Error,)
        self.refusals = (self._driver.DataError, self._driver.IntegrityError, UnicodeError)
        self._address = _display_address(dsn)
        if not self._address:
            raise StoreError(
                "the address of PostgreSQL cannot be read; write `postgresql://user@host/database`,"
                " with `/`, `@` and `%` in a password as %2F, %40 and %25"
            )
        try:
            self._connection = self._driver.connect(
                dsn,
                autocommit=True,
                client_encoding="utf8",
                connect_timeout=_CONNECTS_WITHIN_S,
                application_name="abs_shield",
            )
        except self._driver.Error as error:
            raise StoreError(
                f"cannot reach the decision log `{self._address}`: {_error_text(error)}"
            ) from None
        try:
            self._prepare(reads=reads)
        except StoreError:
            self.close()
            raise
        except self._driver.Error as error:
            self.close()
            raise StoreError(
                f"cannot use the decision log `{self._address}`: {_error_text(error)}"
            ) from None

    def _prepare(self, *, reads: bool) -> None:
        self._require_utf8()
        self.execute(f"SET statement_timeout = {_ANSWERS_WITHIN_MS}")
        version = self._version()
        if version > len(POSTGRES_STEPS):
            raise StoreError(
                f"`{self._address}` has schema {version}, "
                f"this version supports up to {len(POSTGRES_STEPS)};"
                " use the abs-shield that wrote it, or a newer one"
            )
        # a reader must not create tables in a database named by mistake
        if not version and reads:
            raise StoreError(f"`{self._address}` contains no decision log; use another database")
        if version < len(POSTGRES_STEPS):
            self._migrate()

    def _require_utf8(self) -> None:
        """Raise StoreError for any other encoding: it cannot store every text of a model."""
        encoding = self._connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise StoreError(
                f"the database of `{self._address}` is encoded in {escaped(str(encoding))}, a log"
                " needs UTF8; run `createdb --encoding UTF8 --template template0 NAME`"
            )

    def _version(self) -> int:
        (table,) = self.execute("SELECT to_regclass('abs_shield_schema')").fetchone()
        if table is None:
            return 0
        (version,) = self.execute("SELECT max(version) FROM abs_shield_schema").fetchone()
        return int(version or 0)

    def _migrate(self) -> None:
        with self.transaction():
            self.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            self.execute("CREATE TABLE IF NOT EXISTS abs_shield_schema (version INTEGER NOT NULL)")
            for number, step in enumerate(POSTGRES_STEPS[self._version() :], self._version() + 1):
                for statement in step:
                    self.execute(statement)
                self.execute("INSERT INTO abs_shield_schema VALUES (%s)", (number,))

    def transaction(self) -> AbstractContextManager[Any]:
        block: AbstractContextManager[Any] = self._connection.transaction()
        return block

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        self._connection.isolation_level = self._driver.IsolationLevel.REPEATABLE_READ
        with self.transaction():
            yield

    @contextmanager
    def prefer_indexes(self) -> Iterator[None]:
        with self.transaction():
            # before its first ANALYZE, the server estimates 5,000 records for each id of a list
            self.execute("SET LOCAL enable_seqscan = off")
            yield

    def insert(self, rows: Sequence[SealedRow], patterns: Sequence[int | None]) -> None:
        with self._connection.cursor() as cursor, cursor.copy(_COPY) as copy:
            for row, pattern in zip(rows, patterns, strict=True):
                copy.write_row((*row, pattern))

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        return self._connection.execute(sql, values)

    def execute_many(self, sql: str, values: Sequence[Sequence[Any]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(sql, values)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        with self.transaction():
            self.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            yield

    def stream(self, sql: str, values: Sequence[Any]) -> Generator[Sequence[Any], None, None]:
        with self.transaction(), self._connection.cursor(name="abs_shield") as cursor:
            cursor.itersize = _AT_ONCE
            yield from cursor.execute(sql, values)

    def close(self) -> None:
        self._connection.close()


def _driver() -> Any:
    try:
        import psycopg
    except ImportError:
        raise StoreError(
            'PostgreSQL needs psycopg; run `pip install "abs-shield[postgres]"`'
        ) from None
    return psycopg


def _display_address(dsn: str) -> str:
    """Return the address without the password; empty if it cannot be parsed safely."""
    try:
        parts = _driver().conninfo.conninfo_to_dict(dsn)
    except Exception:  # a user may pass anything
        return ""
    shown = {name: str(parts.get(name, "")) for name in ("host", "port", "dbname")}
    wrong_port = shown["port"] and not shown["port"].replace(",", "").isdigit()
    if wrong_port or any("@" in part for part in shown.values()):  # a part of a password
        return ""
    return escaped("postgresql://{host}:{port}/{dbname}".format(**shown))


def _error_text(error: Exception) -> str:
    return escaped(" ".join(str(error).split()), limit=300)
