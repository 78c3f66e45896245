"""The demo's recorded run, judged again, as a heatmap of tools and layers."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import as_file, files

from rich import box
from rich.table import Table
from rich.text import Text

from abs_shield.cli.demo.policy import POLICY
from abs_shield.cli.screen import safe
from abs_shield.core import Verdict
from abs_shield.replay import Cell, Judged, heatmap, replay

LEGEND = "! HALLUCINATED   ? SUSPICIOUS   . judged, nothing found   - nothing to go on"
_SIGNS = {Verdict.SUSPICIOUS: "?", Verdict.HALLUCINATED: "!"}
_HEAT = {Verdict.SUSPICIOUS: "black on yellow", Verdict.HALLUCINATED: "bold white on red"}


def recorded() -> list[Judged]:
    """Judge the run that lies beside this file."""
    with as_file(files("abs_shield.cli.demo") / "run.jsonl") as path:
        return list(replay([path], policy=POLICY))


def heat_table(judged: Iterable[Judged]) -> Table:
    """Lay out the heatmap; each count wears a sign, so that it reads without colours too."""
    table = Table("tool", "calls", box=box.SIMPLE_HEAD)
    layers = POLICY.layer_names
    for layer in layers:
        table.add_column(layer.replace("_", "\n"), justify="center")
    for row in heatmap(judged, layers):
        cells = [_cell(row.cells[layer]) for layer in layers]
        table.add_row(safe(row.tool, limit=40), str(row.calls), *cells)
    return table


def _cell(cell: Cell) -> Text:
    if cell.findings:
        return Text(f" {cell.findings}{_SIGNS[cell.verdict]} ", style=_HEAT[cell.verdict])
    return Text(".", style="green") if cell.ran else Text("-", style="dim")
