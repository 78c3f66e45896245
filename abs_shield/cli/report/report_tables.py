"""Tables of a report as data and texts, for the page and, with fewer columns, a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from abs_shield.cli.fitting_table import GAPS, SHORTEST, short_names, space_cells, space_widths
from abs_shield.cli.report.report_summary import ReportSummary
from abs_shield.cli.report.report_text import has_findings, interval, row_name
from abs_shield.report import CHECKS, LayerReport, Slices, Sweep

COUNT_COLUMNS = (
    "calls", "ran", "unavailable", "errors", "flagged", "would block", "rate (95 %)",
)  # fmt: skip
LABEL_COLUMNS = (
    "labels", "precision (95 %)", "missed (by all)", "suppressed", "overrides", "held", "granted",
)  # fmt: skip
SWEEP_COLUMNS = ("from P", "held", "precision (95 %)", "recall (95 %)")
Places = Mapping[tuple[str, ...], LayerReport]


class CountTable(NamedTuple):
    """
    A table of counts.

    Attributes:
        title: Its title.
        names: The heads of the columns that name a row.
        places: The counts of each row, by its names.
        all_of: The head of the number of all.
    """

    title: str
    names: tuple[str, ...]
    places: Places
    all_of: str = "calls"


def check_tables(summary: ReportSummary) -> Iterator[CountTable]:
    """Yield the counts of the layers, and of the checks of results, answers and outputs."""
    report = summary.report
    if layers := report.layers():
        yield CountTable("Layers", ("layer",), {(one,): report.place(one) for one in layers})
    if checks := report.checks():
        of: Places = {(one, f"{CHECKS[one]}s"): report.place(one) for one in checks}
        yield CountTable("Checks of results, answers and outputs", ("check", "of"), of, "all")


def tool_tables(summary: ReportSummary) -> Iterator[CountTable]:
    """Yield the counts of tools and layers that found, failed or missed, and of the slices."""
    report = summary.report
    hot: Places = {
        (row_name(row), layer): place
        for row in report.rows()
        for layer in report.columns()
        if (row, layer) in report and has_findings(place := report.place(layer, row))
    }
    if hot:
        title = "Tools and layers with findings, errors or misses"
        yield CountTable(title, ("tool", "layer"), hot)
    if (slices := report.slices) is not None:
        places = _slice_rows(slices)
        names = (slices.by.value, "of")[: len(next(iter(places), ("",)))]
        yield CountTable(f"By {slices.by}", names, places, "all")


def count_texts(place: LayerReport, *, max_stops: float) -> Iterator[str]:
    """Yield the texts of `COUNT_COLUMNS`; *max_stops* is the rule's limit for the rate."""
    counts = place.counts
    yield from map(
        _number,
        (counts.calls, counts.ran, counts.unavailable, counts.errors, counts.flagged,
         counts.would_block),
    )  # fmt: skip
    yield interval(counts.stops, limit=max_stops) or "-"


def label_texts(place: LayerReport) -> Iterator[str]:
    """Yield the texts of `LABEL_COLUMNS`: labels, suppressions, overrides and approvals."""
    counts = place.counts
    yield _number(counts.precision.of)
    yield interval(counts.precision) or "-"
    yield f"{counts.missed:,} ({counts.missed_by_all:,})" if counts.missed else "-"
    yield from map(_number, (counts.suppressed, counts.overrides, counts.held, counts.granted))


def sweep_texts(sweep: Sweep) -> Iterator[tuple[str, ...]]:
    """Yield the texts of `SWEEP_COLUMNS`, a row for each range of thresholds with equal results."""
    for _, same in groupby(sweep.points(), key=lambda p: (p.held, p.precision, p.recall)):
        points = [*same]
        first, last = f"{points[0].threshold:.2f}", f"{points[-1].threshold:.2f}"
        yield (
            first if first == last else f"{first}-{last}",
            _number(points[0].held.hits),
            interval(points[0].precision) or "-",
            interval(points[0].recall) or "-",
        )


def sweeps_of(summary: ReportSummary) -> dict[str, Sweep]:
    """Return the sweeps of checks with labels."""
    sweeps = summary.report.sweeps.items()
    return {check: sweep for check, sweep in sweeps if sweep.labels or sweep.unscored_labels}


def unscored_text(sweep: Sweep) -> str:
    """Return a line about decisions without a probability; empty without any."""
    if not sweep.unscored:
        return ""
    labelled = f", {sweep.unscored_labels:,} of them labelled" * bool(sweep.unscored_labels)
    return f"Without P(hallucination), so not counted here: {sweep.unscored:,}{labelled}."


def _slice_rows(slices: Slices) -> Places:
    """Return the rows of slices by value, and by subject if there are several."""
    places = slices.places()
    several = len({subject for _, subject in places}) > 1
    return {(v, f"{s}s") if several else (v,): place for (v, s), place in places.items()}


def _number(count: int) -> str:
    return f"{count:,}" if count else "-"


"""Spaces between two columns, widest first, with rich's padding for each."""
_EDGES = 2  # a blank on each side of rich's box
_WORD = re.compile(r"\([^)]*\)|\S+")
"""A word of a head; a text in brackets counts as one."""
_EMPTY = "-"
_SPARE_FIRST = 5  # such columns repeat what others imply
"""Columns with at least this `spare` are dropped before a name is shortened."""


