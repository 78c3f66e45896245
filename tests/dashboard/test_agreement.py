"""The page, `abs-shield report` and SQL have the same figures, also for unusual logs."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from abs_shield.core import Decision
from abs_shield.core.label import Label, Truth
from abs_shield.dashboard.decision_listing import CellListing, ListFilter
from abs_shield.dashboard.log_figures import LogFigures
from abs_shield.dashboard.view_filters import Filters
from abs_shield.report import Report
from abs_shield.stores.sealed_record import LogGap
from abs_shield.stores.sqlite_store import SqliteStore
from tests.report.test_pattern_counts import START, countable, random_decisions

HOUR = 3_600
SHARES = ("coverage", "stops", "alert_rate", "precision", "block_precision")

Log = tuple[SqliteStore, list[Decision]]


def write(store: SqliteStore, *decisions: Decision) -> None:
    """Write decisions into a store."""
    for one in decisions:
        store.append(one)
    assert store.flush(30)


def label(store: SqliteStore, decisions: list[Decision], *, seed: int = 1) -> None:
    """Label decisions at random, calls, results, answers and outputs."""
    draw = random.Random(seed)
    for number, one in enumerate(decisions):
        truth = draw.choice([Truth.OK, Truth.HALLUCINATED])
        store.label(Label(decision_id=one.id, truth=truth, at=START + number))


def write_plain_log(log: Log) -> None:
    """Write two revisions with all subjects, a tenth of them labelled."""
    store, result = log
    write(store, *result)
    label(store, result[::10])


def change_labels(log: Log) -> None:
    """Change some labels once and some twice."""
    write_plain_log(log)
    store, result = log
    label(store, result[::20], seed=2)
    label(store, result[::40], seed=3)


def write_two_chains(log: Log) -> None:
    """Write two chains to one file, as two processes or a fork do."""
    store, result = log
    with closing(SqliteStore(store.name)) as other:
        write(store, *result[::2])
        write(other, *result[1::2])
        label(other, result[::10])


def repeat_ids(log: Log) -> None:
    """Write some decisions twice with the same id."""
    store, result = log
    write(store, *(one for one in result for _ in range(1 + (one.at % 7 == 0))))
    label(store, result[::10])


def drop_decisions(log: Log) -> None:
    """Drop decisions at the beginning and at the end."""
    write_plain_log(log)
    store, _ = log
    for hours in (0, 9):
        store._writer.put(LogGap(START + hours * HOUR, "the disk was full").entry())
    assert store.flush()


def prune_half(log: Log) -> None:
    """Prune the older half after the page was read."""
    write_plain_log(log)
    store, result = log
    LogFigures(store).filtered_counts(Filters())
    store.prune(result[len(result) // 2].at)


ODD = [write_plain_log, change_labels, write_two_chains, repeat_ids, drop_decisions, prune_half]


@pytest.fixture
def log(store: SqliteStore) -> Log:
    """Return an empty log, and ten hours of decisions for it."""
    return store, random_decisions(600, seed=5)


def report_of(store: SqliteStore, filters: Filters) -> Report:
    """Return what `abs-shield report` counts of a time."""
    since, until = filters.since, filters.until
    decisions = store.scan(since=since, until=until)
    return Report.of(decisions, store.labels(), store.gaps(since=since, until=until))


TIMES = {
    "all": Filters(),
    "since": Filters(range="", since=START + 3 * HOUR),
    "between": Filters(range="", since=START + HOUR, until=START + 7 * HOUR),
}


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("odd", ODD)
def test_the_page_counts_what_the_report_counts(
    odd: Callable[[Log], None], time: str, log: Log
) -> None:
    """Each count, share, sweep and reason, and the number of what was lost."""
    odd(log)
    filters = TIMES[time]
    page = LogFigures(log[0]).filtered_counts(filters).report

    assert countable(report_of(log[0], filters).to_dict()) == countable(page.to_dict())


@pytest.mark.parametrize("odd", ODD)
def test_intervals_are_those_of_the_report(odd: Callable[[Log], None], log: Log) -> None:
    """The intervals of a whole log equal those of the report."""
    odd(log)
    whole, page = report_of(log[0], Filters()), LogFigures(log[0]).filtered_counts(Filters()).report
    for check in whole.columns():
        for row in (None, *whole.rows()):
            mine, other = whole.place(check, row).counts, page.place(check, row).counts
            for share in SHARES:
                one, two = getattr(mine, share), getattr(other, share)

                assert (one.hits, one.of, one.sessions) == (two.hits, two.of, two.sessions)
                assert one.ends == pytest.approx(two.ends)


@pytest.mark.parametrize("odd", ODD)
def test_the_precision_of_a_cell_is_the_report_s(odd: Callable[[Log], None], log: Log) -> None:
    """It is counted from the labelled decisions of the cell and has the same interval."""
    odd(log)
    whole = report_of(log[0], Filters())
    cells = [(row, check) for check in whole.columns() for row in whole.rows()]
    results = LogFigures(log[0]).precision(Filters(), cells)
    reported = {(row, check): whole.place(check, row).counts.precision for row, check in cells}

    assert any(share.of for share in reported.values())
    for cell, share in reported.items():
        assert (share.hits, share.of) == (results[cell].hits, results[cell].of)
        assert share.ends == pytest.approx(results[cell].ends)


def test_a_cell_is_counted_as_in_the_whole(log: Log) -> None:
    """The view of a cell has the counts of the cell in the whole heatmap."""
    write_plain_log(log)
    figures = LogFigures(log[0])
    whole = figures.filtered_counts(Filters()).report
    for check in whole.columns():
        for row in whole.rows():
            cell = CellListing(row=row, check=check, listed=ListFilter.ALL)
            counts = figures.filtered_counts(Filters(), spread=False, cell=cell)
            one = counts.report.place(check, row)
            other = whole.place(check, row)

            assert (other.counts.to_dict(), other.reasons) == (one.counts.to_dict(), one.reasons)


def test_a_log_that_is_pruned_while_the_page_is_open_agrees(log: Log) -> None:
    """Labels of pruned decisions are no longer counted."""
    write_plain_log(log)
    store, result = log
    figures = LogFigures(store)
    figures.filtered_counts(Filters())
    store.prune(result[300].at)

    assert countable(report_of(store, Filters()).to_dict()) == countable(
        figures.filtered_counts(Filters()).report.to_dict()
    )


def sql(path: Path, text: str) -> Any:
    """Return what one statement finds."""
    with closing(sqlite3.connect(path)) as log:
        return log.execute(text).fetchall()


@pytest.mark.parametrize("odd", ODD)
def test_sql_counts_the_same(odd: Callable[[Log], None], log: Log) -> None:
    """Verdicts by tool, of the records themselves, are those of the page."""
    odd(log)
    results = sql(
        Path(log[0].name),
        "SELECT verdict, count(*) FROM records WHERE kind = 'decision'"
        " AND json_extract(sealed, '$.body.subject') = 'call' GROUP BY 1",
    )
    totals = LogFigures(log[0]).filtered_counts(Filters()).report.totals

    shown = json.loads(json.dumps(totals.to_dict()["verdicts"]))
    assert {verdict: count for verdict, count in shown.items() if count} == dict(results)
