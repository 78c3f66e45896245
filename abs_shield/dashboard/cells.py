"""The heatmap as tables of texts: the rows, and the text and the shade of each cell."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from abs_shield.core import Outcome, Verdict
from abs_shield.replay.heat_rows import Cell, HeatRow
from abs_shield.replay.report import LayerReport, Report, Share, percent
from abs_shield.replay.report.report_rows import (
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
"""Names of the rows that are no tools."""
MOST_ROWS = 100
"""Rows of a table at first: a browser that loads a thousand again and again is busy with it."""
_SIGNS = {Verdict.SUSPICIOUS: "S", Verdict.HALLUCINATED: "H"}


class RowOrder(StrEnum):
    """Orders of the rows."""

    WORST = "worst"
    NAME = "name"
    CALLS = "calls"


class RowLimit(StrEnum):
    """How many rows a table has: the first `MOST_ROWS`, or all."""

    FIRST = "first"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCell:
    """
    One cell of the heatmap.

    Attributes:
        check: The column.
        kind: ``error``, ``hallucinated``, ``suspicious``, ``clean``, ``blind`` where the check
            could not run, or ``none`` where it judges no such subject.
        shade: How dark the cell is, 0 to 4.
        sign: One letter for the kind, for those who cannot tell the colours apart.
        rate: The share of decisions that it flags or failed to judge.
        counts: The decisions behind the rate.
        interval: The 95 % interval of the rate, short.
        would_block: Decisions that strict mode would have stopped because of it.
        before: The rate of the period before; empty where it is not compared.
        trend: ``up``, ``down`` or ``same`` beside the period before; empty without one.
        tip: Everything in one line.
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
        noun: What is counted: ``call``, ``answer`` or ``output``.
        calls: How often it was judged.
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
    One table of the heatmap: tools, or answers and outputs, with the checks that judge them.

    Attributes:
        title: What its rows are.
        columns: The checks.
        rows: The rows that are shown.
        more: How many further rows there are.
    """

    title: str
    columns: list[str]
    rows: list[ShownRow]
    more: int


def shown_tables(
    report: Report, before: Report | None, *, sort: RowOrder, rows: RowLimit
) -> list[ShownTable]:
    """
    Return the tables of the heatmap; one without rows is left out.

    Args:
        report: The figures.
        before: Those of the period before; None where nothing is compared.
        sort: The order of the rows.
        rows: Whether all rows are shown.
    """
    heat = report.heat()
    parts = {
        "Tools": [row for row in heat if not is_text(row.tool)],
        "Answers and outputs": [row for row in heat if is_text(row.tool)],
    }
    most = len(heat) if rows is RowLimit.ALL else MOST_ROWS
    return [
        _table(title, _sorted(found, sort), report, before, most=most)
        for title, found in parts.items()
        if found
    ]


def _sorted(heat: list[HeatRow], sort: RowOrder) -> list[HeatRow]:
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
    """Return what a row is called on the page."""
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
    shown = percent(rate.hits / rate.of) if rate.of else ""
    was = None if before is None else rate_of(before)
    return ShownCell(
        check=check,
        kind=kind,
        shade=0 if cell is None else cell.shade,
        sign=_sign(kind, cell),
        rate=shown,
        counts=f"{rate.hits:,} of {rate.of:,}" if rate.of else "",
        interval=_short_interval(rate),
        would_block=place.counts.would_block,
        before=percent(was.hits / was.of) if was is not None and was.of else "",
        trend=_trend(rate, was),
        tip=_tip(place, rate),
    )


def rate_of(place: LayerReport) -> Share:
    """Return the share of decisions that a check flags or fails to judge."""
    return place.counts.alert_rate


def interval_of(share: Share) -> str:
    """Return the 95 % interval of a share, such as ``0.1 % to 0.7 %``; empty of nothing."""
    if not share.of:
        return ""
    lower, upper = share.ends
    return f"{percent(lower)} to {percent(upper)}"


def _short_interval(share: Share) -> str:
    """Return the same for a cell: ``0.1 to 0.7 %``."""
    lower, _, upper = interval_of(share).partition(" to ")
    return f"{lower.removesuffix(' %')} to {upper}" if upper else ""


def _kind(cell: Cell | None) -> str:
    if cell is None:
        return "none"
    if cell.errors:
        return "error"
    if cell.verdict is not Verdict.CLEAN:
        return cell.verdict.value.lower()
    return "clean" if cell.ran else "blind"


def _sign(kind: str, cell: Cell | None) -> str:
    if kind == "error":
        return "E"
    return "" if cell is None else _SIGNS.get(cell.verdict, "")


def _trend(rate: Share, was: Share | None) -> str:
    """Return `up` or `down` where the intervals of both periods lie apart, else `same`."""
    if was is None or not was.of or not rate.of:
        return ""
    (lower, upper), (lower_before, upper_before) = rate.ends, was.ends
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