class ReportColumn(NamedTuple):
    """
    One column.

    Attributes:
        name: Its head.
        spare: Order of dropping it: the highest goes first; 0 never.
        is_number: Whether it is aligned to the right; else it holds names.
    """

    name: str
    spare: int = 0
    is_number: bool = True


class _Grid(NamedTuple):
    """Columns with their cells."""

    columns: list[ReportColumn]
    rows: list[list[Text]]

    def has_content(self, place: int) -> bool:
        return any(row[place].plain not in ("", _EMPTY) for row in self.rows)

    def min_width_of(self, place: int) -> int:
        """Return the characters of the longest cell, or word of the head."""
        words = map(len, _WORD.findall(self.columns[place].name))
        return max([*words, *(row[place].cell_len for row in self.rows)])

    def width(self, gap: int = 1) -> int:
        places = range(len(self.columns))
        return sum(map(self.min_width_of, places)) + gap * (len(places) - 1) + _EDGES

    def without(self, place: int) -> _Grid:
        columns = [column for n, column in enumerate(self.columns) if n != place]
        return _Grid(columns, [[*row[:place], *row[place + 1 :]] for row in self.rows])

    def stack_names(self) -> _Grid:
        """Return the grid with its second column below the first, indented."""
        rows: list[list[Text]] = []
        above = None
        for first, second, *others in self.rows:
            if first.plain != above:
                above = first.plain
                rows.append([first, *[Text() for _ in others]])
            rows.append([Text.assemble("  ", second), *others])
        names = f"{self.columns[0].name}, {self.columns[1].name}"
        return _Grid([ReportColumn(names, is_number=False), *self.columns[2:]], rows)

    def shorten_names(self, over: int) -> _Grid:
        """Return the grid with the names of its first columns up to *over* characters shorter."""
        rows = [[*row] for row in self.rows]
        for place in (n for n, column in enumerate(self.columns) if not column.is_number):
            size = self.min_width_of(place)
            room = max(size - over, SHORTEST)
            short = short_names((row[place].plain for row in rows), room)
            for row in rows:
                row[place] = short[row[place].plain]
            over -= max(size - room, 0)
        return self._replace(rows=rows)

    def without_spare(self, width: int, *, least: int) -> tuple[_Grid, list[str]]:
        """Return the grid without the columns dropped to fit *width*, and their names."""
        grid, out = self, []
        while grid.width() > width and (most := max(grid.columns, key=_spare)).spare >= least:
            grid = grid.without(grid.columns.index(most))
            out.append(most.name)
        return grid, out


def _spare(column: ReportColumn) -> int:
    return column.spare


def fit_table(
    columns: Sequence[ReportColumn], rows: Sequence[Sequence[Text]], *, width: int
) -> Iterator[RenderableType]:
    """
    Yield a table no wider than *width*, and a line that names the columns left out.

    If the table is too wide, columns that are empty in every row are dropped first. Then the
    second column of names moves below the first and the gaps shrink. Then the least important
    columns are dropped, long names are shortened, and last the other optional columns go.
    """
    grid = _Grid([*columns], [[*row] for row in rows])
    for name in [c.name for n, c in enumerate(columns) if c.spare and not grid.has_content(n)]:
        if grid.width(max(GAPS)) > width:
            grid = grid.without([c.name for c in grid.columns].index(name))
    # one column of names instead of two saves the most, and hides nothing
    if grid.width(max(GAPS)) > width and not columns[1].is_number:
        grid = grid.stack_names()
    grid, out = grid.without_spare(width, least=_SPARE_FIRST)
    if (over := grid.width() - width) > 0:
        grid = grid.shorten_names(over)
    grid, more = grid.without_spare(width, least=1)
    yield _table(grid, width)
    if out or more:
        yield Text(f"left out for lack of width: {', '.join([*out, *more])}", style="dim")


def _table(grid: _Grid, width: int) -> Table:
    gap = next((one for one in GAPS if grid.width(one) <= width), min(GAPS))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=0)
    fits = (
        gap * (len(grid.columns) - 1)
        + _EDGES
        + sum(max(grid.min_width_of(n), len(column.name)) for n, column in enumerate(grid.columns))
    )
    widths = [grid.min_width_of(n) for n in range(len(grid.columns))]
    heads = [column.name for column in grid.columns]
    if fits > width:  # heads wrap only if the table needs the room
        heads = [_wrap_head(head, size) for head, size in zip(heads, widths, strict=True)]
    spaced = zip(grid.columns, space_cells(heads, gap), space_widths(widths, gap), strict=True)
    for column, head, size in spaced:
        if column.is_number:
            table.add_column(head, justify="right", min_width=size, no_wrap=True)
        else:
            table.add_column(head, overflow="fold")
    for row in grid.rows:
        table.add_row(*space_cells(row, gap))
    return table


def _wrap_head(head: str, width: int) -> str:
    r"""
    Return a head in lines of at most so many characters, broken between words.

    >>> _wrap_head("missed (by all)", 8)
    'missed\n(by all)'
    """
    lines = [""]
    for word in _WORD.findall(head):
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines)
