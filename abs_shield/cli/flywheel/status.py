"""`abs-shield flywheel status`: the gaps, how often each comes, and where it stands."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import Annotated

import typer
from rich.text import Text

from abs_shield.cli.flywheel.book import DEFAULT, BookFile, gap_table, require_book
from abs_shield.cli.screen import print_json, safe, screen
from abs_shield.flywheel.production import VersionInUse
from abs_shield.flywheel.status import Status, status

EXAMPLE = "Example: abs-shield flywheel status --book flywheel.db"


class Format(StrEnum):
    """How the status is printed."""

    TABLE = "table"
    JSON = "json"


def command(
    book: BookFile = DEFAULT,
    format: Annotated[Format, typer.Option(help="A table, or one JSON object.")] = Format.TABLE,
) -> None:
    """
    Show each gap with its tier, rate and state, and the sum.

    Exits with 0, and with 2 for bad input.
    """
    found = status(require_book(book))
    if format is Format.JSON:
        print_json(found.to_dict())
        return
    console = screen()
    if found.gaps:
        console.print(gap_table(found.gaps))
    for version in found.versions:
        console.print(_line_of(version), soft_wrap=True)
    console.print(_sum(found), soft_wrap=True)


def _line_of(version: VersionInUse) -> Text:
    rates = "no decisions before and after that day yet" if version.drift is None else version.drift
    return safe(
        f"{version.target} version {version.number}, in use since {version.since}, gap"
        f" {version.gap}: {rates}",
        limit=500,
    )


def _sum(found: Status) -> str:
    states = Counter(gap.state.value for gap in found.gaps)
    gaps = ", ".join(f"{count:,} {state}" for state, count in states.items()) or "none"
    line = (
        f"{found.decisions:,} decisions, {found.catches:,} catches, gaps: {gaps};"
        f" {found.false_alarms:,} false alarms"
    )
    if found.ungrouped:
        line += f"; {found.ungrouped:,} catches in no group yet: run `abs-shield flywheel curate`"
    return line
