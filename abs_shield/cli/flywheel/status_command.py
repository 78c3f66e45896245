"""`abs-shield flywheel status`: the gaps with their rates and states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.text import Text

from abs_shield.cli.console import open_console, print_json, safe
from abs_shield.cli.flywheel.book_option import DEFAULT, BookFile, gap_table, require_book
from abs_shield.cli.shared_options import TableFormat, TableOrJson
from abs_shield.flywheel.drift import VersionInUse
from abs_shield.flywheel.status import FlywheelStatus, status
from abs_shield.flywheel.version_records import Version
from abs_shield.flywheel.version_registry import VersionRegistry
from abs_shield.text.safe_display import quantity

EXAMPLE = "Example: abs-shield flywheel status --book flywheel.db"
_LONGEST_PATH = 4_096  # PATH_MAX of Linux: scripts use the printed path


def command(
    book: BookFile = DEFAULT,
    format: TableOrJson = TableFormat.TABLE,
    versions: Annotated[
        bool, typer.Option("--versions", help="Show every version with its decisions.")
    ] = False,
    resolve: Annotated[
        str | None,
        typer.Option(
            metavar="TARGET", help="Print the location of the version in use of a target."
        ),
    ] = None,
) -> None:
    """
    Show each gap with its tier, rate and state, the versions in use, and a total.

    Exits with 0, and with 2 for bad input.
    """
    registry = VersionRegistry(require_book(book))
    if resolve is not None:
        print(safe(registry.resolve(resolve), limit=_LONGEST_PATH))
        return
    if versions:
        _show_versions(registry.versions(), format)
        return
    current = status(book)
    if format is TableFormat.JSON:
        print_json(current.to_dict())
        return
    console = open_console()
    if current.gaps:
        console.print(gap_table(current.gaps))
    for version in current.versions:
        console.print_line(_line_of(version))
    console.print_line(_sum(current))


def _line_of(version: VersionInUse) -> Text:
    number = f"version {version.number}" if version.number else "what was there before"
    line = f"{version.target}: {number} is in use since {version.since}: {version.reason}"
    if version.gap:
        waits = "no decisions on days before and after it yet"
        line += f"; gap {version.gap}: {version.drift or waits}"
    return safe(line, limit=800)


def _show_versions(versions: list[Version], format: TableFormat) -> None:
    if format is TableFormat.JSON:
        print_json({"versions": [one.to_dict() for one in versions]})
        return
    names = {one.id: f"version {one.number}" for one in versions} | {"": "what was there before"}
    for one in versions:
        for line in _lines_of(one, names):
            open_console().print_line(safe(line, limit=_LONGEST_PATH))


def _lines_of(one: Version, names: Mapping[str, str]) -> Iterator[str]:
    yield f"{one.target} version {one.number}, {one.state}; parent: {names[one.parent]}"
    yield f"  {one.location}, SHA-256 {one.hash}"
    if one.gap:
        yield f"  gap {one.gap}"
    for name, hash_ in one.data.items():
        yield f"  data {name}, SHA-256 {hash_}"
    for event in one.events:
        day = datetime.fromtimestamp(event.at, UTC).strftime("%Y-%m-%d %H:%M")
        of = f" in place of {names[event.predecessor]}" if event.what == "promoted" else ""
        yield f"  {day} {event.what}{of} by {event.by or 'unknown'}: {event.reason or '-'}"


def _sum(current: FlywheelStatus) -> str:
    states = Counter(gap.state.value for gap in current.gaps)
    gaps = ", ".join(f"{count:,} {state}" for state, count in states.items()) or "none"
    line = (
        f"{quantity(current.decisions, 'decision')}, {_catches(current.catches)}, gaps: {gaps};"
        f" {quantity(current.false_alarms, 'false alarm')}"
    )
    if current.ungrouped:
        line += (
            f"; {_catches(current.ungrouped)} {'is' if current.ungrouped == 1 else 'are'} in no gap"
            " yet and not counted in the rates of gaps: run `abs-shield flywheel curate`"
        )
    return line


def _catches(count: int) -> str:
    return f"{count:,} {'catch' if count == 1 else 'catches'}"
