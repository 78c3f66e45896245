"""ISO dates and date-times in a JSON value, and the time between two of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

from abs_shield.text.json_leaves import items

_LONGEST = 40  # characters; a date-time with microseconds and an offset has 32
# `fromisoformat` also accepts 20300531 and 2030-W22-5, which may be other codes.
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def iso_date(value: Any) -> date | None:
    """
    Return an ISO date as a `date`, an ISO date-time as a `datetime`; None for other values.

    >>> [iso_date(value) for value in ("2030-05-31", "2030-05-31 14:00", "tomorrow", 20300531)]
    [datetime.date(2030, 5, 31), datetime.datetime(2030, 5, 31, 14, 0), None, None]
    """
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    text = value.strip()
    if not _DAY.match(text):
        return None
    # the date first: as a date-time it would become midnight
    for read in (date.fromisoformat, datetime.fromisoformat):
        try:
            return read(text)
        except ValueError:
            continue
    return None


def iso_dates(value: Any) -> Iterator[date]:
    """Yield the dates and date-times of a value, or of the items of a list."""
    return (parsed for item in items(value) if (parsed := iso_date(item)) is not None)


def time_between(start: date, end: date) -> timedelta | None:
    """
    Return the time from *start* to *end*, in whole days if either is a date.

    None if only one of two date-times has an offset: they cannot be compared.

    >>> time_between(iso_date("2030-05-31"), iso_date("2030-06-02T09:00"))
    datetime.timedelta(days=2)
    """
    if not (isinstance(start, datetime) and isinstance(end, datetime)):
        return _day(end) - _day(start)
    if (start.tzinfo is None) != (end.tzinfo is None):
        return None
    return end - start


def _day(when: date) -> date:
    return when.date() if isinstance(when, datetime) else when
