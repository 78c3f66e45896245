"""The heatmap as tables: rows, and the text and shade of each cell."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from abs_shield.core import Outcome, Verdict
from abs_shield.replay.heat_rows import Cell, HeatRow
from abs_shield.report import LayerReport, Report, Share, percent
from abs_shield.report.report_rows import (
    ANSWERS,
    OTHERS,
    OUTPUTS,
    STAGES,
    UNREGISTERED,
    is_text,
)

ROW_NAMES = {
    UNREGISTERED: "tools that do not exist",
    OTHERS: "other tools",
    ANSWERS: "answers",
    OUTPUTS: "outputs",
}
"""Titles of the rows that are not tools."""
MOST_ROWS = 100
"""Initial limit of rows in a table: reloading a thousand rows keeps a browser busy."""
_SIGNS = {Verdict.SUSPICIOUS: "S", Verdict.HALLUCINATED: "H"}


class RowOrder(StrEnum):
    """Orders of the rows."""

    WORST = "worst"
    NAME = "name"
    CALLS = "calls"


class RowLimit(StrEnum):
    """The rows of a table: the first `MOST_ROWS`, or all."""

    FIRST = "first"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCell:
    """
    One cell of the heatmap.

    Attributes:
        check: The column.
        kind: ``error``, ``hallucinated``, ``suspicious``, ``clean``, ``blind`` if the check could
            not run, or ``none`` if it does not apply to the subject.
        shade: Darkness of the cell, 0 to 4.
        sign: One letter for the kind, for readers who cannot distinguish the colours.
        rate: The share of decisions that the check flagged or failed to evaluate.
        counts: The numbers of the rate, such as ``3 of 40``.
        interval: The 95 % interval of the rate, abbreviated.
        would_block: Decisions that strict mode would have blocked because of the check.
        before: The rate of the previous period; empty if not compared.
        trend: ``up``, ``down`` or ``same`` against the previous period; empty without one.
        tip: The tooltip: everything in one line.
    """

    check: str
    kind: str
    shade: int
    sign: str
    rate: str
    counts: str
    interval: str
    would_block: int
    before: str
    trend: str
    tip: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRow:
    """
    One row of the heatmap.

    Attributes:
        name: The row's name in the report.
        title: Its name on the page.
        noun: The counted subject: ``call``, ``answer`` or ``output``.
        calls: The number of decisions.
        cells: A cell for each column.
    """

    name: str
    title: str
    noun: str
    calls: int
    cells: list[ShownCell]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTable:
    """
    One table of the heatmap: tools, or answers and outputs, with their checks.

    Attributes:
        title: The title of the table.
        columns: The checks.
        rows: The rows on the page.
        more: The number of further rows.
    """

    title: str
    columns: list[str]
    rows: list[ShownRow]
    more: int


def shown_tables(
    report: Report, before: Report | None, *, sort: RowOrder, rows: RowLimit
) -> list[ShownTable]:
    """
    Return the tables of the heatmap that have rows.

    Args:
        report: The counts.
        before: The counts of the previous period; None for no comparison.
        sort: The order of the rows.
        rows: The limit of rows.
    """
    heat = report.heat()
    parts = {
        "Tools": [row for row in heat if not is_text(row.tool)],
        "Answers and outputs": [row for row in heat if is_text(row.tool)],
    }
    most = len(heat) if rows is RowLimit.ALL else MOST_ROWS
    return [
        _table(title, _sort(heat_rows, sort), report, before, most=most)
        for title, heat_rows in parts.items()
        if heat_rows
    ]


def _sort(heat: list[HeatRow], sort: RowOrder) -> list[HeatRow]:
    match sort:
        case RowOrder.NAME:
            return sorted(heat, key=lambda row: row_title(row.tool))
        case RowOrder.CALLS:
            return sorted(heat, key=lambda row: -row.calls)
    return heat


def _table(
    title: str, heat: list[HeatRow], report: Report, before: Report | None, *, most: int
) -> ShownTable:
    columns = [check for check in report.columns() if any(check in row.cells for row in heat)]
    return ShownTable(
        title=title,
        columns=columns,
        rows=[_row(row, columns, report, before) for row in heat[:most]],
        more=max(0, len(heat) - most),
    )


def row_title(row: str) -> str:
    """Return the title of a row on the page."""
    if row.startswith(STAGES):
        return f"outputs: {row.removeprefix(STAGES)}"
    return ROW_NAMES.get(row, row)


def _row(row: HeatRow, columns: list[str], report: Report, before: Report | None) -> ShownRow:
    name, cells = row.tool, row.cells
    return ShownRow(
        name=name,
        title=row_title(name),
        noun=_noun(name),
        calls=row.calls,
        cells=[
            _cell(check, cells.get(check), report.place(check, name), _place(before, check, row))
            for check in columns
        ],
    )


def _noun(row: str) -> str:
    if not is_text(row):
        return "call"
    return "answer" if row == ANSWERS else "output"


def _place(before: Report | None, check: str, row: HeatRow) -> LayerReport | None:
    return None if before is None else before.place(check, row.tool)


def _cell(
    check: str, cell: Cell | None, place: LayerReport, before: LayerReport | None
) -> ShownCell:
    rate, kind = rate_of(place), _kind(cell)
    text = percent(rate.hits / rate.of) if rate.of else ""
    previous = None if before is None else rate_of(before)
    return ShownCell(
        check=check,
        kind=kind,
        shade=0 if cell is None else cell.shade,
        sign=_sign(kind, cell),
        rate=text,
        counts=f"{rate.hits:,} of {rate.of:,}" if rate.of else "",
        interval=_short_interval(rate),
        would_block=place.counts.would_block,
        before=percent(previous.hits / previous.of) if previous is not None and previous.of else "",
        trend=_trend(rate, previous),
        tip=_tip(place, rate),
    )


def rate_of(place: LayerReport) -> Share:
    """Return the share of decisions that a check flags or fails to evaluate."""
    return place.counts.alert_rate


def interval_of(share: Share) -> str:
    """Return the 95 % interval of a share, such as ``0.1 % to 0.7 %``; empty without counts."""
    if not share.of:
        return ""
    lower, upper = share.ends
    return f"{percent(lower)} to {percent(upper)}"


def _short_interval(share: Share) -> str:
    """Return the abbreviated interval for a cell: ``0.1 to 0.7 %``."""
    lower, _, upper = interval_of(share).partition(" to ")
    return f"{lower.removesuffix(' %')} to {upper}" if upper else ""


def _kind(cell: Cell | None) -> str:
    if cell is None:
        return "none"
    # first, because a check that fails hides what it would find
    if cell.errors:
        return "error"
    if cell.verdict is not Verdict.CLEAN:
        return cell.verdict.value.lower()
    return "clean" if cell.ran else "blind"  # a check that never ran has found nothing wrong either


def _sign(kind: str, cell: Cell | None) -> str:
    if kind == "error":
        return "E"
    return "" if cell is None else _SIGNS.get(cell.verdict, "")


def _trend(rate: Share, previous: Share | None) -> str:
    """Return `up` or `down` if the intervals of both periods do not overlap, else `same`."""
    if previous is None or not previous.of or not rate.of:
        return ""
    (lower, upper), (lower_before, upper_before) = rate.ends, previous.ends
    # intervals that do not overlap: a rate of few decisions varies by chance
    if lower > upper_before:
        return "up"
    return "down" if upper < lower_before else "same"


def _tip(place: LayerReport, rate: Share) -> str:
    counts = place.counts
    if not counts.calls:
        return "not judged"
    parts = [f"judged {counts.ran:,} of {counts.calls:,}"]
    if counts.errors:
        parts.append(f"{counts.errors:,} errors of the check")
    if rate.of:
        parts.append(f"flagged {counts.flagged:,}: {interval_of(rate)}")
        parts.append(f"strict mode would stop {counts.would_block:,}")
    if counts.unavailable:
        why = place.reason(Outcome.UNAVAILABLE)
        parts.append(f"could not run {counts.unavailable:,} times: {why}")
    return "; ".join(parts)
