"""The decision log in PostgreSQL, shared by any number of hosts."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from abs_shield.errors import StoreError
from abs_shield.stores.durable import MOST_WAITING, DurableStore
from abs_shield.stores.ledger import Ledger
from abs_shield.stores.migrations.postgres import STEPS
from abs_shield.stores.record import Row
from abs_shield.text.show import escaped

_LOCK = 0x61627368
"""The advisory lock under which one process migrates while the others wait."""
_CONNECTS_WITHIN_S = 5
_ANSWERS_WITHIN_MS = 30_000
_AT_ONCE = 1_000
_COPY = f"COPY abs_shield_records ({', '.join((*Row._fields, 'pattern'))}) FROM STDIN"


class PostgresStore(DurableStore):
    """
    Decisions in PostgreSQL 12 or newer, in two tables of the connection's schema.

    A call only puts its decision into a buffer; one thread writes batches with COPY, over one
    connection, which is opened anew when the server was restarted.

    Args:
        dsn: As libpq takes it, e.g. ``postgresql://user@host/database``; a password is better
            left to ``PGPASSWORD`` or a password file.
        key: Seals the records with HMAC-SHA-256, so that nobody without it can forge one.
        most: Decisions that wait at most while the server cannot be reached; then they are
            dropped and counted.
        existing: Whether the tables have to be there.

    Raises:
        StoreError: The server cannot be reached, psycopg is not installed, or a newer version
            wrote the tables.
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

    def _connected(self, *, reads: bool = False) -> Ledger:
        return PostgresLedger(self._dsn, reads=reads)

    @property
    def name(self) -> str:
        return _place(self._dsn)

    def __repr__(self) -> str:
        return f"PostgresStore({self.name!r})"


class PostgresLedger(Ledger):
    """
    One connection to the server.

    Args:
        dsn: As libpq takes it.
        reads: Whether nothing is written; then the tables must be there.

    Raises:
        StoreError: See `PostgresStore`.
    """

    records = "abs_shield_records"
    heads = "abs_shield_heads"
    patterns = "abs_shield_patterns"
    hourly_counts = "abs_shield_hourly_counts"
    mark = "%s"

    def __init__(self, dsn: str, *, reads: bool = False) -> None:
        self._driver = _driver()
        self.errors = (self._driver.Error,)
        self.refusals = (self._driver.DataError, self._driver.IntegrityError, UnicodeError)
        self._where_to = _place(dsn)
        if not self._where_to:
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
                f"cannot reach the decision log `{self._where_to}`: {_told(error)}"
            ) from None
        try:
            self._prepare(reads=reads)
        except StoreError:
            self.close()
            raise
        except self._driver.Error as error:
            self.close()
            raise StoreError(
                f"cannot use the decision log `{self._where_to}`: {_told(error)}"
            ) from None

    def _prepare(self, *, reads: bool) -> None:
        self._require_utf8()
        self.execute(f"SET statement_timeout = {_ANSWERS_WITHIN_MS}")
        version = self._version()
        if version > len(STEPS):
            raise StoreError(
                f"`{self._where_to}` has schema {version}, this version knows {len(STEPS)};"
                " use the abs-shield that wrote it, or a newer one"
            )
        if not version and reads:
            raise StoreError(f"`{self._where_to}` holds no decision log; name another")
        if version < len(STEPS):
            self._migrate()

    def _require_utf8(self) -> None:
        """Any other encoding cannot hold, or does not give back, what a model may write."""
        encoding = self._connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise StoreError(
                f"the database of `{self._where_to}` is encoded in {escaped(str(encoding))}, a log"
                " needs UTF8; make one: `createdb --encoding UTF8 --template template0 NAME`"
            )

    def _version(self) -> int:
        (there,) = self.execute("SELECT to_regclass('abs_shield_schema')").fetchone()
        if there is None:
            return 0
        (version,) = self.execute("SELECT max(version) FROM abs_shield_schema").fetchone()
        return int(version or 0)

    def _migrate(self) -> None:
        with self.transaction():
            self.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            self.execute("CREATE TABLE IF NOT EXISTS abs_shield_schema (version INTEGER NOT NULL)")
            for number, step in enumerate(STEPS[self._version() :], self._version() + 1):
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
    def indexed(self) -> Iterator[None]:
        with self.transaction():
            # before its first ANALYZE, the server takes each id of a list to have 5,000 records
            self.execute("SET LOCAL enable_seqscan = off")
            yield

    def insert(self, rows: Sequence[Row], patterns: Sequence[int | None]) -> None:
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


def _place(dsn: str) -> str:
    """Name the database without the password; empty for an address that is misread."""
    try:
        parts = _driver().conninfo.conninfo_to_dict(dsn)
    except Exception:  # it may hold anything
        return ""
    named = {name: str(parts.get(name, "")) for name in ("host", "port", "dbname")}
    wrong_port = named["port"] and not named["port"].replace(",", "").isdigit()
    if wrong_port or any("@" in part for part in named.values()):  # a part of a password
        return ""
    return escaped("postgresql://{host}:{port}/{dbname}".format(**named))


def _told(error: Exception) -> str:
    return escaped(" ".join(str(error).split()), limit=300)
