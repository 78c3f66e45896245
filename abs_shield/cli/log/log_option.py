"""The log argument of commands, and its default."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from abs_shield.cli.usage_errors import BadInput
from abs_shield.stores.durable import DurableStore
from abs_shield.stores.store_address import default_log, log_key, open_store
from abs_shield.text.safe_display import escaped

Database = Annotated[
    str | None,
    typer.Argument(
        metavar="DB",
        help="SQLite file or postgresql://host/database; default: ABS_SHIELD_LOG, or your own.",
    ),
]
DatabaseOption = Annotated[
    str | None,
    typer.Option(help="SQLite file or postgresql://; default: ABS_SHIELD_LOG, or your own."),
]


def files_of(database: str | None) -> list[str]:
    """Return the files of a log, which outputs must not overwrite."""
    path = default_log() if database is None else database
    # SQLite's own files beside the log hold its newest records
    return [path, f"{path}-wal", f"{path}-shm"]


@contextmanager
def open_log(database: str | None) -> Iterator[DurableStore]:
    """Open an existing log, with the key of ``ABS_SHIELD_LOG_KEY``."""
    # existing: a mistyped name must not create an empty log
    store = open_store(database, key=log_key(), existing=True)
    try:
        yield store
    finally:
        store.close()


def require_log(database: str | None) -> None:
    """
    Raise if no log is named and the default log does not exist, with a hint how to create one.

    Raises:
        BadInput: The default log does not exist.
    """
    place = default_log()
    if database is None and "://" not in place and not Path(place).exists():
        raise BadInput(
            f"there is no log yet at `{escaped(place, limit=200)}`: decisions are stored if"
            " the Shield has a store; give it `store=open_store()`, or name a log, such as"
            " `abs-shield report decisions.db`"
        )
