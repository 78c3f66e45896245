"""Counts of decisions by hour and pattern, updated as decisions are written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from abs_shield.core import Decision
from abs_shield.stores.decision_patterns import HOUR_S, DecisionPattern, pattern_of

if TYPE_CHECKING:
    from abs_shield.stores.log_tables import Ledger

UNREADABLE = 0
"""Pattern number of records that cannot be read: no pattern has it, and they are not counted."""
_AT_ONCE = 5_000
"""Records counted in one transaction, so that writers do not wait long."""
_LATEST = 1e15
"""Times are clamped to this: a host may pass any number, and database integers have 64 bits."""
_MOST_CACHED = 8_192  # saves a query per decision; a host has some hundred
"""Patterns whose number is cached."""


class PatternCount(NamedTuple):
    """
    The number of decisions of one pattern in a period.

    Attributes:
        number: The number of the pattern in this database.
        pattern: The pattern.
        decisions: The number of decisions, 1 or more.
        first_at: The time of the first of them, in seconds since the epoch.
        last_at: The time of the last of them.
        start: The start of the period, in seconds since the epoch.
    """

    number: int
    pattern: DecisionPattern
    decisions: int
    first_at: float
    last_at: float
    start: float


def hour_of(at: float) -> int:
    """
    Return the number of whole hours since the epoch.

    >>> hour_of(7_200.0), hour_of(-1.0), hour_of(1e300) == hour_of(1e200)
    (2, -1, True)
    """
    return int(max(-_LATEST, min(_LATEST, at)) // HOUR_S)


class HourlyCounts:
    """The counts of one database, through one of its connections."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._numbers: dict[str, int] = {}

    # Writing, inside a transaction ---------------------------------------------------------------

    def numbers(self, patterns: Sequence[DecisionPattern | None]) -> list[int | None]:
        """Return the number of each pattern; new patterns are inserted."""
        wanted = {one.digest: one for one in patterns if one is not None}
        # sorted, so that two writers that insert the same patterns cannot deadlock
        numbers = {digest: self._number(wanted[digest]) for digest in sorted(wanted)}
        return [None if one is None else numbers[one.digest] for one in patterns]

    def _number(self, pattern: DecisionPattern) -> int:
        if (number := self._numbers.get(pattern.digest)) is not None:
            return number
        ledger, param = self._ledger, self._ledger.param
        select = f"SELECT pattern FROM {ledger.patterns} WHERE digest = {param}"
        row = ledger.execute(select, (pattern.digest,)).fetchone()
        if row is None:
            ledger.execute(
                f"INSERT INTO {ledger.patterns} (digest, body) VALUES ({param}, {param})"
                # another process may insert the same pattern meanwhile
                " ON CONFLICT (digest) DO NOTHING",
                pattern,
            )
            row = ledger.execute(select, (pattern.digest,)).fetchone()
        return int(row[0])

    def remember(
        self, patterns: Iterable[DecisionPattern | None], numbers: Iterable[int | None]
    ) -> None:
        """Cache pattern numbers, after the transaction that inserted them was committed."""
        # emptied as a whole: a log rarely has so many patterns, and an LRU costs more per call
        if len(self._numbers) > _MOST_CACHED:
            self._numbers.clear()
        pairs = zip(patterns, numbers, strict=True)
        self._numbers.update((p.digest, n) for p, n in pairs if p is not None and n is not None)

    def add(self, writer: str, counted: Iterable[tuple[float, int | None]]) -> None:
        """Add decisions of one chain to the counts, each as its time and its pattern number."""
        ledger, param = self._ledger, self._ledger.param
        times_by_cell: dict[tuple[int, int], list[float]] = {}
        for at, number in counted:
            if number:
                times_by_cell.setdefault((hour_of(at), number), []).append(at)
        for (hour, number), times in sorted(times_by_cell.items()):
            ledger.execute(
                f"INSERT INTO {ledger.hourly_counts} AS t"
                " (hour, pattern, writer, decisions, first_at, last_at)"
                f" VALUES ({param}, {param}, {param}, {param}, {param}, {param})"
                " ON CONFLICT (hour, pattern, writer) DO UPDATE SET"
                " decisions = t.decisions + excluded.decisions,"
                " first_at = CASE WHEN excluded.first_at < t.first_at"
                " THEN excluded.first_at ELSE t.first_at END,"
                " last_at = CASE WHEN excluded.last_at > t.last_at"
                " THEN excluded.last_at ELSE t.last_at END",
                (hour, number, writer, len(times), min(times), max(times)),
            )

    def remove(self, writer: str, counted: Iterable[tuple[float, int | None]]) -> None:
        """Subtract deleted decisions of one chain from the counts."""
        ledger, param = self._ledger, self._ledger.param
        deleted: dict[tuple[int, int], int] = {}
        for at, number in counted:
            if number:
                deleted[hour_of(at), number] = deleted.get((hour_of(at), number), 0) + 1
        place = f"hour = {param} AND pattern = {param} AND writer = {param}"
        for (hour, number), count in sorted(deleted.items()):
            ledger.execute(
                f"UPDATE {ledger.hourly_counts} SET decisions = decisions - {param} WHERE {place}",
                (count, hour, number, writer),
            )
        # a cell without decisions would still be listed, with times of deleted records
        empty = f"DELETE FROM {ledger.hourly_counts} WHERE writer = {param} AND decisions <= 0"
        ledger.execute(empty, (writer,))

    def count_some(self) -> int:
        """
        Count records that an older version wrote, at most `_AT_ONCE`, in one transaction.

        Returns:
            The number counted; 0 if all are.
        """
        ledger, param = self._ledger, self._ledger.param
        with ledger.exclusive():
            rows = ledger.execute(
                f"SELECT place, writer, at, sealed FROM {ledger.records}"
                f" WHERE {_UNCOUNTED} ORDER BY place LIMIT {_AT_ONCE}"
            ).fetchall()
            patterns = [_pattern_in(sealed) for _, _, _, sealed in rows]
            numbers = [UNREADABLE if n is None else n for n in self.numbers(patterns)]
            ledger.execute_many(
                f"UPDATE {ledger.records} SET pattern = {param} WHERE place = {param}",
                [(number, row[0]) for number, row in zip(numbers, rows, strict=True)],
            )
            by_writer: dict[str, list[tuple[float, int | None]]] = {}
            for (_, writer, at, _), number in zip(rows, numbers, strict=True):
                by_writer.setdefault(writer, []).append((at, number))
            for writer, counted in sorted(by_writer.items()):
                self.add(writer, counted)
        return len(rows)

    # Reading -------------------------------------------------------------------------------------

    def uncounted(self) -> int:
        """Return the number of decisions of an older version that are not counted yet."""
        ledger = self._ledger
        sql = f"SELECT count(*) FROM {ledger.records} WHERE {_UNCOUNTED}"
        return int(ledger.execute(sql).fetchone()[0])

    def pattern_counts(
        self, *, since: float | None = None, until: float | None = None, hours: int | None = None
    ) -> list[PatternCount]:
        """
        Return the counts of a period by pattern, in whole hours.

        Args:
            since: Seconds since the epoch; its hour is included.
            until: Seconds since the epoch; its hour is included if it has begun.
            hours: Length of the periods counted separately; None counts all as one.
        """
        ledger, param = self._ledger, self._ledger.param
        conditions = [
            (f"hour >= {param}", None if since is None else hour_of(since)),
            (f"hour < {param}", None if until is None else -hour_of(-until)),  # rounds up, not down
        ]
        wanted = [(sql, value) for sql, value in conditions if value is not None]
        where = " WHERE " + " AND ".join(sql for sql, _ in wanted) if wanted else ""
        start = "0" if hours is None else f"hour / {int(hours)} * {int(hours)}"
        sql = (
            f"SELECT {start}, pattern, sum(decisions), min(first_at), max(last_at)"
            f" FROM {ledger.hourly_counts}{where} GROUP BY 1, 2 ORDER BY 1, 2"
        )
        rows = ledger.execute(sql, [value for _, value in wanted]).fetchall()
        patterns = self._patterns()
        return [
            PatternCount(number, patterns[number], int(n), first, last, begin * HOUR_S)
            for begin, number, n, first, last in rows
        ]

    def sessions(
        self, *, newest: int, since: float | None = None, until: float | None = None
    ) -> list[tuple[str, int, int]]:
        """
        Count the newest decisions by session and pattern, grouped by session.

        Args:
            newest: Number of places to read, counted back from the last one.
            since: Seconds since the epoch, inclusive.
            until: Seconds since the epoch, exclusive.

        Returns:
            The session's id, the pattern's number, and the number of decisions.
        """
        ledger, param = self._ledger, self._ledger.param
        conditions = [("pattern > {}", UNREADABLE), ("at >= {}", since), ("at < {}", until)]
        wanted = [(sql.format(param), value) for sql, value in conditions if value is not None]
        # ordered, limited: before its first ANALYZE, PostgreSQL estimates that a third of the log
        # follows any place, and would read it whole
        sql = (
            "SELECT session_id, pattern, count(*) FROM"
            f" (SELECT session_id, pattern, at FROM {ledger.records} WHERE place > {param}"
            f" ORDER BY place DESC LIMIT {param}) AS newest"
            f" WHERE {' AND '.join(sql for sql, _ in wanted)} GROUP BY 1, 2 ORDER BY 1, 2"
        )
        places = [ledger.last_place() - newest, newest]
        rows = ledger.execute(sql, [*places, *(value for _, value in wanted)]).fetchall()
        return [(session, number, int(n)) for session, number, n in rows]

    def _patterns(self) -> dict[int, DecisionPattern]:
        sql = f"SELECT pattern, digest, body FROM {self._ledger.patterns}"
        rows = self._ledger.execute(sql).fetchall()
        return {number: DecisionPattern(*columns) for number, *columns in rows}


_UNCOUNTED = "pattern IS NULL AND kind = 'decision'"
"""Must match the condition of the partial index word for word, or it is not used."""


def _pattern_in(sealed: str) -> DecisionPattern | None:
    """Return the pattern of a record; None if it cannot be read."""
    try:
        return pattern_of(Decision.from_dict(json.loads(sealed)["body"]))
    except Exception:  # a database may contain anything
        return None
