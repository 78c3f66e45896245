"""Times in options: a date, a date-time, or an age."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from time import time
from typing import Annotated

import typer

from abs_shield.cli.usage_errors import BadInput
from abs_shield.text.exact_values import iso_date
from abs_shield.text.safe_display import escaped

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
