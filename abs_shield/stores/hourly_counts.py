"""Decisions counted by hour and pattern as they are written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from abs_shield.core import Decision
from abs_shield.stores.patterns import HOUR_S, Pattern, pattern_of

if TYPE_CHECKING:
    from abs_shield.stores.ledger import Ledger

UNREADABLE = 0
"""The pattern of a record that cannot be read: none has this number, and it is not counted."""
_AT_ONCE = 5_000
"""Records that are counted in one transaction, so that no writer waits long."""
_LATEST = 1e15
"""The last time whose hour is told apart: a host may give any, and databases have 64 bits."""
_MOST_KEPT = 8_192
"""Patterns of which the decision is kept in memory."""


class PatternCount(NamedTuple):
    """
    How many decisions of one pattern were made in a time.

    Attributes:
        number: Number of the pattern in this database.
        pattern: The pattern.
        decisions: How many there are, 1 or more.
        first_at: When the first of them was made, in seconds since the epoch.
        last_at: When the last of them was made.
        start: When the time begins, in seconds since the epoch.
    """

    number: int
    pattern: Pattern
    decisions: int
    first_at: float
    last_at: float
    start: float


def hour_of(at: float) -> int:
    """
    Return the hour of a time in seconds since the epoch, counted from the epoch.

    >>> hour_of(7_200.0), hour_of(-1.0), hour_of(1e300) == hour_of(1e200)
    (2, -1, True)
    """
    return int(max(-_LATEST, min(_LATEST, at)) // HOUR_S)


class HourlyCounts:
    """The counts of one database, over one of its connections."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._numbers: dict[str, int] = {}

    # Writing, inside a transaction ---------------------------------------------------------------

    def numbers(self, patterns: Sequence[Pattern | None]) -> list[int | None]:
        """Return the number of each pattern; new ones are kept."""
        wanted = {one.digest: one for one in patterns if one is not None}
        # in order, so that two writers that keep the same ones wait for each other in turn
        numbers = {digest: self._number(wanted[digest]) for digest in sorted(wanted)}
        return [None if one is None else numbers[one.digest] for one in patterns]

    def _number(self, pattern: Pattern) -> int:
        if (known := self._numbers.get(pattern.digest)) is not None:
            return known
        ledger, mark = self._ledger, self._ledger.mark
        select = f"SELECT pattern FROM {ledger.patterns} WHERE digest = {mark}"
        found = ledger.execute(select, (pattern.digest,)).fetchone()
        if found is None:
            ledger.execute(
                f"INSERT INTO {ledger.patterns} (digest, body) VALUES ({mark}, {mark})"
                " ON CONFLICT (digest) DO NOTHING",
                pattern,
            )
            found = ledger.execute(select, (pattern.digest,)).fetchone()
        return int(found[0])

    def remember(self, patterns: Iterable[Pattern | None], numbers: Iterable[int | None]) -> None:
        """Keep numbers in memory, once the transaction that made them has been committed."""
        if len(self._numbers) > _MOST_KEPT:
            self._numbers.clear()
        known = zip(patterns, numbers, strict=True)
        self._numbers.update((p.digest, n) for p, n in known if p is not None and n is not None)

    def add(self, writer: str, counted: Iterable[tuple[float, int | None]]) -> None:
        """Count decisions of one chain, each given as its time and the number of its pattern."""
        ledger, mark = self._ledger, self._ledger.mark
        of: dict[tuple[int, int], list[float]] = {}
        for at, number in counted:
            if number:
                of.setdefault((hour_of(at), number), []).append(at)
        for (hour, number), times in sorted(of.items()):
            ledger.execute(
                f"INSERT INTO {ledger.hourly_counts} AS t"
                " (hour, pattern, writer, decisions, first_at, last_at)"
                f" VALUES ({mark}, {mark}, {mark}, {mark}, {mark}, {mark})"
                " ON CONFLICT (hour, pattern, writer) DO UPDATE SET"
                " decisions = t.decisions + excluded.decisions,"
                " first_at = CASE WHEN excluded.first_at < t.first_at"
                " THEN excluded.first_at ELSE t.first_at END,"
                " last_at = CASE WHEN excluded.last_at > t.last_at"
                " THEN excluded.last_at ELSE t.last_at END",
                (hour, number, writer, len(times), min(times), max(times)),
            )

    def remove(self, writer: str, counted: Iterable[tuple[float, int | None]]) -> None:
        """Take decisions of one chain off the counts, as they are deleted."""
        ledger, mark = self._ledger, self._ledger.mark
        of: dict[tuple[int, int], int] = {}
        for at, number in counted:
            if number:
                of[hour_of(at), number] = of.get((hour_of(at), number), 0) + 1
        place = f"hour = {mark} AND pattern = {mark} AND writer = {mark}"
        for (hour, number), gone in sorted(of.items()):
            ledger.execute(
                f"UPDATE {ledger.hourly_counts} SET decisions = decisions - {mark} WHERE {place}",
                (gone, hour, number, writer),
            )
        empty = f"DELETE FROM {ledger.hourly_counts} WHERE writer = {mark} AND decisions <= 0"
        ledger.execute(empty, (writer,))

    def count_some(self) -> int:
        """
        Count records that an older version wrote, at most `_AT_ONCE`, in one transaction.

        Returns:
            How many were counted; 0 where all are.
        """
        ledger, mark = self._ledger, self._ledger.mark
        with ledger.exclusive():
            found = ledger.execute(
                f"SELECT place, writer, at, sealed FROM {ledger.records}"
                f" WHERE {_UNCOUNTED} ORDER BY place LIMIT {_AT_ONCE}"
            ).fetchall()
            patterns = [_pattern_in(sealed) for _, _, _, sealed in found]
            numbers = [UNREADABLE if n is None else n for n in self.numbers(patterns)]
            ledger.execute_many(
                f"UPDATE {ledger.records} SET pattern = {mark} WHERE place = {mark}",
                [(number, row[0]) for number, row in zip(numbers, found, strict=True)],
            )
            by_writer: dict[str, list[tuple[float, int | None]]] = {}
            for (_, writer, at, _), number in zip(found, numbers, strict=True):
                by_writer.setdefault(writer, []).append((at, number))
            for writer, counted in sorted(by_writer.items()):
                self.add(writer, counted)
        return len(found)

    # Reading -------------------------------------------------------------------------------------

    def uncounted(self) -> int:
        """Return how many decisions are not counted yet, as an older version wrote them."""
        ledger = self._ledger
        sql = f"SELECT count(*) FROM {ledger.records} WHERE {_UNCOUNTED}"
        return int(ledger.execute(sql).fetchone()[0])

    def pattern_counts(
        self, *, since: float | None = None, until: float | None = None, hours: int | None = None
    ) -> list[PatternCount]:
        """
        Return the counts of a time by pattern; those of whole hours.

        Args:
            since: Seconds since the epoch; its hour is included.
            until: Seconds since the epoch; its hour is included where it has begun.
            hours: Length of the times that are counted apart; None counts all as one.
        """
        ledger, mark = self._ledger, self._ledger.mark
        conditions = [
            (f"hour >= {mark}", None if since is None else hour_of(since)),
            (f"hour < {mark}", None if until is None else -hour_of(-until)),
        ]
        wanted = [(sql, value) for sql, value in conditions if value is not None]
        where = " WHERE " + " AND ".join(sql for sql, _ in wanted) if wanted else ""
        start = "0" if hours is None else f"hour / {int(hours)} * {int(hours)}"
        sql = (
            f"SELECT {start}, pattern, sum(decisions), min(first_at), max(last_at)"
            f" FROM {ledger.hourly_counts}{where} GROUP BY 1, 2 ORDER BY 1, 2"
        )
        found = ledger.execute(sql, [value for _, value in wanted]).fetchall()
        patterns = self._patterns()
        return [
            PatternCount(number, patterns[number], int(n), first, last, begin * HOUR_S)
            for begin, number, n, first, last in found
        ]

    def sessions(
        self, *, newest: int, since: float | None = None, until: float | None = None
    ) -> list[tuple[str, int, int]]:
        """
        Count the newest decisions by session and pattern, those of a session together.

        Args:
            newest: Places in the database that are looked at, from the last one backwards.
            since: Seconds since the epoch, inclusive.
            until: Seconds since the epoch, exclusive.

        Returns:
            The session's id, the number of the pattern, and how many decisions.
        """
        ledger, mark = self._ledger, self._ledger.mark
        conditions = [("pattern > {}", UNREADABLE), ("at >= {}", since), ("at < {}", until)]
        wanted = [(sql.format(mark), value) for sql, value in conditions if value is not None]
        # in the order of places, and cut: before its first ANALYZE, PostgreSQL takes a third of the
        # log to be behind any place, and reads it whole
        sql = (
            "SELECT session_id, pattern, count(*) FROM"
            f" (SELECT session_id, pattern, at FROM {ledger.records} WHERE place > {mark}"
            f" ORDER BY place DESC LIMIT {mark}) AS newest"
            f" WHERE {' AND '.join(sql for sql, _ in wanted)} GROUP BY 1, 2 ORDER BY 1, 2"
        )
        places = [ledger.last_place() - newest, newest]
        found = ledger.execute(sql, [*places, *(value for _, value in wanted)]).fetchall()
        return [(session, number, int(n)) for session, number, n in found]

    def _patterns(self) -> dict[int, Pattern]:
        sql = f"SELECT pattern, digest, body FROM {self._ledger.patterns}"
        return {number: Pattern(*found) for number, *found in self._ledger.execute(sql).fetchall()}


_UNCOUNTED = "pattern IS NULL AND kind = 'decision'"
"""In these words the databases know their partial index."""


def _pattern_in(sealed: str) -> Pattern | None:
    """Return the pattern of a record; None where it cannot be read."""
    try:
        return pattern_of(Decision.from_dict(json.loads(sealed)["body"]))
    except Exception:  # anything may stand in a database
        return None
