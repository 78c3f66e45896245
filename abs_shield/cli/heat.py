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


def heat_table(rows: Sequence[HeatRow], layers: Sequence[str]) -> Table:
    """Lay out the heatmap; each count has a sign, so that it reads without colours too."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("tool", overflow="fold")
    table.add_column("calls", justify="right")
    for layer in layers:
        name = safe(layer, limit=60).plain.replace("_", "\n")
        table.add_column(Text(name), justify="center", overflow="fold")
    for row in rows:
        cells = [_drawn(row.cells[layer]) for layer in layers]
        table.add_row(safe(row.tool, limit=40), f"{row.calls:,}", *cells)
    return table


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
