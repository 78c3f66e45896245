"""A heatmap of tools and layers in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich import box
from rich.table import Table
from rich.text import Text

from abs_shield.cli.screen import safe
from abs_shield.core import Verdict
from abs_shield.replay.heat import Cell, HeatRow

LEGEND = (
    "E internal error, not judged   ! HALLUCINATED   ? SUSPICIOUS   . judged, nothing found"
    "   - nothing to go on"
)
_SIGNS = {Verdict.SUSPICIOUS: "?", Verdict.HALLUCINATED: "!"}
_KINDS = {Verdict.SUSPICIOUS: "suspicious", Verdict.HALLUCINATED: "hallucinated"}
_COLOURS = {"error": ("white", "magenta"), "hallucinated": ("white", "red"),
            "suspicious": ("black", "yellow")}  # fmt: skip
_SHADES = ("{1}", "bold {1}", "{0} on {1}", "bold {0} on {1}")


class Part(NamedTuple):
    """
    One part of a cell.

    Attributes:
        text: A count with its sign, or a sign alone.
        kind: error, hallucinated, suspicious, clean or blind.
    """

    text: str
    kind: str


def heat_table(
    rows: Sequence[HeatRow], layers: Sequence[str], *, width: int | None = None
) -> Table:
    """
    Lay out the heatmap; each count has a sign, so that it reads without colours too.

    Args:
        rows: The tools; one that a layer was never asked about has no cell there.
        layers: The columns.
        width: Characters that it may take; where names would break, numbers stand for layers,
            and layers with nothing but clean calls have no column.
    """
    table = Table(box=box.SIMPLE_HEAD)
    numbered = width is not None and _width(rows, layers) > width
    if numbered:
        layers = [layer for layer in layers if any(_is_hot(row, layer) for row in rows)] or layers
    names = [safe(row.tool, limit=40) for row in rows]
    table.add_column("tool", overflow="fold", min_width=_longest(names) if numbered else None)
    table.add_column("calls", justify="right", min_width=5)
    for number, layer in enumerate(layers, 1):
        head = str(number) if numbered else "\n".join(_words(layer))
        table.add_column(Text(head), justify="center", overflow="fold")
    for row, name in zip(rows, names, strict=True):
        cells = [_drawn(row.cells[layer]) if layer in row.cells else "" for layer in layers]
        table.add_row(name, f"{row.calls:,}", *cells)
    if numbered:
        named = (f"{n} {safe(layer, limit=60).plain}" for n, layer in enumerate(layers, 1))
        table.caption, table.caption_justify = Text("\n".join(named)), "left"
    return table


def _is_hot(row: HeatRow, layer: str) -> bool:
    return layer in row.cells and row.cells[layer].shade > 0


def _words(layer: str) -> list[str]:
    return safe(layer, limit=60).plain.split("_")


def _longest(texts: Sequence[Text]) -> int:
    return max((text.cell_len for text in texts), default=0)


def _width(rows: Sequence[HeatRow], layers: Sequence[str]) -> int:
    """Return the characters that the table takes with whole names."""
    names = _longest([safe(row.tool, limit=40) for row in rows])
    calls = max((len(f"{row.calls:,}") for row in rows), default=0)
    columns = [max(names, 4), max(calls, 5)]
    for layer in layers:
        cells = [_drawn(row.cells[layer]) for row in rows if layer in row.cells]
        columns.append(max([_longest(cells), *map(len, _words(layer))]))
    return sum(columns) + 3 * len(columns) + 1


def parts_of(cell: Cell) -> Iterator[Part]:
    """
    Yield the parts of a cell: errors, then findings; else whether anything was judged.

    >>> [part.text for part in parts_of(Cell(9, Verdict.SUSPICIOUS, 3, flagged=3, errors=1))]
    ['1E', '3?']
    >>> [*parts_of(Cell(9, Verdict.CLEAN, 0))]
    [Part(text='.', kind='clean')]
    """
    if cell.errors:
        yield Part(f"{cell.errors:,}E", "error")
    if cell.findings:
        yield Part(f"{cell.findings:,}{_SIGNS[cell.verdict]}", _KINDS[cell.verdict])
    if not (cell.errors or cell.findings):
        yield Part(".", "clean") if cell.ran else Part("-", "blind")


def _drawn(cell: Cell) -> Text:
    drawn = Text()
    for text, kind in parts_of(cell):
        if kind in _COLOURS:
            style = _SHADES[cell.shade - 1].format(*_COLOURS[kind])
            drawn.append(f" {text} ", style=style)
        else:
            drawn.append(text, style="green" if kind == "clean" else "dim")
    return drawn
