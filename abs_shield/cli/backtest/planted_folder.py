"""Planted cases of a backtest: reading their folder, and reporting the results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import RenderableType
from rich.text import Text

from abs_shield.backtest import Comparison, PlantedFigures, PlantedRow, Proportion
from abs_shield.cli.backtest.backtest_summary import share
from abs_shield.cli.console import safe
from abs_shield.cli.fitting_table import Column, FittingTable
from abs_shield.cli.input_warnings import InputWarnings
from abs_shield.cli.usage_errors import BadInput
from abs_shield.replay.planted_cases import MUTATIONS, RUNS, TOOLSETS, Cases, Expect, read_cases

_EXPECTED = {Expect.FLAG: "a finding", Expect.CLEAN: "none", Expect.INFO: "not scored"}


class PlantedFolder(NamedTuple):
    """The files of a folder of planted cases; *toolsets* is None without that file."""

    runs: str
    toolsets: str | None
    cases: Cases


def planted_folder(files: list[str], warnings: InputWarnings) -> PlantedFolder | None:
    """
    Return the folder that *files* name; None if they name run files.

    Raises:
        BadInput: The folder holds no planted cases, or further files are named.
    """
    folder = next((Path(file) for file in files if file != "-" and Path(file).is_dir()), None)
    if folder is None:
        return None
    # expected results belong to the runs of one folder only
    if len(files) > 1:
        raise BadInput(f"{folder} is a folder; give it alone, or files of runs only")
    for name in (MUTATIONS, RUNS):
        if not (folder / name).is_file():
            raise BadInput(
                f"{folder}: it has no `{name}`; `abs-shield plant RUNS -o FOLDER` makes it"
            )
    toolsets = folder / TOOLSETS
    try:
        cases = read_cases(str(folder / MUTATIONS), on_bad_line=warnings.add_bad_line)
    except ValueError as error:
        raise BadInput(str(error)) from None
    return PlantedFolder(str(folder / RUNS), str(toolsets) if toolsets.is_file() else None, cases)


def planted_report(comparison: Comparison) -> Iterator[RenderableType]:
    """Yield the table of planted cases under each policy; nothing without cases."""
    sides = [("new", comparison.new.planted)]
    if comparison.old is not None:
        sides.append(("old", comparison.old.planted))
    if not any(True for _ in sides[0][1].rows()):
        return
    numbers = (Column(name, right=True) for name in ("found, or flagged", "blocked"))
    table = FittingTable("planted", "policy", "expected", *numbers)
    for rows in zip(*(figures.rows() for _, figures in sides), strict=True):
        for (name, _), row in zip(sides, rows, strict=True):
            table.add_row(safe(row.kind, limit=60), name, *_cells(row))
    yield table
    yield Text(
        "A planted fault is found if the layer of its kind has a finding at its place. A harmless"
        " case is flagged if that layer has such a finding, a right call if any layer has one."
    )


def _cells(row: PlantedRow) -> tuple[str, str, str]:
    blocked = f"{row.blocked.count:,}" if row.blocked.of else "-"
    return _EXPECTED[Expect(row.expect)], share(row.detected), blocked


def planted_record(figures: PlantedFigures) -> list[dict[str, Any]]:
    """Return the results of planted cases as JSON-able data."""
    return [
        {
            "kind": row.kind,
            "expect": row.expect,
            "found": share_record(row.detected),
            "blocked": share_record(row.blocked),
        }
        for row in figures.rows()
    ]


def share_record(one: Proportion) -> dict[str, Any]:
    """Return a share as JSON-able data."""
    low, high = one.interval
    return {"value": one.value, "count": one.count, "of": one.of, "low": low, "high": high}
