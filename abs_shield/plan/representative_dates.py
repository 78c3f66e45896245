"""Dates, times and date-times that represent all others: every day of 28 years, every minute."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Any

DAY = 86_400  # seconds
_YEARS_AROUND = 14
"""Years before and after now: within 28 years each date falls on each day of the week."""
# years in the rules' code; more come from a table, and all days of so many take too long
_MAX_YEARS = 60
_FAR_STEP = 37
"""Days between samples in other years; a step of 37 changes the day of the week and the month."""
_MAX_YEARS_AWAY = 150
"""Largest number in a rule's code that may be a number of years, such as a person's age."""
_YEAR = re.compile(r"(?<!\d)(?:1[89]|2\d)\d\d(?!\d)")


def representative_days(words: Iterable[Any], *, at: float) -> list[date] | None:
    """
    Return days that represent all days for rules with these constants.

    Args:
        words: Numbers and strings in the rules' code; all days of the years in them are included.
        at: Time of the proof, in seconds since the epoch.

    Returns:
        The days in order; None if the code contains too many years.
    """
    now = datetime.fromtimestamp(at, UTC).year
    # The years around each are included, as a rule about a year changes at its ends.
    years = {near for year in _years_in(words, now) for near in (year - 1, year, year + 1)}
    if len(years) > _MAX_YEARS * 3:
        return None
    years |= {*range(now - _YEARS_AROUND, now + _YEARS_AROUND)}
    # 1900 to 2199: from the earliest timestamps in data to long after any plan.
    far = (date(1900, 1, 1) + timedelta(days=n) for n in range(0, 300 * 365, _FAR_STEP))
    days = {*far}
    for year in years:
        days |= {date(year, 1, 1) + timedelta(days=n) for n in range(365)} | {date(year, 12, 31)}
    return sorted(days)


def _years_in(words: Iterable[Any], now: int) -> set[int]:
    years: set[int] = set()
    for word in words:
        if isinstance(word, str):
            years |= {int(year) for year in _YEAR.findall(word)}
        # A number in this range is a year.
        elif isinstance(word, int) and 1800 <= word < 3000:
            years.add(word)
        elif isinstance(word, int) and _YEARS_AROUND <= abs(word) <= _MAX_YEARS_AWAY:
            years |= {now - abs(word), now + abs(word)}
    return years


def representative_seconds(words: Iterable[Any], days: Iterable[date]) -> list[int]:
    """Return times in seconds since the epoch: one on each day, and those around *words*."""
    constants = [*words]
    seconds = {
        # 37,777 s has no common divisor with a day, so that all hours and minutes occur.
        int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) + n * 37_777 % DAY
        for n, day in enumerate(days)
    }
    for moment in _seconds_in(constants):
        # The moment, and a second, a minute, an hour and a day before and after it.
        seconds |= {moment + offset * sign for offset in (0, 1, 60, 3_600, DAY) for sign in (-1, 1)}
    return sorted(seconds)


def _seconds_in(words: Iterable[Any]) -> Iterator[int]:
    for word in words:
        if isinstance(word, str):
            with suppress(ValueError, OverflowError):
                moment = datetime.fromisoformat(word)
                yield int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def representative_times() -> Iterator[str]:
    """Yield every minute of a day, each with four seconds, as ``HH:MM:SS``."""
    for minute in range(24 * 60):
        # The first second, the next one, the middle, and the last.
        for second in (0, 1, 30, 59):
            yield f"{minute // 60:02}:{minute % 60:02}:{second:02}"


def format_datetime(seconds: float) -> str:
    """Return a date-time such as ``2026-03-01T00:00:00``, without its offset."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
