"""A heatmap of tools and layers in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from abs_shield.cli.screen import safe
from abs_shield.core import Verdict
from abs_shield.replay.heat import Cell, HeatRow

LEGEND = "! HALLUCINATED   ? SUSPICIOUS   . judged, nothing found   - nothing to go on"
SIGNS = {Verdict.SUSPICIOUS: "?", Verdict.HALLUCINATED: "!"}
_HEAT = {Verdict.SUSPICIOUS: "black on yellow", Verdict.HALLUCINATED: "bold white on red"}


def heat_table(rows: Sequence[HeatRow], layers: Sequence[str]) -> Table:
    """Lay out the heatmap; each count wears a sign, so that it reads without colours too."""
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


def told(cell: Cell) -> str:
    """
    Give a cell as a text: how many findings and how grave, or whether anything was judged.

    >>> told(Cell(9, Verdict.SUSPICIOUS, 3)), told(Cell(9, Verdict.CLEAN, 0))
    ('3?', '.')
    """
    if cell.findings:
        return f"{cell.findings:,}{SIGNS[cell.verdict]}"
    return "." if cell.ran else "-"


def _drawn(cell: Cell) -> Text:
    if cell.findings:
        return Text(f" {told(cell)} ", style=_HEAT[cell.verdict])
    return Text(told(cell), style="green" if cell.ran else "dim")
