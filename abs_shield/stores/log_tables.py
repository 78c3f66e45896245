"""A connection to the tables of a decision log: the SQL shared by SQLite and PostgreSQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from abs_shield.stores.decision_patterns import DecisionPattern
from abs_shield.stores.hourly_counts import HourlyCounts
from abs_shield.stores.sealed_record import Head, RecordKind, SealedRow, column_text

_COLUMNS = ", ".join(SealedRow._fields)
AT_ONCE = 10_000
"""Records deleted in one transaction, so that it stays below a server's statement timeout."""
_VALUES_AT_ONCE = 500
"""Values of one list in a statement: older versions of SQLite accept 999."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """
    A filter of records; attributes that are None match any record.

    Attributes:
        kind: The kind of record.
        writer: The chain.
        decision_id: The id of the decision.
        session_id: The id of the session.
        tool: The name of the tool.
        verdict: The verdict of the decision.
        since: Seconds since the epoch, inclusive.
        until: Seconds since the epoch, exclusive.
        after: A place in the database, exclusive.
        before: A place in the database, exclusive.
        up_to: A place in the database, inclusive.
        pattern: Number of a pattern; see `HourlyCounts`.
    """

    kind: RecordKind | None = None
    writer: str | None = None
    decision_id: str | None = None
    session_id: str | None = None
    tool: str | None = None
    verdict: str | None = None
    since: float | None = None
    until: float | None = None
    after: int | None = None
    before: int | None = None
    up_to: int | None = None
    pattern: int | None = None

    def conditions(self) -> list[tuple[str, Any]]:
        """Return each condition as SQL with one ``{}`` for the value, and the value."""
        equal = [
            (f"{name} = {{}}", column_text(str(value)))
            for name in ("kind", "writer", "decision_id", "session_id", "tool", "verdict")
            if (value := getattr(self, name)) is not None
        ]
        bounds = [
            ("at >= {}", self.since), ("at < {}", self.until),
            ("place > {}", self.after), ("place < {}", self.before),
            ("place <= {}", self.up_to), ("pattern = {}", self.pattern),
        ]  # fmt: skip
        return [*equal, *((sql, value) for sql, value in bounds if value is not None)]

    def admits(self, row: SealedRow) -> bool:
        """Return whether a row has the kind and the time of the query; nothing else is compared."""
        if self.kind is not None and row.kind != self.kind:
            return False
        after = self.since is None or row.at >= self.since
        return after and (self.until is None or row.at < self.until)


class PositionedRow(NamedTuple):
    """A row and its place in the database, which increases with every insert."""

    place: int
    row: SealedRow


class Ledger(ABC):
    """
    A database connection that reads and writes rows; used by one thread at a time.

    Subclasses implement the connection and the SQL dialect.
    """

    records = "records"
    heads = "heads"
    patterns = "patterns"
    hourly_counts = "hourly_counts"
    param = "?"
    refusals: tuple[type[Exception], ...] = ()
    """Errors that mean that the record itself cannot be stored, so a retry is useless."""
    errors: tuple[type[Exception], ...] = ()
    """Every error of the database."""

    # Implemented by each database ----------------------------------------------------------------

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Any]:
        """Return a context manager whose block is one transaction."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Any]:
        """Return a context manager whose block reads a consistent snapshot."""

    @abstractmethod
    def insert(self, rows: Sequence[SealedRow], patterns: Sequence[int | None]) -> None:
        """Insert rows in order, each with its pattern number; None for records of other kinds."""

    @abstractmethod
    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Run one statement and return its cursor."""

    @abstractmethod
    def stream(self, sql: str, values: Sequence[Any]) -> Generator[Sequence[Any], None, None]:
        """Yield the rows of a statement, without loading all of them into memory."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    @abstractmethod
    def exclusive(self) -> AbstractContextManager[Any]:
        """Return a transaction that excludes other connections from counting old records."""

    @abstractmethod
    def execute_many(self, sql: str, values: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each row of values."""

    def prefer_indexes(self) -> AbstractContextManager[Any]:
        """Return a context manager whose block looks records up by index, also in large tables."""
        return nullcontext()

    # Shared --------------------------------------------------------------------------------------

    @cached_property
    def counts(self) -> HourlyCounts:
        """The counts of decisions by hour and pattern."""
        return HourlyCounts(self)

    def write(
        self,
        rows: Sequence[SealedRow],
        head: Head,
        patterns: Sequence[DecisionPattern | None] | None = None,
    ) -> None:
        """
        Append rows to a chain, count its decisions and update its head, in one transaction.

        Args:
            rows: The rows, in order.
            head: The head of the chain with these rows.
            patterns: The pattern of each row; None for rows that are not decisions.
        """
        param, patterns = self.param, patterns or [None] * len(rows)
        with self.transaction():
            numbers = self.counts.numbers(patterns)
            self.insert(rows, numbers)
            counted = ((row.at, number) for row, number in zip(rows, numbers, strict=True))
            self.counts.add(head.writer, counted)
            self.execute(
                f"INSERT INTO {self.heads} (writer, seq, digest, seal)"
                f" VALUES ({param}, {param}, {param}, {param}) ON CONFLICT (writer) DO UPDATE"
                " SET seq = excluded.seq, digest = excluded.digest, seal = excluded.seal",
                head,
            )
        # after the commit: a rollback would leave numbers of patterns that do not exist
        self.counts.remember(patterns, numbers)

    def ids_near(self, text: str, *, most: int) -> list[str]:
        """Return the decision ids next to *text* in sort order, at most *most* on each side."""
        before = [*self._ids("<", "DESC", text, most)]
        return [*reversed(before), *self._ids(">=", "ASC", text, most)]

    def _ids(self, sign: str, order: str, text: str, most: int) -> Iterator[str]:
        param = self.param
        sql = (
            f"SELECT DISTINCT decision_id FROM {self.records} WHERE decision_id {sign} {param}"
            f" AND kind = {param} ORDER BY decision_id {order} LIMIT {param}"
        )
        rows = self.execute(sql, (column_text(text), RecordKind.DECISION, most)).fetchall()
        return (decision_id for (decision_id,) in rows if isinstance(decision_id, str))

    def head(self, writer: str) -> Head:
        """Return the head of a chain; the head of an empty chain if the log has none."""
        row = self.execute(
            f"SELECT writer, seq, digest, seal FROM {self.heads} WHERE writer = {self.param}",
            (writer,),
        ).fetchone()
        return Head(writer) if row is None else Head(*row)

    def all_heads(self) -> list[Head]:
        """Return the head of every chain."""
        sql = f"SELECT writer, seq, digest, seal FROM {self.heads} ORDER BY writer"
        return [Head(*row) for row in self.execute(sql).fetchall()]

    def rows(
        self, query: Query, *, order: str = "place", limit: int | None = None
    ) -> Iterator[SealedRow]:
        """Yield the matching rows in an order."""
        return (
            positioned.row for positioned in self.positioned_rows(query, order=order, limit=limit)
        )

    def positioned_rows(
        self, query: Query, *, order: str = "place", limit: int | None = None
    ) -> Generator[PositionedRow, None, None]:
        """Yield the matching rows in an order, each with its place in the database."""
        where, values = self._where(query)
        sql = f"SELECT place, {_COLUMNS} FROM {self.records}{where} ORDER BY {order}"
        if limit is not None:
            sql, values = f"{sql} LIMIT {self.param}", [*values, limit]
        with closing(self.stream(sql, values)) as rows:
            for place, *columns in rows:
                yield PositionedRow(place, SealedRow(*columns))

    def places_of(self, ids: Sequence[str]) -> list[int]:
        """Return the places of the decisions with these ids, by the column of ids."""
        sql = f"SELECT place FROM {self.records} WHERE kind = 'decision' AND decision_id IN ({{}})"
        with self.prefer_indexes():
            rows = self._with_values(sql, [column_text(one) for one in ids])
            return sorted({place for (place,) in rows})

    def rows_at(self, places: Sequence[int]) -> Iterator[PositionedRow]:
        """Yield the records that still exist at these places."""
        sql = f"SELECT place, {_COLUMNS} FROM {self.records} WHERE place IN ({{}})"
        return (
            PositionedRow(place, SealedRow(*columns))
            for place, *columns in self._with_values(sql, places)
        )

    def _with_values(self, sql: str, values: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Run a statement with a list of values, some hundred at a time."""
        for start in range(0, len(values), _VALUES_AT_ONCE):
            some = values[start : start + _VALUES_AT_ONCE]
            yield from self.execute(
                sql.format(", ".join([self.param] * len(some))), some
            ).fetchall()

    def last_place(self) -> int:
        """Return the place of the newest record; 0 for an empty log."""
        (place,) = self.execute(f"SELECT max(place) FROM {self.records}").fetchone()
        return int(place or 0)

    def last_assigned_place(self) -> int:
        """Return the highest place ever assigned; 0 if the database does not track it."""
        return 0

    def is_damage(self, error: BaseException) -> bool:
        """Return whether an error means that the database file is damaged."""
        return False

    def writers(self) -> list[str]:
        """Return the writers of all chains that have a record."""
        sql = f"SELECT DISTINCT writer FROM {self.records} ORDER BY writer"
        return [writer for (writer,) in self.execute(sql).fetchall() if isinstance(writer, str)]

    def count(self, query: Query) -> int:
        """Return the number of matching rows."""
        where, values = self._where(query)
        (count,) = self.execute(f"SELECT count(*) FROM {self.records}{where}", values).fetchone()
        return int(count)

    def delete(self, head: Head) -> int:
        """Delete a chain's first records up to *head*, at most `AT_ONCE`; return their number."""
        param, records = self.param, self.records
        first = f"(SELECT min(seq) FROM {records} WHERE writer = {param})"
        # a range instead of LIMIT, which PostgreSQL does not accept in DELETE
        where = f"WHERE writer = {param} AND seq <= {param} AND seq < {first} + {AT_ONCE}"
        values = (head.writer, head.seq, head.writer)
        with self.transaction():
            deleted = self.execute(f"SELECT at, pattern FROM {records} {where}", values).fetchall()
            self.counts.remove(head.writer, deleted)
            return int(self.execute(f"DELETE FROM {records} {where}", values).rowcount)

    def _where(self, query: Query) -> tuple[str, list[Any]]:
        conditions = query.conditions()
        where = " AND ".join(sql.format(self.param) for sql, _ in conditions)
        if query.kind not in (None, RecordKind.DECISION) and query.decision_id is None:
            # the condition of SQLite's partial index; for one decision, the index of ids is faster
            where += " AND kind <> 'decision'"
        return f" WHERE {where}" if where else "", [value for _, value in conditions]
