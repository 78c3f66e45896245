"""One connection to the tables of a decision log; what SQLite and PostgreSQL do alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from abs_shield.stores.hourly_counts import HourlyCounts
from abs_shield.stores.patterns import Pattern
from abs_shield.stores.record import Head, Kind, Row, column

_COLUMNS = ", ".join(Row._fields)
AT_ONCE = 10_000
"""Records deleted in one transaction: none takes so long that a server ends it."""
_VALUES_AT_ONCE = 500
"""Values of one list in a statement: older versions of SQLite take 999."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """
    Which records are wanted; what is None does not matter.

    Attributes:
        since: Seconds since the epoch, inclusive.
        until: Seconds since the epoch, exclusive.
        behind: A place in the database, exclusive.
        before: The same, for what stands in front of it.
        up_to: A place in the database, inclusive.
        pattern: Number of a pattern; see `HourlyCounts`.
    """

    kind: Kind | None = None
    writer: str | None = None
    decision_id: str | None = None
    session_id: str | None = None
    tool: str | None = None
    verdict: str | None = None
    since: float | None = None
    until: float | None = None
    behind: int | None = None
    before: int | None = None
    up_to: int | None = None
    pattern: int | None = None

    def conditions(self) -> list[tuple[str, Any]]:
        """Give each condition as SQL with one ``{}`` in it, and its value."""
        wanted = [
            (f"{name} = {{}}", column(str(value)))
            for name in ("kind", "writer", "decision_id", "session_id", "tool", "verdict")
            if (value := getattr(self, name)) is not None
        ]
        bounds = [
            ("at >= {}", self.since), ("at < {}", self.until),
            ("place > {}", self.behind), ("place < {}", self.before),
            ("place <= {}", self.up_to), ("pattern = {}", self.pattern),
        ]  # fmt: skip
        return [*wanted, *((sql, value) for sql, value in bounds if value is not None)]

    def admits(self, row: Row) -> bool:
        """Return whether a row is of the wanted kind and time; nothing else is asked here."""
        if self.kind is not None and row.kind != self.kind:
            return False
        after = self.since is None or row.at >= self.since
        return after and (self.until is None or row.at < self.until)


class Placed(NamedTuple):
    """A row, and its place in the database, which rises with every insert."""

    place: int
    row: Row


class Ledger(ABC):
    """
    Reads and writes rows; used by one thread at a time.

    A subclass says how its database is reached, and in which words.
    """

    records = "records"
    heads = "heads"
    patterns = "patterns"
    hourly_counts = "hourly_counts"
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
    def insert(self, rows: Sequence[Row], patterns: Sequence[int | None]) -> None:
        """Insert rows, in order, each with the number of its pattern; None of no decision."""

    @abstractmethod
    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Run one statement; give its cursor."""

    @abstractmethod
    def stream(self, sql: str, values: Sequence[Any]) -> Generator[Sequence[Any], None, None]:
        """Give what a statement finds, without holding it all in memory."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the connection."""

    @abstractmethod
    def exclusive(self) -> AbstractContextManager[Any]:
        """Give a transaction in which no other connection counts old records."""

    @abstractmethod
    def execute_many(self, sql: str, values: Sequence[Sequence[Any]]) -> None:
        """Run one statement with each of several rows of values."""

    def indexed(self) -> AbstractContextManager[Any]:
        """Return a block whose statements find single records of a large table by an index."""
        return nullcontext()

    # What all do alike ---------------------------------------------------------------------------

    @cached_property
    def counts(self) -> HourlyCounts:
        """The counts of decisions by hour and pattern."""
        return HourlyCounts(self)

    def write(
        self, rows: Sequence[Row], head: Head, patterns: Sequence[Pattern | None] | None = None
    ) -> None:
        """
        Append rows to a chain, count its decisions and move its head, in one transaction.

        Args:
            rows: The rows, in order.
            head: The head that they make.
            patterns: The pattern of each row; None of those that are no decisions.
        """
        mark, patterns = self.mark, patterns or [None] * len(rows)
        with self.transaction():
            numbers = self.counts.numbers(patterns)
            self.insert(rows, numbers)
            counted = ((row.at, number) for row, number in zip(rows, numbers, strict=True))
            self.counts.add(head.writer, counted)
            self.execute(
                f"INSERT INTO {self.heads} (writer, seq, digest, seal)"
                f" VALUES ({mark}, {mark}, {mark}, {mark}) ON CONFLICT (writer) DO UPDATE"
                " SET seq = excluded.seq, digest = excluded.digest, seal = excluded.seal",
                head,
            )
        self.counts.remember(patterns, numbers)

    def ids_near(self, text: str, *, most: int) -> list[str]:
        """Return the ids of decisions around *text* in the index of ids, *most* on each side."""
        before = [*self._ids("<", "DESC", text, most)]
        return [*reversed(before), *self._ids(">=", "ASC", text, most)]

    def _ids(self, sign: str, order: str, text: str, most: int) -> Iterator[str]:
        mark = self.mark
        sql = (
            f"SELECT DISTINCT decision_id FROM {self.records} WHERE decision_id {sign} {mark}"
            f" AND kind = {mark} ORDER BY decision_id {order} LIMIT {mark}"
        )
        rows = self.execute(sql, (column(text), Kind.DECISION, most)).fetchall()
        return (found for (found,) in rows if isinstance(found, str))

    def head(self, writer: str) -> Head:
        """Give the head of a chain; that of an empty one where it is not known."""
        found = self.execute(
            f"SELECT writer, seq, digest, seal FROM {self.heads} WHERE writer = {self.mark}",
            (writer,),
        ).fetchone()
        return Head(writer) if found is None else Head(*found)

    def all_heads(self) -> list[Head]:
        """Give the head of every chain."""
        sql = f"SELECT writer, seq, digest, seal FROM {self.heads} ORDER BY writer"
        return [Head(*found) for found in self.execute(sql).fetchall()]

    def rows(
        self, query: Query, *, order: str = "place", limit: int | None = None
    ) -> Iterator[Row]:
        """Give the rows that match, in an order."""
        return (placed.row for placed in self.placed(query, order=order, limit=limit))

    def placed(
        self, query: Query, *, order: str = "place", limit: int | None = None
    ) -> Generator[Placed, None, None]:
        """Give the rows that match, in an order, each with its place in the database."""
        where, values = self._where(query)
        sql = f"SELECT place, {_COLUMNS} FROM {self.records}{where} ORDER BY {order}"
        if limit is not None:
            sql, values = f"{sql} LIMIT {self.mark}", [*values, limit]
        with closing(self.stream(sql, values)) as found:
            for place, *columns in found:
                yield Placed(place, Row(*columns))

    def places_of(self, ids: Sequence[str]) -> list[int]:
        """Return the places of the decisions whose column has one of these ids."""
        sql = f"SELECT place FROM {self.records} WHERE kind = 'decision' AND decision_id IN ({{}})"
        with self.indexed():
            found = self._with_values(sql, [column(one) for one in ids])
            return sorted({place for (place,) in found})

    def placed_at(self, places: Sequence[int]) -> Iterator[Placed]:
        """Yield the records that are still at these places."""
        sql = f"SELECT place, {_COLUMNS} FROM {self.records} WHERE place IN ({{}})"
        return (Placed(place, Row(*columns)) for place, *columns in self._with_values(sql, places))

    def _with_values(self, sql: str, values: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Run a statement with a list of values in it, some hundred at a time."""
        for start in range(0, len(values), _VALUES_AT_ONCE):
            some = values[start : start + _VALUES_AT_ONCE]
            yield from self.execute(sql.format(", ".join([self.mark] * len(some))), some).fetchall()

    def last_place(self) -> int:
        """Give the newest record's place; 0 where there is none."""
        (found,) = self.execute(f"SELECT max(place) FROM {self.records}").fetchone()
        return int(found or 0)

    def counted(self) -> int:
        """Return the newest place that was ever given; 0 where the database does not count so."""
        return 0

    def is_damage(self, error: BaseException) -> bool:
        """Return whether an error says that a part of the database cannot be read, ever."""
        return False

    def writers(self) -> list[str]:
        """Name the chains that have a record."""
        sql = f"SELECT DISTINCT writer FROM {self.records} ORDER BY writer"
        return [writer for (writer,) in self.execute(sql).fetchall() if isinstance(writer, str)]

    def count(self, query: Query) -> int:
        """Count the rows that match."""
        where, values = self._where(query)
        (found,) = self.execute(f"SELECT count(*) FROM {self.records}{where}", values).fetchone()
        return int(found)

    def delete(self, head: Head) -> int:
        """Delete the first records of a chain, at most `AT_ONCE`, up to *head*; give how many."""
        mark, records = self.mark, self.records
        first = f"(SELECT min(seq) FROM {records} WHERE writer = {mark})"
        where = f"WHERE writer = {mark} AND seq <= {mark} AND seq < {first} + {AT_ONCE}"
        values = (head.writer, head.seq, head.writer)
        with self.transaction():
            gone = self.execute(f"SELECT at, pattern FROM {records} {where}", values).fetchall()
            self.counts.remove(head.writer, gone)
            return int(self.execute(f"DELETE FROM {records} {where}", values).rowcount)

    def _where(self, query: Query) -> tuple[str, list[Any]]:
        conditions = query.conditions()
        told = " AND ".join(sql.format(self.mark) for sql, _ in conditions)
        if query.kind not in (None, Kind.DECISION) and query.decision_id is None:
            # in these words SQLite knows its partial index; of one decision, that of ids is quicker
            told += " AND kind <> 'decision'"
        return f" WHERE {told}" if told else "", [value for _, value in conditions]
