"""Queries of a decision log."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from abs_shield.core import Decision, Verdict
from abs_shield.core.label import Label
from abs_shield.errors import StoreError
from abs_shield.stores.hourly_counts import PatternCount
from abs_shield.stores.log_tables import Query
from abs_shield.stores.newest_record import NewestRecord
from abs_shield.stores.record_bodies import (
    Skipped,
    parse_decision,
    parse_gap,
    parse_label,
    parse_report,
    parse_score,
    read_bodies,
)
from abs_shield.stores.record_reader import RecordReader
from abs_shield.stores.sealed_record import Head, RecordKind, ScoreRecord


class LogReader(RecordReader):
    """The queries of a log; subclasses provide the connection."""

    def get(self, decision_id: str) -> Decision | None:
        """
        Return the newest decision with that id, or None.

        Raises:
            StoreError: The record cannot be read.
        """
        newest = self._newest(decision_id)
        return None if newest is None else newest[1]

    def ids_near(self, text: str, *, most: int) -> list[str]:
        """
        Return the decision ids next to *text* in sort order.

        Ids that begin with *text* come one after the other; otherwise these are its neighbours.

        Args:
            text: An id, or the beginning of one.
            most: Maximum number of ids before it, and of ids from it on.

        Raises:
            StoreError: The database cannot be read.
        """
        with self._read_connection() as ledger:
            return ledger.ids_near(text, most=most)

    def around(
        self, decision_id: str, *, most: int, skipped: Skipped | None = None
    ) -> tuple[list[Decision], list[Decision]]:
        """
        Return the decisions of the same session before and after one.

        Both lists are in the order of the log; they are empty if the log has no such decision or
        the decision has no session.

        Args:
            decision_id: The decision.
            most: Maximum number of decisions on each side.
            skipped: Called with each neighbour that cannot be read; if None, it raises.

        Raises:
            StoreError: The database, the decision or a record cannot be read.
        """
        newest = self._newest(decision_id)
        if newest is None or not newest[1].session_id:
            return [], []
        place, decision = newest
        query = Query(kind=RecordKind.DECISION, session_id=decision.session_id)
        with self._read_connection() as ledger:
            # an expression, because for a small limit PostgreSQL would scan the index of places
            # until it meets the session, instead of sorting the rows of the session's index
            before = ledger.rows(
                replace(query, up_to=place - 1), order="place + 0 DESC", limit=most
            )
            sides = (
                [*before][::-1],
                [*ledger.rows(replace(query, after=place), order="place + 0", limit=most)],
            )
        earlier, later = (read_bodies(rows, parse_decision, skipped) for rows in sides)
        return earlier, later

    def decisions(
        self,
        *,
        session_id: str | None = None,
        tool: str | None = None,
        verdict: Verdict | None = None,
        limit: int | None = None,
        skipped: Skipped | None = None,
    ) -> list[Decision]:
        """
        Return the matching decisions, oldest first; with *limit*, only the newest of them.

        Args:
            session_id: Only decisions of this session.
            tool: Only decisions about this tool.
            verdict: Only decisions with this verdict.
            limit: Maximum number of decisions, the newest.
            skipped: Called with each record that cannot be read; if None, such a record raises.

        Raises:
            StoreError: *limit* is negative, or the database or a record cannot be read.
        """
        if limit is not None and limit < 0:
            raise StoreError(f"decisions() got limit={limit}; use 0 or more")
        query = Query(kind=RecordKind.DECISION, session_id=session_id, tool=tool, verdict=verdict)
        with self._read_connection() as ledger:
            rows = list(ledger.rows(query, order="place DESC", limit=limit))
        return read_bodies(reversed(rows), parse_decision, skipped)

    def scan(
        self,
        *,
        since: float | None = None,
        until: float | None = None,
        skipped: Skipped | None = None,
    ) -> Iterator[Decision]:
        """
        Yield the decisions of a period, oldest first, without loading all of them into memory.

        Args:
            since: Seconds since the epoch, inclusive.
            until: Seconds since the epoch, exclusive.
            skipped: Called with each record that cannot be read; if None, such a record raises.

        Raises:
            StoreError: The database or a record cannot be read.
        """
        query = Query(kind=RecordKind.DECISION, since=since, until=until)
        return (decision for _, decision in self._read(query, parse_decision, skipped))

    def pattern_counts(
        self, *, since: float | None = None, until: float | None = None, hours: int | None = None
    ) -> list[PatternCount]:
        """
        Return the number of decisions of each pattern in a period, without reading them.

        Decisions of an older version are included only after `count_uncounted` has run.

        Args:
            since: Seconds since the epoch; the whole of its hour is included.
            until: Seconds since the epoch, exclusive; an hour that has begun is included.
            hours: Length of the periods counted separately, such as 24; None counts all as one.

        Raises:
            StoreError: The database cannot be read.
        """
        with self._read_connection() as ledger:
            return ledger.counts.pattern_counts(since=since, until=until, hours=hours)

    def uncounted(self) -> int:
        """Return the number of decisions of an older version not yet in `pattern_counts`."""
        with self._read_connection() as ledger:
            return ledger.counts.uncounted()

    def session_counts(
        self, *, newest: int, since: float | None = None, until: float | None = None
    ) -> list[tuple[str, int, int]]:
        """
        Return the number of decisions of each pattern in the newest sessions.

        Args:
            newest: Number of records to read, counted back from the last one.
            since: Seconds since the epoch, inclusive.
            until: Seconds since the epoch, exclusive.

        Returns:
            The session's id, the pattern's number as in `pattern_counts`, and the number of
            decisions, grouped by session.

        Raises:
            StoreError: The database cannot be read.
        """
        with self._read_connection() as ledger:
            return ledger.counts.sessions(newest=newest, since=since, until=until)

    def newest(
        self,
        patterns: Collection[int],
        *,
        limit: int,
        before: int | None = None,
        since: float | None = None,
        until: float | None = None,
        skipped: Skipped | None = None,
    ) -> list[tuple[int, Decision]]:
        """
        Return the place and the decision of the newest records of some patterns, newest first.

        Args:
            patterns: Numbers of patterns, as in `pattern_counts`.
            limit: Maximum number of decisions.
            before: A place, exclusive: that of the last decision of the previous page.
            since: Seconds since the epoch, inclusive.
            until: Seconds since the epoch, exclusive.
            skipped: Called with each record that cannot be read; if None, such a record raises.

        Raises:
            StoreError: The database or a record cannot be read.
        """
        query = Query(kind=RecordKind.DECISION, since=since, until=until, before=before)
        with self._read_connection() as ledger:
            matches = [
                positioned
                for pattern in patterns
                for positioned in ledger.positioned_rows(
                    replace(query, pattern=pattern), order="place DESC", limit=limit
                )
            ]
        # one query per pattern, because its index returns the newest records of one pattern only
        matches.sort(key=lambda positioned: positioned.place, reverse=True)
        return [
            (positioned.place, decision)
            for positioned in matches[:limit]
            for decision in read_bodies([positioned.row], parse_decision, skipped)
        ]

    def decisions_of(
        self,
        ids: Collection[str],
        *,
        already_read: Mapping[int, Decision] | None = None,
        skipped: Skipped | None = None,
    ) -> dict[int, Decision]:
        """
        Return each record of some decisions by its place in the database, oldest first.

        Args:
            ids: Ids of decisions; unknown ones are left out.
            already_read: The result of an earlier call: these records are not read again.
            skipped: Called with each record that cannot be read; if None, such a record raises.

        Raises:
            StoreError: The database or a record cannot be read.
        """
        wanted, by_place = frozenset(ids), dict(already_read or {})
        with self._read_connection() as ledger:
            places = ledger.places_of([*wanted])
            rows = [*ledger.rows_at([place for place in places if place not in by_place])]
        for place, row in rows:
            for decision in read_bodies([row], parse_decision, skipped):
                by_place[place] = decision
        readable = ((place, by_place[place]) for place in places if place in by_place)
        # the column of ids may be truncated or changed
        return {place: decision for place, decision in readable if decision.id in wanted}

    def labels(self, *, skipped: Skipped | None = None) -> dict[str, Label]:
        """
        Return the newest label of each labelled decision, by decision id.

        Raises:
            StoreError: The database or a record cannot be read, and *skipped* is None.
        """
        newest: dict[str, NewestRecord[Label]] = {}
        for row, label in self._read(Query(kind=RecordKind.LABEL), parse_label, skipped):
            newest.setdefault(label.decision_id, NewestRecord()).add(row, label, at=label.at)
        return {key: label.value for key, label in newest.items() if label.value is not None}

    def labels_of(self, decision_id: str, *, skipped: Skipped | None = None) -> list[Label]:
        """
        Return all labels of one decision, oldest first; the last one is valid.

        Args:
            decision_id: The whole id.
            skipped: Called with each record that cannot be read, instead of an error.

        Raises:
            StoreError: The database or a record cannot be read, and *skipped* is None.
        """
        with self._read_connection() as ledger:
            rows = [*ledger.rows(Query(kind=RecordKind.LABEL, decision_id=decision_id))]
        labels, newest = [], NewestRecord[Label]()
        for row in rows:
            for label in read_bodies([row], parse_label, skipped):
                if label.decision_id == decision_id:  # the column may be truncated or changed
                    labels.append(label)
                    newest.add(row, label, at=label.at)
        valid = newest.value
        return sorted(labels, key=lambda label: label is valid)  # the valid one last

    def report(self, decision_id: str, *, skipped: Skipped | None = None) -> dict[str, Any] | None:
        """
        Return the newest report on an answer by the id of its decision, or None.

        Args:
            decision_id: The whole id.
            skipped: Called with each record that cannot be read, instead of an error.

        Raises:
            StoreError: The record cannot be read, and *skipped* is None.
        """
        with self._read_connection() as ledger:
            rows = list(ledger.rows(Query(kind=RecordKind.REPORT, decision_id=decision_id)))
        reports = read_bodies(rows, parse_report, skipped)
        return next((report for id_, report in reversed(reports) if id_ == decision_id), None)

    def reports(
        self,
        *,
        since: float | None = None,
        until: float | None = None,
        skipped: Skipped | None = None,
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """
        Yield the decision id and the report of each answer of a period, oldest first.

        Args:
            since: Seconds since the epoch, inclusive.
            until: Seconds since the epoch, exclusive.
            skipped: Called with each record that cannot be read; if None, such a record raises.

        Raises:
            StoreError: The database or a record cannot be read.
        """
        query = Query(kind=RecordKind.REPORT, since=since, until=until)
        return (report for _, report in self._read(query, parse_report, skipped))

    def scores(
        self,
        *,
        since: float | None = None,
        until: float | None = None,
        skipped: Skipped | None = None,
    ) -> Iterator[ScoreRecord]:
        """
        Yield the quality scores of a period, oldest first.

        Args:
            since: Seconds since the epoch, inclusive.
            until: Seconds since the epoch, exclusive.
            skipped: Called with each record that cannot be read; if None, such a record raises.

        Raises:
            StoreError: The database or a record cannot be read.
        """
        query = Query(kind=RecordKind.SCORE, since=since, until=until)
        return (score for _, score in self._read(query, parse_score, skipped))

    def gaps(
        self,
        *,
        since: float | None = None,
        until: float | None = None,
        skipped: Skipped | None = None,
    ) -> Iterator[dict[str, Any]]:
        """
        Yield the gaps of a period, oldest first: ``{dropped, first_at, last_at, reason}``.

        Args:
            since: Seconds since the epoch, inclusive.
            until: Seconds since the epoch, exclusive.
            skipped: Called with each record that cannot be read; if None, such a record raises.

        Raises:
            StoreError: The database or a record cannot be read.
        """
        for _, gap in self._read(Query(kind=RecordKind.GAP), parse_gap, skipped):
            after = since is None or gap["last_at"] >= since
            if after and (until is None or gap["first_at"] < until):
                yield gap

    def heads(self) -> list[Head]:
        """Return the head of each chain: its newest record."""
        with self._read_connection() as ledger:
            return ledger.all_heads()

    def __len__(self) -> int:
        with self._read_connection() as ledger:
            return ledger.count(Query(kind=RecordKind.DECISION))

    def _newest(self, decision_id: str) -> tuple[int, Decision] | None:
        """Return the place and the decision of the newest record with that id, or None."""
        newest: NewestRecord[tuple[int, Decision]] = NewestRecord()
        with self._read_connection() as ledger:
            rows = [
                *ledger.positioned_rows(Query(kind=RecordKind.DECISION, decision_id=decision_id))
            ]
        for place, row in rows:
            decision = row.read(parse_decision)
            if decision.id == decision_id:  # the column may be truncated or changed
                newest.add(row, (place, decision), at=decision.at)
        return newest.value
