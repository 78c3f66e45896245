"""A table that breaks no words: it wraps at spaces, drops columns, and shortens long names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from abs_shield.cli.console import safe
from abs_shield.text.safe_display import LONGEST_NAME

GAPS = (3, 2, 1)
"""Possible numbers of spaces between columns, widest first."""
_EDGES = 2  # a blank on each side of rich's box


class Column(NamedTuple):
    """
    One column.

    Attributes:
        name: Its heading.
        right: Whether it is aligned to the right, as numbers are.
        drop: Order in which it is dropped, from 1; 0 to keep it.
    """

    name: str
    right: bool = False
    drop: int = 0


class FittingTable:
    """
    A table that fits a terminal of any width.

    A column is at least as wide as its longest word, a column of numbers as its longest cell;
    the remaining width goes to columns with longer texts. A word wider than the terminal is
    folded.

    Args:
        columns: The columns; a text is the name of a left-aligned column that is never dropped.
    """

    def __init__(self, *columns: Column | str) -> None:
        self.columns = [Column(one) if isinstance(one, str) else one for one in columns]
        self.rows: list[list[Text]] = []

    def add_row(self, *cells: Text | str) -> None:
        """Add a row, a cell for each column."""
        self.rows.append([Text(cell) if isinstance(cell, str) else cell for cell in cells])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        places = [*range(len(self.columns))]
        turns = sorted(
            (place for place in places if self.columns[place].drop), key=self._drop_order
        )
        gap = self._gap(places, options.max_width)
        left_out = []
        # one column at a time, the least important first
        while gap is None and turns:
            left_out.append(turns[0])
            places.remove(turns.pop(0))
            gap = self._gap(places, options.max_width)
        yield self._table(places, options.max_width, gap or 1)
        if left_out:
            names = ", ".join(self.columns[place].name for place in left_out)
            # or a missing column would look like a missing result
            yield Text(f"Left out for lack of space: {names}.", style="dim")

    def excess(self, width: int) -> int:
        """Return how many characters exceed *width*; 0 if every word fits."""
        places = range(len(self.columns))
        least = sum(map(self._min_width, places)) + (len(places) - 1) * min(GAPS) + _EDGES
        return max(least - width, 0)

    def _drop_order(self, place: int) -> int:
        return self.columns[place].drop

    def _gap(self, places: Sequence[int], width: int) -> int | None:
        """Return the widest gap with which every word fits; None without one."""
        least = sum(self._min_width(place) for place in places)
        room, between = width - least - _EDGES, len(places) - 1
        return next((gap for gap in GAPS if gap * between <= room), None)

    def _texts(self, place: int) -> list[Text]:
        return [Text(self.columns[place].name), *(row[place] for row in self.rows)]

    def _min_width(self, place: int) -> int:
        name, *cells = (text.plain for text in self._texts(place))
        is_whole = self.columns[place].right
        # a number that wraps reads as two numbers
        words = cells if is_whole else [word for cell in cells for word in cell.split()]
        return max(cell_len(word) for word in ("", *name.split(), *words))

    def _table(self, places: Sequence[int], width: int, gap: int) -> RenderableType:
        widths = [self._min_width(place) for place in places]
        wanted = [max(text.cell_len for text in self._texts(place)) for place in places]
        room = width - sum(widths) - gap * (len(places) - 1) - _EDGES
        # columns that need little first: they are then whole, and the longest one wraps
        for index in sorted(range(len(places)), key=lambda one: wanted[one] - widths[one]):
            more = min(max(room, 0), wanted[index] - widths[index])
            widths[index] += more
            room -= more
        if room < 0:  # one word is wider than the terminal
            widest = max(range(len(places)), key=lambda one: widths[one])
            widths[widest] = max(widths[widest] + room, 1)
        table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False)
        heads = space_cells([self.columns[place].name for place in places], gap)
        sizes = space_widths(widths, gap)
        for place, head, size in zip(places, heads, sizes, strict=True):
            justify: JustifyMethod = "right" if self.columns[place].right else "left"
            table.add_column(head, width=size, justify=justify, overflow="fold")
        for row in self.rows:
            table.add_row(*space_cells([row[place] for place in places], gap))
        return table


def space_cells(cells: Sequence[Text | str], gap: int) -> list[RenderableType]:
    """
    Return the cells of a row with *gap* spaces between them, in a table without padding.

    With padding, rich 13.9 also counts that of the table's edges, which `pad_edge` leaves out: it
    takes the table for too wide and shrinks a column.
    """
    # the line between two columns of rich's box is a space
    spaced = [Padding(cell, (0, gap - 1, 0, 0)) for cell in cells[:-1]]
    return [*spaced, *cells[-1:]]


def space_widths(widths: Sequence[int], gap: int) -> list[int]:
    """Return the widths of columns whose cells are from `space_cells`."""
    return [*(size + gap - 1 for size in widths[:-1]), *widths[-1:]]


SHORTEST = 20  # less does not show both ends of a name
"""Minimum width of a shortened name, in characters."""


def short_names(names: Iterable[str], width: int) -> dict[str, Text]:
    """
    Return each name as a text of at most *width* characters.

    Names of services have a common beginning (``mcp__github__...``), so the middle is left out;
    if two shortened names are equal, the gap of the second has a number.

    Args:
        names: The names, which a model may have written.
        width: Characters, at least `SHORTEST`.

    >>> names = ["mcp__github__create_pull_request", "mcp__github__delete_pull_request", "refund"]
    >>> [text.plain for text in short_names(names, 24).values()]
    ['mcp__github...ll_request', 'mcp__githu..2..l_request', 'refund']
    """
    shown: dict[str, Text] = {}
    taken: set[str] = set()
    for name in names:
        if name in shown:
            continue
        whole = safe(name, limit=LONGEST_NAME)
        text, number = _shorten(whole, width, "..."), 2
        # two tools with one name in a table would be indistinguishable
        while text.plain in taken:
            text = _shorten(whole, width, f"..{number}..")
            number += 1
        taken.add(text.plain)
        shown[name] = text
    return shown


def _shorten(text: Text, width: int, gap: str) -> Text:
    if text.cell_len <= width:
        return text if gap == "..." else Text(f"{text.plain[: width - len(gap)]}{gap}")
    room = max(width, SHORTEST) - len(gap)
    head, tail = text.copy(), text.plain
    head.truncate((room + 1) // 2)
    # in cells of the terminal: a Chinese character takes two
    while Text(tail).cell_len > room // 2:
        tail = tail[1:]
    return Text(f"{head.plain}{gap}{tail}")
