"""The figures behind the views: the report's own, from what the decision log has counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Self

from abs_shield.core import Decision
from abs_shield.core.forked import renewed
from abs_shield.core.label import Label
from abs_shield.dashboard.filters import UNNAMED, Filters
from abs_shield.dashboard.labelled import LabelReader
from abs_shield.dashboard.listing import CellListing, ListFilter
from abs_shield.replay.report import Report, Share
from abs_shield.replay.report.report_rows import cases_of
from abs_shield.replay.report.spread_estimate import Cell, SessionCount, Spreads
from abs_shield.stores.decision_patterns import HOUR_S, pattern_of
from abs_shield.stores.durable import DurableStore
from abs_shield.stores.hourly_counts import PatternCount
from abs_shield.stores.sealed_record import Damaged, ScoreRecord
from abs_shield.text.show import encodable

MOST_OF_SESSION = 5_000
"""Decisions of one session that are counted, the newest."""
NEWEST = 20_000
"""Records from which it is estimated how decisions are spread over sessions: the newest."""
STALE = 1_000
"""Records that may come before the sessions are looked at again."""
MOST_TIMES = 20
"""Times whose sessions are kept in memory."""
PAGE = 50
"""Decisions on a page."""
AROUND = 5
"""Decisions of the same session that are shown before one and after it, at most."""


@dataclass(frozen=True, kw_only=True)
class FilterChoices:
    """
    What the filters offer in a time, whatever they are set to.

    Attributes:
        agents: Names of agents.
        models: Names of models.
    """

    agents: list[str]
    models: list[str]

    @classmethod
    def of(cls, decisions: Iterable[Decision]) -> Self:
        """Return the names that decisions have."""
        pairs = {(one.agent, one.model) for one in decisions}
        return cls(
            agents=sorted({encodable(agent or UNNAMED) for agent, _ in pairs}),
            models=sorted({encodable(model or UNNAMED) for _, model in pairs}),
        )


@dataclass(frozen=True, kw_only=True)
class FilteredCounts:
    """
    The counts of a time, as far as filters admit them.

    Attributes:
        report: The counts of the report.
        choices: What the filters offer.
        unreadable: Records of labels, of labelled decisions, of losses and of one session that
            cannot be read; each is left out.
    """

    report: Report
    choices: FilterChoices
    unreadable: int


@dataclass(frozen=True, kw_only=True)
class DecisionPage:
    """
    Some decisions, newest first.

    Attributes:
        decisions: At most `PAGE`.
        before: What the address of the next page names; None where this is the last one.
        unreadable: Records that could not be read.
    """

    decisions: list[Decision]
    before: int | None
    unreadable: int


class LogFigures:
    """
    Reads one decision log; may be used by several threads.

    Args:
        store: The log.
        now: Gives the time in seconds since the epoch.
    """

    def __init__(self, store: DurableStore, *, now: Callable[[], float] = time.time) -> None:
        self.store = store
        self.now = now
        self._labelled = LabelReader(store)
        self._spread: dict[tuple[float | None, float | None], tuple[int, list[SessionCount]]] = {}
        self._lock = renewed(Lock())

    @cached_property
    def name(self) -> str:
        """The name of the log, without a password."""
        return self.store.name

    # Counts --------------------------------------------------------------------------------------

    def counted(
        self, filters: Filters, *, spread: bool = True, cell: CellListing | None = None
    ) -> FilteredCounts:
        """
        Return the counts of the log, as far as the filters admit them.

        Args:
            filters: What the view shows.
            spread: Whether intervals of all decisions are shown, which count sessions; those of
                labelled ones always do.
            cell: Only decisions of this cell are counted; None counts all.
        """
        if filters.session:
            return self._of_session(filters)
        since, until = filters.since, filters.until
        damaged = [*self._labelled.read().damaged]
        counts = self.store.pattern_counts(since=since, until=until)
        decisions = [one.pattern.decision() for one in counts]
        admitted = [
            count
            for count, one in zip(counts, decisions, strict=True)
            if filters.admit(one) and (cell is None or cell.admits(one))
        ]
        labelled = [pair for pair in self._labels(filters) if cell is None or cell.admits(pair[0])]
        sessions = self._sessions(since, until) if spread else []
        spreads = Spreads(sessions, {one.number: one.pattern for one in admitted}, labelled)
        gaps = self.store.gaps(since=since, until=until, skipped=damaged.append)
        report = Report.of_counts(admitted, labelled, gaps, spreads=spreads)
        return _counted(report, decisions, damaged)

    def precision(self, filters: Filters, cells: Collection[Cell]) -> dict[Cell, Share]:
        """
        Return the precision of cells, as the report has it, from their labelled decisions alone.

        Args:
            filters: What the view shows.
            cells: Rows and checks; an empty row stands for all.
        """
        wanted = {*cells}
        labelled = [
            (decision, label)
            for decision, label in self._labels(filters)
            if any(
                {(row, check), ("", check)} & wanted for row, check, _ in cases_of(decision, None)
            )
        ]
        report = Report.of_counts([], labelled, spreads=Spreads([], {}, labelled))
        return {
            (row, check): report.place(check, row or None).counts.precision for row, check in wanted
        }

    def _sessions(self, since: float | None, until: float | None) -> list[SessionCount]:
        """Return the newest decisions by session, as they were at most `STALE` records ago."""
        place = self.store.last_place()
        with self._lock:
            known = self._spread.get((since, until))
        if known is not None and place - known[0] < STALE:
            return known[1]
        found = self.store.session_counts(newest=NEWEST, since=since, until=until)
        with self._lock:
            if len(self._spread) >= MOST_TIMES:
                self._spread.clear()
            self._spread[since, until] = place, found
        return found

    def labels(self) -> dict[str, Label]:
        """Return the label that holds of each decision, by its id, as far as they can be read."""
        return self._labelled.read().labels

    def _of_session(self, filters: Filters) -> FilteredCounts:
        """Count the decisions of one session, of which there are few."""
        damaged = [*self._labelled.read().damaged]
        decisions = self._session(filters, damaged)
        admitted = [one for one in decisions if filters.admit(one)]
        return _counted(Report.of(admitted, self.labels()), decisions, damaged)

    def pattern_counts(self, filters: Filters, *, hours: int | None = None) -> list[PatternCount]:
        """
        Return the counts of the log by pattern, of the time and the session that are shown.

        Args:
            filters: Only their time and their session are used.
            hours: Length of the times that are counted apart; None counts all as one.
        """
        if not filters.session:
            return self.store.pattern_counts(since=filters.since, until=filters.until, hours=hours)
        length = HOUR_S * hours if hours else 1
        return [
            PatternCount(0, pattern_of(one), 1, one.at, one.at, one.at // length * length)
            for one in self._session(filters, [])
        ]

    def scores(self, filters: Filters) -> Iterator[ScoreRecord]:
        """Yield the quality scores of the time that is shown, oldest first."""
        return self.store.scores(
            since=filters.since, until=filters.until, skipped=lambda damaged: None
        )

    def _session(self, filters: Filters, damaged: list[Damaged]) -> list[Decision]:
        """Return the decisions of one session in the time of the filters, oldest first."""
        found = self.store.decisions(
            session_id=filters.session, limit=MOST_OF_SESSION, skipped=damaged.append
        )
        return [one for one in found if filters.admit_time(one) and filters.admit_session(one)]

    def _labels(self, filters: Filters) -> list[tuple[Decision, Label]]:
        """Return the labelled decisions that the filters admit, each with its label."""
        return [
            (decision, label)
            for decision, label in self._labelled.read().pairs
            if filters.admit_time(decision)
            and filters.admit_session(decision)
            and filters.admit(decision)
        ]

    # Decisions -----------------------------------------------------------------------------------

    def page(self, filters: Filters, listing: CellListing, *, before: int | None) -> DecisionPage:
        """
        Return the newest decisions of a list, or those behind a page.

        Args:
            filters: What the view shows.
            listing: The cell, and which of its decisions are listed.
            before: The `Page.before` of the page before; None for the first one.
        """
        labels = self.labels() if listing.listed is ListFilter.UNLABELLED else {}
        if filters.session:
            return self._page_of_session(filters, listing, labels, before)
        numbers = [
            one.number
            for one in self.store.pattern_counts(since=filters.since, until=filters.until)
            if filters.admit(one.pattern.decision()) and listing.admits(one.pattern.decision())
        ]
        damaged: list[Damaged] = []
        found: list[tuple[int, Decision]] = []
        while len(found) <= PAGE:
            some = self.store.newest(
                numbers, limit=PAGE + 1, before=before, since=filters.since, until=filters.until,
                skipped=damaged.append,
            )  # fmt: skip
            found += [(place, one) for place, one in some if one.id not in labels]
            if not some or len(some) + len(damaged) <= PAGE:
                break
            before = some[-1][0]
        return _page(found, damaged)

    def _page_of_session(
        self,
        filters: Filters,
        listing: CellListing,
        labels: Mapping[str, Label],
        before: int | None,
    ) -> DecisionPage:
        """Return a page of one session, whose places are counted from its oldest decision."""
        damaged: list[Damaged] = []
        found = [
            (place, one)
            for place, one in enumerate(self._session(filters, damaged), 1)
            if (before is None or place < before)
            and filters.admit(one)
            and listing.admits(one)
            and one.id not in labels
        ][::-1]
        return _page(found, damaged)

    def around(self, decision: Decision) -> tuple[list[Decision], list[Decision], int]:
        """
        Return the decisions of the same session before one and after it, oldest first.

        The number of records beside it that cannot be read is the last item.
        """
        damaged: list[Damaged] = []
        before, behind = self.store.around(decision.id, most=AROUND, skipped=damaged.append)
        return before, behind, len(damaged)


def _page(found: list[tuple[int, Decision]], damaged: list[Damaged]) -> DecisionPage:
    """Return the first decisions of a list, each behind its place."""
    more, shown = len(found) + len(damaged) > PAGE, found[:PAGE]
    return DecisionPage(
        decisions=[decision for _, decision in shown],
        before=shown[-1][0] if more and shown else None,
        unreadable=len(damaged),
    )


def _counted(
    report: Report, decisions: Iterable[Decision], damaged: list[Damaged]
) -> FilteredCounts:
    return FilteredCounts(
        report=report,
        choices=FilterChoices.of(decisions),
        unreadable=len({str(error) for error in damaged}),
    )
