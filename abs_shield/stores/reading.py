"""What stands in a decision log, found again: page by page, so that no connection stays open."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, TypeVar

from abs_shield.core import Decision, Verdict
from abs_shield.core.label import Label
from abs_shield.errors import StoreError
from abs_shield.stores.bodies import (
    Skipped,
    decision_of,
    gap_of,
    label_of,
    readable,
    report_of,
    score_of,
)
from abs_shield.stores.hourly_counts import PatternCount
from abs_shield.stores.ledger import Ledger, Query
from abs_shield.stores.newest import Newest
from abs_shield.stores.record import Damaged, Head, Kind, Row, Score

_PAGE = 5_000

T = TypeVar("T")


class Reading(ABC):
    """A log that can be read; a subclass says over which connection."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Ledger]:
        """Give a connection of its own, on which everything appended so far is seen."""

    def get(self, decision_id: str) -> Decision | None:
        """
        Give the newest record under that id, or None.

        Raises:
            StoreError: It cannot be read.
        """
        found = self._newest(decision_id)
        return None if found is None else found[1]

    def ids_near(self, text: str, *, most: int) -> list[str]:
        """
        Return the ids of decisions that stand around *text* in the order of ids.

        Those that begin with it follow each other; of others the nearest ones are given.

        Args:
            text: An id, or the beginning of one.
            most: Ids before it, and ids from it on, at most.

        Raises:
            StoreError: The database cannot be read.
        """
        with self._reading() as ledger:
            return ledger.ids_near(text, most=most)

    def around(
        self, decision_id: str, *, most: int, skipped: Skipped | None = None
    ) -> tuple[list[Decision], list[Decision]]:
        """
        Return the decisions of the same session before and after one.

        Both lists are in the order of the log; without such a decision, or where it belongs to no
        session, both are empty.

        Args:
            decision_id: The decision.
            most: Decisions on each side, at most.
            skipped: Called with each record beside it that cannot be read; None raises then.

        Raises:
            StoreError: The database, the decision or a record cannot be read.
        """
        found = self._newest(decision_id)
        if found is None or not found[1].session_id:
            return [], []
        place, decision = found
        query = Query(kind=Kind.DECISION, session_id=decision.session_id)
        with self._reading() as ledger:
            # by an expression: with so small a limit, PostgreSQL would rather walk through the
            # index of places until it meets the session than sort what the session's index finds
            before = ledger.rows(
                replace(query, up_to=place - 1), order="place + 0 DESC", limit=most
            )
            sides = (
                [*before][::-1],
                [*ledger.rows(replace(query, behind=place), order="place + 0", limit=most)],
            )
        first, then = (readable(rows, decision_of, skipped) for rows in sides)
        return first, then

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
        Give the records that match, oldest first; with *limit*, the newest so many of them.

        Args:
            session_id: Only decisions of this session.
            tool: Only decisions about this tool.
            verdict: Only decisions with this verdict.
            limit: Records at most, the newest.
            skipped: Called with each record that cannot be read; None raises then.

        Raises:
            StoreError: *limit* is negative, or the database or a record cannot be read.
        """
        if limit is not None and limit < 0:
            raise StoreError(f"decisions() got limit={limit}; it is 0 or more")
        query = Query(kind=Kind.DECISION, session_id=session_id, tool=tool, verdict=verdict)
        with self._reading() as ledger:
            rows = list(ledger.rows(query, order="place DESC", limit=limit))
        return readable(reversed(rows), decision_of, skipped)

    def scan(
        self,
        *,
        since: float | None = None,
        until: float | None = None,
        skipped: Skipped | None = None,
    ) -> Iterator[Decision]:
        """
        Give the decisions of a time, oldest first, without holding them all in memory.

        Args:
            since: Seconds since the epoch, inclusive.
            until: Seconds since the epoch, exclusive.
            skipped: Hears of each record that cannot be read; None raises then.

        Raises:
            StoreError: The database or a record cannot be read.
        """
        query = Query(kind=Kind.DECISION, since=since, until=until)
        return (decision for _, decision in self._read(query, decision_of, skipped))

    def pattern_counts(
        self, *, since: float | None = None, until: float | None = None, hours: int | None = None
    ) -> list[PatternCount]:
        """
        Return how many decisions of each pattern were made in a time, without reading them all.

        Decisions that an older version wrote are not among them until `count_uncounted` has run.

        Args:
            since: Seconds since the epoch; the whole of its hour is included.
            until: Seconds since the epoch, exclusive; an hour that has begun is included.
            hours: Length of the times that are counted apart, such as 24; None counts all as one.

        Raises:
            StoreError: The database cannot be read.
        """
        with self._reading() as ledger:
            return ledger.counts.pattern_counts(since=since, until=until, hours=hours)

    def uncounted(self) -> int:
        """Return how many decisions of an older version `pattern_counts` does not know yet."""
        with self._reading() as ledger:
            return ledger.counts.uncounted()

    def session_counts(
        self, *, newest: int, since: float | None = None, until: float | None = None
    ) -> list[tuple[str, int, int]]:
        """
        Return how many decisions of each pattern the newest sessions have.

        Args:
            newest: Records that are looked at, from the last one backwards.
            since: Seconds since the epoch, inclusive.
            until: Seconds since the epoch, exclusive.

        Returns:
            A session's id, the number of a pattern as `pattern_counts` has it, and how many; those
            of a session together.

        Raises:
            StoreError: The database cannot be read.
        """
        with self._reading() as ledger:
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
        Return decisions of some patterns, newest first, each behind its place in the database.

        Args:
            patterns: Numbers of patterns, as `pattern_counts` names them.
            limit: Decisions at most.
            before: A place, exclusive: that of the last decision of the page before.
            since: Seconds since the epoch, inclusive.
            until: Seconds since the epoch, exclusive.
            skipped: Called with each record that cannot be read; None raises then.

        Raises:
            StoreError: The database or a record cannot be read.
        """
        query = Query(kind=Kind.DECISION, since=since, until=until, before=before)
        with self._reading() as ledger:
            found = [
                placed
                for pattern in patterns
                for placed in ledger.placed(
                    replace(query, pattern=pattern), order="place DESC", limit=limit
                )
            ]
        found.sort(key=lambda placed: placed.place, reverse=True)
        return [
            (placed.place, decision)
            for placed in found[:limit]
            for decision in readable([placed.row], decision_of, skipped)
        ]

    def decisions_of(
        self,
        ids: Collection[str],
        *,
        known: Mapping[int, Decision] | None = None,
        skipped: Skipped | None = None,
    ) -> dict[int, Decision]:
        """
        Return each record of some decisions by its place in the database, oldest first.

        Args:
            ids: Ids of decisions; those that the log does not have are left out.
            known: What an earlier call returned: these records are not read again.
            skipped: Called with each record that cannot be read; None raises then.

        Raises:
            StoreError: The database or a record cannot be read.
        """
        wanted, made = frozenset(ids), dict(known or {})
        with self._reading() as ledger:
            places = ledger.places_of([*wanted])
            rows = [*ledger.placed_at([place for place in places if place not in made])]
        for place, row in rows:
            for decision in readable([row], decision_of, skipped):
                made[place] = decision
        # a column may be cut, or was changed
        found = ((place, made[place]) for place in places if place in made)
        return {place: decision for place, decision in found if decision.id in wanted}

    def labels(self, *, skipped: Skipped | None = None) -> dict[str, Label]:
        """
        Give the newest label of each decision that has one, by its id.

        Raises:
            StoreError: The database or a record cannot be read, and *skipped* is None.
        """
        newest: dict[str, Newest[Label]] = {}
        for row, label in self._read(Query(kind=Kind.LABEL), label_of, skipped):
            newest.setdefault(label.decision_id, Newest()).add(row, label, at=label.at)
        return {key: found.value for key, found in newest.items() if found.value is not None}

    def labels_of(self, decision_id: str, *, skipped: Skipped | None = None) -> list[Label]:
        """
        Return all labels of one decision, oldest first; the last one holds.

        Raises:
            StoreError: The database or a record cannot be read, and *skipped* is None.
        """
        with self._reading() as ledger:
            rows = [*ledger.rows(Query(kind=Kind.LABEL, decision_id=decision_id))]
        labels, newest = [], Newest[Label]()
        for row in rows:
            for label in readable([row], label_of, skipped):
                if label.decision_id == decision_id:  # a column may be cut, or was changed
                    labels.append(label)
                    newest.add(row, label, at=label.at)
        holds = newest.value
        return sorted(labels, key=lambda label: label is holds)

    def report(self, decision_id: str, *, skipped: Skipped | None = None) -> dict[str, Any] | None:
        """
        Return the newest report on an answer, by the id of its decision; None where there is none.

        Raises:
            StoreError: It cannot be read, and *skipped* is None.
        """
        with self._reading() as ledger:
            rows = list(ledger.rows(Query(kind=Kind.REPORT, decision_id=decision_id)))
        found = readable(rows, report_of, skipped)
        return next((report for of, report in reversed(found) if of == decision_id), None)

    def reports(
        self,
        *,
        since: float | None = None,
        until: float | None = None,
        skipped: Skipped | None = None,
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """
        Yield the reports on answers of a time, oldest first, each behind its decision's id.

        Args:
            since: Seconds since the epoch, inclusive.
            until: Seconds since the epoch, exclusive.
            skipped: Called with each record that cannot be read; None raises then.

        Raises:
            StoreError: The database or a record cannot be read.
        """
        query = Query(kind=Kind.REPORT, since=since, until=until)
        return (found for _, found in self._read(query, report_of, skipped))

    def scores(
        self,
        *,
        since: float | None = None,
        until: float | None = None,
        skipped: Skipped | None = None,
    ) -> Iterator[Score]:
        """
        Yield the quality scores of a time, oldest first.

        Args:
            since: Seconds since the epoch, inclusive.
            until: Seconds since the epoch, exclusive.
            skipped: Called with each record that cannot be read; None raises then.

        Raises:
            StoreError: The database or a record cannot be read.
        """
        query = Query(kind=Kind.SCORE, since=since, until=until)
        return (score for _, score in self._read(query, score_of, skipped))

    def gaps(
        self,
        *,
        since: float | None = None,
        until: float | None = None,
        skipped: Skipped | None = None,
    ) -> Iterator[dict[str, Any]]:
        """
        Yield the gaps of a time, oldest first: ``{dropped, first_at, last_at, reason}``.

        Args:
            since: Seconds since the epoch, inclusive.
            until: Seconds since the epoch, exclusive.
            skipped: Called with each record that cannot be read; None raises then.

        Raises:
            StoreError: The database or a record cannot be read.
        """
        for _, gap in self._read(Query(kind=Kind.GAP), gap_of, skipped):
            after = since is None or gap["last_at"] >= since
            if after and (until is None or gap["first_at"] < until):
                yield gap

    def rows(self, query: Query, *, skipped: Skipped | None = None) -> Iterator[Row]:
        """
        Give the records that match as they are kept, up to the newest one of this moment.

        Where *skipped* is given, it hears of each stretch of a damaged database that cannot be
        read, and what stands around it is given.
        """
        up_to, behind = None, query.behind
        while True:
            try:
                if up_to is None:
                    up_to = self.last_place()
                wanted = replace(query, behind=behind, up_to=up_to)
                with self._reading() as ledger:
                    page = list(ledger.placed(wanted, limit=_PAGE))
            except Damaged:
                if skipped is None:
                    raise
                yield from self._rows_around(replace(query, behind=behind), skipped)
                return
            yield from (placed.row for placed in page)
            if len(page) < _PAGE:
                return
            behind = page[-1].place

    def _rows_around(self, query: Query, skipped: Skipped) -> Iterator[Row]:
        """Read stretches that get shorter until each can be read, or is one place that cannot."""
        with self._reading() as ledger:
            todo = [(query.behind or 0, ledger.counted())]
        while todo:
            behind, up_to = todo.pop()
            with self._reading() as ledger:
                try:
                    # by places alone: an index may be damaged as well
                    page = list(ledger.placed(Query(behind=behind, up_to=up_to)))
                except ledger.errors as error:
                    if not ledger.is_damage(error):
                        raise
                    if up_to - behind > 1:
                        middle = (behind + up_to) // 2
                        todo += [(middle, up_to), (behind, middle)]
                    else:
                        skipped(Damaged(f"the record at place {up_to} cannot be read: {error}"))
                    continue
            yield from (placed.row for placed in page if query.admits(placed.row))

    def last_place(self) -> int:
        """Return the newest record's place in the database; 0 where there is none."""
        with self._reading() as ledger:
            return ledger.last_place()

    def heads(self) -> list[Head]:
        """Give the newest record of each chain."""
        with self._reading() as ledger:
            return ledger.all_heads()

    def __len__(self) -> int:
        with self._reading() as ledger:
            return ledger.count(Query(kind=Kind.DECISION))

    def _newest(self, decision_id: str) -> tuple[int, Decision] | None:
        """Return the place and the decision of the newest record under that id, or None."""
        newest: Newest[tuple[int, Decision]] = Newest()
        with self._reading() as ledger:
            found = [*ledger.placed(Query(kind=Kind.DECISION, decision_id=decision_id))]
        for place, row in found:
            decision = row.read(decision_of)
            if decision.id == decision_id:  # a column may be cut, or was changed
                newest.add(row, (place, decision), at=decision.at)
        return newest.value

    def _read(
        self, query: Query, make: Callable[[Any], T], skipped: Skipped | None
    ) -> Iterator[tuple[Row, T]]:
        for row in self.rows(query, skipped=skipped):
            for made in readable([row], make, skipped):
                yield row, made
