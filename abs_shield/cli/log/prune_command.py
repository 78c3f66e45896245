"""`abs-shield log prune`: delete old decisions."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from abs_shield.cli.shared_options import Database, open_log, seconds_of
from abs_shield.cli.usage_errors import BadInput

EXAMPLE = "Example: abs-shield log prune decisions.db --older-than 90d"


def command(
    database: Database = None,
    older_than: Annotated[
        str | None, typer.Option(metavar="WHEN", help="An age such as 90d, or a date: 2026-11-01.")
    ] = None,
) -> None:
    """
    Delete the oldest records; the remaining log still verifies.

    Exits with 0, with 2 for bad input.
    """
    before = seconds_of(older_than, option="--older-than")
    if before is None:
        raise BadInput("give the age of the records to delete: `--older-than 90d`")
    # a mistyped date would delete everything
    if before > time.time():
        raise BadInput(
            f"`--older-than` is `{older_than}`, which is in the future; name a past date"
        )
    with open_log(database) as store:
        deleted = store.prune(before)
        left = len(store)
    print(f"{deleted:,} records deleted; {left:,} decisions remain")
