"""The `--book` option of the flywheel's file, and the table of gaps."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from abs_shield.cli.console import safe
from abs_shield.cli.fitting_table import Column, FittingTable
from abs_shield.cli.usage_errors import BadInput
from abs_shield.flywheel.gap import Gap
from abs_shield.text.safe_display import escaped

DEFAULT = "flywheel.db"
BookFile = Annotated[
    str, typer.Option("--book", metavar="FILE", help="The flywheel's file, SQLite.")
]


def require_book(book: str, *, option: str = "--book") -> str:
    """
    Return the path of a flywheel's file, which must exist.

    Raises:
        BadInput: The file does not exist.
    """
    # or SQLite would create an empty file for a misspelt name
    if not Path(book).is_file():
        raise BadInput(
            f"`{option}`: there is no file {escaped(book, limit=300)}; make it with"
            " `abs-shield flywheel harvest LOG --book FILE`"
        )
    return book


def gap_table(gaps: Iterable[Gap]) -> FittingTable:
    """Return a table of gaps: tier, title, rate with its interval, state."""
    table = FittingTable(
        "gap", Column("tier", right=True), "title", Column("decisions", right=True),
        Column("rate", right=True), Column("95 % interval", right=True, drop=1),
        Column("scope", drop=2), "state",
    )  # fmt: skip
    for gap in gaps:
        state = f"merged into {gap.into}" if gap.into else gap.state.value
        table.add_row(
            gap.id, str(gap.tier), safe(gap.title, limit=80),
            f"{gap.affected:,} of {gap.decisions:,}", f"{gap.rate:.1%}",
            f"{gap.low:.1%} to {gap.high:.1%}", gap.scope.value, safe(state),
        )  # fmt: skip
    return table
