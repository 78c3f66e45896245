"""One connection to the tables of a decision log; what SQLite and PostgreSQL do alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from abs_shield.stores.record import Head, Kind, Row, column

_COLUMNS = ", ".join(Row._fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """
    Which records are wanted; what is None does not matter.

    Attributes:
        since: Seconds since the epoch, inclusive.
        until: Seconds since the epoch, exclusive.
    """

    kind: Kind | None = None
    writer: str | None = None
    decision_id: str | None = None
    session_id: str | None = None
    tool: str | None = None
    verdict: str | None = None
    since: float | None = None
    until: float | None = None

    def conditions(self) -> list[tuple[str, Any]]:
        """Give each condition as SQL with one ``{}`` in it, and its value."""
        wanted = [
            (f"{name} = {{}}", column(str(value)))
            for name in ("kind", "writer", "decision_id", "session_id", "tool", "verdict")
            if (value := getattr(self, name)) is not None
        ]
        bounds = [("at >= {}", self.since), ("at < {}", self.until)]
        return [*wanted, *((sql, value) for sql, value in bounds if value is not None)]


class Ledger(ABC):
    """
    Reads and writes rows; used by one thread at a time.

    A subclass says how its database is reached, and in which words.
    """

    records = "records"
    heads = "heads"
    mark = "?"
    refusals: tuple[type[Exception], ...] = ()
    """Errors that say that a record itself cannot be kept, however often it is tried."""
    errors: tuple[type[Exception], ...] = ()
    """Every error of the database."""

    # What a database does its own way ------------------------------------------------------------

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Any]:
        """Give a block that is committed as a whole, or not at all."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Any]:
        """Give a block in which everything that is read is of one moment."""

    @abstractmethod
    def insert(self, rows: Sequence[Row]) -> None:
        """Insert rows, in order."""

    @abstractmethod
    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Run one statement; give its cursor."""

    @abstractmethod
    def stream(self, sql: str, values: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Give what a statement finds, without holding it all in memory."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the connection."""

    # What all do alike ---------------------------------------------------------------------------

    def write(self, rows: Sequence[Row], head: Head) -> None:
        """Append rows to a chain and move its head, in one transaction."""
        mark = self.mark
        with self.transaction():
            self.insert(rows)
            self.execute(
                f"INSERT INTO {self.heads} (writer, seq, digest) VALUES ({mark}, {mark}, {mark})"
                " ON CONFLICT (writer) DO UPDATE SET seq = excluded.seq, digest = excluded.digest",
                head,
            )

    def head(self, writer: str) -> Head:
        """Give the head of a chain; that of an empty one where it is not known."""
        found = self.execute(
            f"SELECT writer, seq, digest FROM {self.heads} WHERE writer = {self.mark}", (writer,)
        ).fetchone()
        return Head(writer) if found is None else Head(*found)

    def all_heads(self) -> list[Head]:
        """Give the head of every chain."""
        sql = f"SELECT writer, seq, digest FROM {self.heads} ORDER BY writer"
        return [Head(*found) for found in self.execute(sql).fetchall()]

    def rows(
        self, query: Query, *, order: str = "place", limit: int | None = None
    ) -> Iterator[Row]:
        """Give the rows that match, in an order."""
        where, values = self._where(query)
        sql = f"SELECT {_COLUMNS} FROM {self.records}{where} ORDER BY {order}"
        if limit is not None:
            sql, values = f"{sql} LIMIT {self.mark}", [*values, limit]
        return (Row(*found) for found in self.stream(sql, values))

    def count(self, query: Query) -> int:
        """Count the rows that match."""
        where, values = self._where(query)
        (found,) = self.execute(f"SELECT count(*) FROM {self.records}{where}", values).fetchone()
        return int(found)

    def last_before(self, at: float) -> list[Head]:
        """Give, for each chain, the last of its first records that are all older than *at*."""
        sql = (
            f"SELECT writer, coalesce(min(CASE WHEN at >= {self.mark} THEN seq END) - 1, max(seq))"
            f" FROM {self.records} GROUP BY writer"
        )
        ends = self.execute(sql, (at,)).fetchall()
        found = (self._record(writer, seq) for writer, seq in ends)
        return [head for head in found if head is not None]

    def _record(self, writer: str, seq: int) -> Head | None:
        """Give one record of a chain as if it were the head; None where there is none."""
        mark = self.mark
        sql = f"SELECT digest FROM {self.records} WHERE writer = {mark} AND seq = {mark}"
        found = self.execute(sql, (writer, seq)).fetchone()
        return None if found is None else Head(writer, seq, found[0])

    def delete(self, heads: Sequence[Head]) -> int:
        """Delete every chain's records up to its head among *heads*; give how many."""
        mark, deleted = self.mark, 0
        sql = f"DELETE FROM {self.records} WHERE writer = {mark} AND seq <= {mark}"
        with self.transaction():
            for head in heads:
                deleted += self.execute(sql, (head.writer, head.seq)).rowcount
        return deleted

    def _where(self, query: Query) -> tuple[str, list[Any]]:
        conditions = query.conditions()
        told = " AND ".join(sql.format(self.mark) for sql, _ in conditions)
        return f" WHERE {told}" if told else "", [value for _, value in conditions]
