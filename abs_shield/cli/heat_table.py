"""A heatmap of tools and layers in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rich.console import RenderableType
from rich.text import Text

from abs_shield.cli.console import safe
from abs_shield.cli.fitting_table import SHORTEST, Column, FittingTable, short_names
from abs_shield.core import Verdict
from abs_shield.replay.heat_rows import Cell, HeatRow
from abs_shield.text.safe_display import LONGEST_NAME

LEGEND = (
    "E internal error, not judged   ! HALLUCINATED   ? SUSPICIOUS   . judged, no finding"
    "   - no data to judge by"
)
_SIGNS = {Verdict.SUSPICIOUS: "?", Verdict.HALLUCINATED: "!"}
_KINDS = {Verdict.SUSPICIOUS: "suspicious", Verdict.HALLUCINATED: "hallucinated"}
_COLOURS = {"error": ("white", "magenta"), "hallucinated": ("white", "red"),
            "suspicious": ("black", "yellow")}  # fmt: skip
_SHADES = ("{1}", "bold {1}", "{0} on {1}", "bold {0} on {1}")


class CellPart(NamedTuple):
    """
    A part of a cell.

    Attributes:
        text: A count with its sign, or only a sign.
        kind: error, hallucinated, suspicious, clean or blind.
    """

    text: str
    kind: str


def heat_table(
    rows: Sequence[HeatRow], layers: Sequence[str], *, width: int
) -> Iterator[RenderableType]:
    """
    Yield the heatmap; each count has a sign, so that it is readable without colours.

    If the names of layers do not fit, numbers replace them, layers with clean calls only are
    dropped, and a legend follows. Names of tools are shortened last.

    Args:
        rows: The tools; a tool has no cell for a layer that never judged it.
        layers: The columns.
        width: Characters of a line of the terminal.
    """
    whole = {row.tool: safe(row.tool, limit=LONGEST_NAME) for row in rows}
    table = _table(rows, {layer: _words(layer) for layer in layers}, whole)
    if not table.excess(width):
        yield table
        return
    # all layers if none is hot: an empty table would say nothing
    hot = [layer for layer in layers if any(_is_hot(row, layer) for row in rows)] or layers
    heads = {layer: str(number) for number, layer in enumerate(hot, 1)}
    table = _table(rows, heads, whole)
    if excess := table.excess(width):
        longest = max((name.cell_len for name in whole.values()), default=0)
        table = _table(rows, heads, short_names(whole, max(longest - excess, SHORTEST)))
    yield table
    for layer, number in heads.items():
        yield Text.assemble(f"{number} ", safe(layer, limit=60))


def _table(
    rows: Sequence[HeatRow], heads: Mapping[str, str], names: Mapping[str, Text]
) -> FittingTable:
    counts = (Column(head, right=True) for head in heads.values())
    table = FittingTable("tool", Column("calls", right=True), *counts)
    for row in rows:
        cells = (_drawn(row.cells[layer]) if layer in row.cells else "" for layer in heads)
        table.add_row(names[row.tool], f"{row.calls:,}", *cells)
    return table


def _is_hot(row: HeatRow, layer: str) -> bool:
    return layer in row.cells and row.cells[layer].shade > 0


def _words(layer: str) -> str:
    return safe(layer, limit=60).plain.replace("_", " ")


def cell_parts(cell: Cell) -> Iterator[CellPart]:
    """
    Yield the parts of a cell: errors and findings, or a sign for clean or not judged.

    >>> [part.text for part in cell_parts(Cell(9, Verdict.SUSPICIOUS, 3, flagged=3, errors=1))]
    ['1E', '3?']
    >>> [*cell_parts(Cell(9, Verdict.CLEAN, 0))]
    [CellPart(text='.', kind='clean')]
    """
    if cell.errors:
        yield CellPart(f"{cell.errors:,}E", "error")
    if cell.findings:
        yield CellPart(f"{cell.findings:,}{_SIGNS[cell.verdict]}", _KINDS[cell.verdict])
    if not (cell.errors or cell.findings):
        yield CellPart(".", "clean") if cell.ran else CellPart("-", "blind")


def _drawn(cell: Cell) -> Text:
    drawn = Text()
    for text, kind in cell_parts(cell):
        if kind in _COLOURS:
            style = _SHADES[cell.shade - 1].format(*_COLOURS[kind])
            drawn.append(f" {text} ", style=style)
        else:
            drawn.append(text, style="green" if kind == "clean" else "dim")
    return drawn
