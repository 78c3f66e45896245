"""Options that several commands share: times, the decision log, and who labels."""

from __future__ import annotations

import getpass
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path
from time import time
from typing import Annotated, NamedTuple

import typer

from abs_shield.cli.usage_errors import BadInput
from abs_shield.core.label import Label, Truth
from abs_shield.stores.durable_store import DurableStore
from abs_shield.stores.store_address import default_log, log_key, open_store
from abs_shield.text.exact_values import iso_date
from abs_shield.text.safe_display import escaped


class TextFormat(StrEnum):
    """Output formats of a command that prints lines."""

    TEXT = "text"
    JSON = "json"


class TableFormat(StrEnum):
    """Output formats of a command that prints tables."""

    TABLE = "table"
    JSON = "json"


TextOrJson = Annotated[TextFormat, typer.Option(help="Lines, or one JSON object.")]
TableOrJson = Annotated[TableFormat, typer.Option(help="Tables, or one JSON object.")]
OutputFile = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Output file; default: standard output."),
]
RunFiles = Annotated[
    list[str], typer.Argument(metavar="FILE", help="Run files, .jsonl or .gz; - for stdin.")
]
RecordedRuns = Annotated[
    list[str] | None,
    typer.Option("--runs", metavar="FILE", help="Recorded runs, .jsonl or .gz; repeatable."),
]
PolicyReference = Annotated[
    str | None, typer.Option(metavar="MODULE:ATTR", help="The policy; default: all six layers.")
]


Since = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Only decisions from this time on: 7d, 12h, or an ISO time."),
]
Until = Annotated[str | None, typer.Option(metavar="TIME", help="Only decisions before this time.")]

# at most six digits: more is no age, and would exceed the range of dates
_AGO = re.compile(r"([0-9]{1,6})([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def seconds_of(text: str | None, *, option: str) -> float | None:
    """
    Return the seconds since the epoch; None without a text.

    Args:
        text: An age such as ``7d``, ``12h`` or ``30m``, or an ISO date or date-time, in UTC if
            it has no offset.
        option: The option's name, for the error.

    Raises:
        BadInput: The text is not a valid time.

    >>> seconds_of("2026-01-01", option="--since")
    1767225600.0
    """
    if text is None:
        return None
    if ago := _AGO.fullmatch(text.strip()):
        return time() - int(ago[1]) * _SECONDS[ago[2]]
    parsed = iso_date(text)
    if parsed is None:
        raise BadInput(
            f"`{option}`: `{escaped(text)}` is not a valid time; use e.g. 7d, 12h, 2026-01-31T08:00"
        )
    return _seconds(parsed)


def format_time(at: float, *, seconds: bool = False) -> str:
    """
    Return a time as readable text, in UTC.

    >>> format_time(1767225600.0), format_time(1767225600.0, seconds=True)
    ('2026-01-01 00:00', '2026-01-01 00:00:00')
    """
    try:
        form = "%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M"
        return datetime.fromtimestamp(at, UTC).strftime(form)
    except (OverflowError, OSError, ValueError):
        return "a time out of range"


def _seconds(day_or_time: date) -> float:
    if not isinstance(day_or_time, datetime):
        day_or_time = datetime(day_or_time.year, day_or_time.month, day_or_time.day)
    return (day_or_time if day_or_time.tzinfo else day_or_time.replace(tzinfo=UTC)).timestamp()


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
    """
    Open an existing log, with the key of ``ABS_SHIELD_LOG_KEY``.

    Raises:
        BadInput: No log is named, and the default log does not exist.
    """
    require_log(database)
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
            " `decisions.db`"
        )


AuthorName = Annotated[
    str | None, typer.Option(metavar="NAME", help="The author; default: your user name.")
]

_LONGEST = 1_000  # a note is a few sentences; it is stored with each label


class LabelAuthor(NamedTuple):
    """
    An operator.

    Attributes:
        name: Their name; empty where none is known.
        note: Why they decide so, in one line.
    """

    name: str
    note: str = ""

    def label(self, decision_id: str, truth: Truth) -> Label:
        """Return the label that they give to a decision now."""
        return Label(
            decision_id=decision_id,
            truth=truth,
            at=time(),
            by=self.name[:_LONGEST],
            note=self.note[:_LONGEST],
        )


def user_name(by: str | None) -> str:
    """Return the operator's name: *by*, else the user's name, else an empty text."""
    if by is not None:
        return by
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name
        return ""
