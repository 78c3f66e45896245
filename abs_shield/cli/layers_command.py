"""`abs-shield layers`: the layers with their worst verdicts and scenarios."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer
from rich.text import Text

from abs_shield.cli.console import STYLES, open_console, print_json
from abs_shield.cli.fitting_table import FittingTable
from abs_shield.cli.shared_options import TableFormat, TableOrJson
from abs_shield.core import Verdict
from abs_shield.layers import LAYERS, OPT_IN
from abs_shield.plan.strengths import FITTED_ON, STRENGTHS, Strength

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_HALLUCINATED = frozenset(
    {"phantom_tool", "phantom_target", "parameter_mismatch", "impossible_state"}
)


@app.command(epilog="Example: abs-shield layers --format json")
def layers(
    format: TableOrJson = TableFormat.TABLE,
    strengths: Annotated[
        bool,
        typer.Option("--strengths", help="Print how often the findings are right."),
    ] = False,
) -> None:
    """List the layers: name, most severe verdict, whether it runs by default, and its scenario."""
    if strengths:
        rows = [_strength(row) for row in STRENGTHS.values()]
    else:
        rows = [_row(name) for name in (*LAYERS, *OPT_IN)]
    if format is TableFormat.JSON:
        print_json(rows)
    elif strengths:
        open_console().print(_strengths(rows), f"Fitted on {FITTED_ON}.", markup=False)
    else:
        open_console().print(_table(rows))


def scenario(name: str) -> str:
    """Return the first line of the layer's docstring, which is its scenario."""
    return (
        (inspect.getdoc({**LAYERS, **OPT_IN}[name].judge) or "")
        .partition("\n")[0]
        .replace("``", "`")
    )


def _row(name: str) -> dict[str, Any]:
    return {
        "layer": name,
        "verdict": Verdict.HALLUCINATED if name in _HALLUCINATED else Verdict.SUSPICIOUS,
        "default": name in LAYERS,
        "scenario": scenario(name),
    }


def _strength(row: Strength) -> dict[str, Any]:
    return {
        "basis": row.basis,
        "strength": row.strength,
        "interval": row.interval,
        "right": row.right,
        "wrong": row.wrong,
        "found": row.found,
        "planted": row.planted,
    }


def _strengths(rows: list[dict[str, Any]]) -> FittingTable:
    table = FittingTable("class", "strength", "95 % interval", "right", "wrong", "planted found")
    for row in rows:
        interval = row["interval"]
        table.add_row(
            row["basis"],
            f"{row['strength']:.2f}",
            "by declaration" if interval is None else "{:.2f}-{:.2f}".format(*interval),
            "-" if interval is None else str(row["right"]),
            "-" if interval is None else str(row["wrong"]),
            f"{row['found']}/{row['planted']}" if row["planted"] else "-",
        )
    return table


def _table(rows: list[dict[str, Any]]) -> FittingTable:
    table = FittingTable("layer", "most severe verdict", "default", "scenario")
    for row in rows:
        table.add_row(
            row["layer"],
            Text(row["verdict"], style=STYLES[row["verdict"]]),
            "yes" if row["default"] else "opt-in",
            row["scenario"],
        )
    return table
