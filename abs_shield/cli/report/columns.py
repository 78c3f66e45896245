"""Tables that fit a terminal: columns are left out before a name or a rate is broken."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

_GAP = 3
"""Characters between two columns."""
_EDGES = 2
_WORD = re.compile(r"\([^)]*\)|\S+")
"""A word of a head; what stands in brackets is one."""
_EMPTY = "-"


class Column(NamedTuple):
    """
    One column.

    Attributes:
        name: Its head.
        spare: When it is left out: the higher, the sooner; 0 never.
        is_number: Whether it is aligned to the right; else it holds names.
    """

    name: str
    spare: int = 0
    is_number: bool = True


class _Grid(NamedTuple):
    """Columns with their cells."""

    columns: list[Column]
    rows: list[list[Text]]

    def says(self, place: int) -> bool:
        return any(row[place].plain not in ("", _EMPTY) for row in self.rows)

    def needed(self, place: int) -> int:
        """Return the characters of the longest cell, or word of the head."""
        words = map(len, _WORD.findall(self.columns[place].name))
        return max([*words, *(row[place].cell_len for row in self.rows)])

    def width(self) -> int:
        places = range(len(self.columns))
        return sum(map(self.needed, places)) + _GAP * (len(places) - 1) + _EDGES

    def without(self, place: int) -> _Grid:
        columns = [column for n, column in enumerate(self.columns) if n != place]
        return _Grid(columns, [[*row[:place], *row[place + 1 :]] for row in self.rows])

    def joined(self) -> _Grid:
        """Return the grid with its second column below the first, indented."""
        rows: list[list[Text]] = []
        above = None
        for first, second, *others in self.rows:
            if first.plain != above:
                above = first.plain
                rows.append([first, *[Text() for _ in others]])
            rows.append([Text.assemble("  ", second), *others])
        names = f"{self.columns[0].name}, {self.columns[1].name}"
        return _Grid([Column(names, is_number=False), *self.columns[2:]], rows)


def fit_table(
    columns: Sequence[Column], rows: Sequence[Sequence[Text]], *, width: int
) -> Iterator[RenderableType]:
    """
    Yield a table no wider than *width*, and a line that names the columns left out.

    Where it is too wide, columns of which no row has anything go first. Then the second column of
    names moves below the first, and then columns go that are spare. Names fold where nothing else
    helps.
    """
    grid = _Grid([*columns], [[*row] for row in rows])
    for name in [c.name for n, c in enumerate(columns) if c.spare and not grid.says(n)]:
        if grid.width() > width:
            grid = grid.without([c.name for c in grid.columns].index(name))
    if grid.width() > width and not columns[1].is_number:
        grid = grid.joined()
    out = []
    while grid.width() > width and (spare := max(grid.columns, key=lambda c: c.spare)).spare:
        grid = grid.without(grid.columns.index(spare))
        out.append(spare.name)
    yield _table(grid, width)
    if out:
        yield Text(f"left out, for want of width: {', '.join(out)}", style="dim")


def _table(grid: _Grid, width: int) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    fits = _GAP * len(grid.columns) + sum(
        max(grid.needed(n), len(column.name)) for n, column in enumerate(grid.columns)
    )
    for n, column in enumerate(grid.columns):
        needed = grid.needed(n)
        head = column.name if fits <= width else _broken(column.name, needed)
        if column.is_number:
            table.add_column(head, justify="right", min_width=needed, no_wrap=True)
        else:
            table.add_column(head, overflow="fold")
    for row in grid.rows:
        table.add_row(*row)
    return table


def _broken(head: str, width: int) -> str:
    r"""
    Return a head in lines of at most so many characters, broken between words.

    >>> _broken("missed (by all)", 8)
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
