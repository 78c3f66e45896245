"""The figures of the views, computed by the report from the log's counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Self

from abs_shield.core import Decision
from abs_shield.core.fork_safety import renewed
from abs_shield.core.label import Label
from abs_shield.dashboard.decision_listing import CellListing, LabelReader, ListFilter
from abs_shield.dashboard.view_filters import UNNAMED, Filters
from abs_shield.report import Report, Share
from abs_shield.report.report_rows import cases_of
from abs_shield.report.spread_estimate import Cell, SessionCount, Spreads
from abs_shield.stores.decision_patterns import HOUR_S, pattern_of
from abs_shield.stores.durable_store import DurableStore
from abs_shield.stores.hourly_counts import PatternCount
from abs_shield.stores.sealed_record import Damaged, ScoreRecord
from abs_shield.text.safe_display import encodable

MOST_OF_SESSION = 5_000  # each is read from the log: a page must not take seconds
"""Maximum number of decisions counted of one session, the newest."""
NEWEST = 20_000
"""Newest records that estimate the spread of decisions over sessions: more make a page slow."""
STALE = 1_000
"""New records after which the cached sessions are read again: 5 % of `NEWEST`."""
MOST_TIMES = 20  # each holds up to `NEWEST` entries
"""Maximum number of periods whose sessions are cached."""
PAGE = 50  # two screens
"""Decisions per page."""
AROUND = 5  # what led to it, and what followed
"""Maximum number of decisions of the same session shown before and after one."""


@dataclass(frozen=True, kw_only=True)
class FilterChoices:
    """
    The choices of the filters for a period, whatever they are set to.

    Attributes:
        agents: Names of agents.
        models: Names of models.
    """

    agents: list[str]
    models: list[str]

    @classmethod
    def of(cls, decisions: Iterable[Decision]) -> Self:
        """Return the agents and models of decisions."""
        pairs = {(one.agent, one.model) for one in decisions}
        return cls(
            agents=sorted({encodable(agent or UNNAMED) for agent, _ in pairs}),
            models=sorted({encodable(model or UNNAMED) for _, model in pairs}),
        )


@dataclass(frozen=True, kw_only=True)
class FilteredCounts:
    """
    The counts of the decisions that match the filters.

    Attributes:
        report: The report with the counts.
        choices: The choices of the filters.
        unreadable: The number of skipped records that cannot be read: labels, labelled decisions,
            gaps and decisions of one session.
    """

    report: Report
    choices: FilterChoices
    unreadable: int


@dataclass(frozen=True, kw_only=True)
class DecisionPage:
    """
    A page of decisions, newest first.

    Attributes:
        decisions: At most `PAGE` decisions.
        before: The parameter `before` of the next page's address; None for the last page.
        unreadable: The number of skipped records that cannot be read.
    """

    decisions: list[Decision]
    before: int | None
    unreadable: int


class LogFigures:
    """
    Reads the figures of one decision log; thread-safe.

    Args:
        store: The log.
        now: Returns the time in seconds since the epoch.
    """

    def __init__(self, store: DurableStore, *, now: Callable[[], float] = time.time) -> None:
        self.store = store
        self.now = now
        self._labelled = LabelReader(store)
        self._spread: dict[tuple[float | None, float | None], tuple[int, list[SessionCount]]] = {}
        self._lock = renewed(Lock())

    @cached_property
    def name(self) -> str:
        """The address of the log, without a password."""
        return self.store.name

    # Counts --------------------------------------------------------------------------------------

    def filtered_counts(
        self, filters: Filters, *, spread: bool = True, cell: CellListing | None = None
    ) -> FilteredCounts:
        """
        Return the counts of the decisions that match the filters.

        Args:
            filters: The filters of the view.
            spread: Whether intervals of all decisions are needed, which count sessions; intervals
                of labelled decisions always do.
            cell: Count only decisions of this cell; None counts all.
        """
        if filters.session:
            return self._session_counts(filters)
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
        return _filtered_counts(report, decisions, damaged)

    def precision(self, filters: Filters, cells: Collection[Cell]) -> dict[Cell, Share]:
        """
        Return the precision of cells as in the report, from their labelled decisions.

        Args:
            filters: The filters of the view.
            cells: Rows and checks; an empty row means all.
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
        """Return the newest decisions by session, cached for up to `STALE` new records."""
        place = self.store.last_place()
        with self._lock:
            cached = self._spread.get((since, until))
        if cached is not None and place - cached[0] < STALE:
            return cached[1]
        sessions = self.store.session_counts(newest=NEWEST, since=since, until=until)
        with self._lock:
            if len(self._spread) >= MOST_TIMES:
                self._spread.clear()  # at worst, 20 periods are read again
            self._spread[since, until] = place, sessions
        return sessions

    def labels(self) -> dict[str, Label]:
        """Return the valid label of each labelled decision, by decision id."""
        return self._labelled.read().labels

    def _session_counts(self, filters: Filters) -> FilteredCounts:
        """Count the decisions of one session by reading them, because they are few."""
        damaged = [*self._labelled.read().damaged]
        decisions = self._session_decisions(filters, damaged)
        admitted = [one for one in decisions if filters.admit(one)]
        return _filtered_counts(Report.of(admitted, self.labels()), decisions, damaged)

    def pattern_counts(self, filters: Filters, *, hours: int | None = None) -> list[PatternCount]:
        """
        Return the counts by pattern of the filters' period and session.

        Args:
            filters: The filters; only their period and session are used.
            hours: Length of the periods counted separately; None counts all as one.
        """
        if not filters.session:
            return self.store.pattern_counts(since=filters.since, until=filters.until, hours=hours)
        length = HOUR_S * hours if hours else 1
        return [
            PatternCount(0, pattern_of(one), 1, one.at, one.at, one.at // length * length)
            for one in self._session_decisions(filters, [])
        ]

    def scores(self, filters: Filters) -> Iterator[ScoreRecord]:
        """Yield the quality scores of the filters' period, oldest first."""
        return self.store.scores(
            since=filters.since, until=filters.until, skipped=lambda damaged: None
        )

    def _session_decisions(self, filters: Filters, damaged: list[Damaged]) -> list[Decision]:
        """Return the decisions of one session in the filters' period, oldest first."""
        decisions = self.store.decisions(
            session_id=filters.session, limit=MOST_OF_SESSION, skipped=damaged.append
        )
        return [one for one in decisions if filters.admit_time(one) and filters.admit_session(one)]

    def _labels(self, filters: Filters) -> list[tuple[Decision, Label]]:
        """Return the labelled decisions that match the filters, each with its label."""
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
        Return one page of a cell's decisions, newest first.

        Args:
            filters: The filters of the view.
            listing: The cell, and which of its decisions are listed.
            before: The `DecisionPage.before` of the previous page; None for the first one.
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
        matches: list[tuple[int, Decision]] = []
        # one more than a page, to know if there is a next one; several rounds, because labelled
        # decisions are filtered after reading
        while len(matches) <= PAGE:
            some = self.store.newest(
                numbers, limit=PAGE + 1, before=before, since=filters.since, until=filters.until,
                skipped=damaged.append,
            )  # fmt: skip
            matches += [(place, one) for place, one in some if one.id not in labels]
            # the log has no more; records that cannot be read count, or one bad page would end the
            # list
            if not some or len(some) + len(damaged) <= PAGE:
                break
            before = some[-1][0]
        return _page(matches, damaged)

    def _page_of_session(
        self,
        filters: Filters,
        listing: CellListing,
        labels: Mapping[str, Label],
        before: int | None,
    ) -> DecisionPage:
        """Return a page of one session; its places are numbered from its oldest decision."""
        damaged: list[Damaged] = []
        matches = [
            (place, one)
            for place, one in enumerate(self._session_decisions(filters, damaged), 1)
            if (before is None or place < before)
            and filters.admit(one)
            and listing.admits(one)
            and one.id not in labels
        ][::-1]
        return _page(matches, damaged)

    def around(self, decision: Decision) -> tuple[list[Decision], list[Decision], int]:
        """
        Return the decisions of the same session before and after one, oldest first.

        The last item is the number of neighbours that cannot be read.
        """
        damaged: list[Damaged] = []
        earlier, later = self.store.around(decision.id, most=AROUND, skipped=damaged.append)
        return earlier, later, len(damaged)


def _page(matches: list[tuple[int, Decision]], damaged: list[Damaged]) -> DecisionPage:
    """Return the page of the first matches, which are places and decisions."""
    more, shown = len(matches) + len(damaged) > PAGE, matches[:PAGE]
    return DecisionPage(
        decisions=[decision for _, decision in shown],
        before=shown[-1][0] if more and shown else None,
        unreadable=len(damaged),
    )


def _filtered_counts(
    report: Report, decisions: Iterable[Decision], damaged: list[Damaged]
) -> FilteredCounts:
    return FilteredCounts(
        report=report,
        choices=FilterChoices.of(decisions),
        unreadable=len({str(error) for error in damaged}),
    )
