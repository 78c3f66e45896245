"""`abs-shield flywheel harvest`: every finding of a decision log becomes a catch."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from abs_shield.cli.flywheel.book_option import DEFAULT, BookFile
from abs_shield.cli.output_file import require_not_input
from abs_shield.cli.shared_options import Database, files_of, open_log
from abs_shield.flywheel.harvest import Progress as Notice
from abs_shield.flywheel.harvest import harvest
from abs_shield.text.safe_display import escaped, quantity

EXAMPLE = "Example: abs-shield flywheel harvest decisions.db --book flywheel.db"


def command(log: Database = None, book: BookFile = DEFAULT) -> None:
    """
    Add the new findings of a decision log to the flywheel's file.

    Findings of calls, results, answers and outputs become catches, with the labels that people
    gave. A second harvest adds only what is new. Catches contain the values that the
    log stored: keep the file as private as the log.

    Exits with 0, even if damaged records were left out, and with 2 for bad input.
    """
    # the log must not be overwritten by its own catches
    require_not_input(book, files_of(log), option="--book")
    with open_log(log) as store, _progress() as notice:
        harvested = harvest(store, book, progress=notice)
    noun = "catch" if harvested.catches == 1 else "catches"
    print(
        f"{quantity(harvested.decisions, 'decision')} read: {harvested.catches:,} new {noun},"
        f" {quantity(harvested.labels, 'new label')}"
    )
    if harvested.damaged:
        print(
            f"{quantity(harvested.damaged, 'damaged record')} left out; first:"
            f" {escaped(harvested.first_damage, limit=500)}",
            file=sys.stderr,
        )


@contextmanager
def _progress() -> Iterator[Notice | None]:
    """Show the progress on the standard error if it is a terminal."""
    console = Console(stderr=True)
    # a bar in a log file is only noise
    if not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("harvesting"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("harvesting", total=None)
        yield lambda read, total: progress.update(task, completed=read, total=total)
