"""Dates, times and date-times that stand for all others: every day of 28 years, every minute."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Any

DAY = 86_400
_YEARS = 14
"""Years before and after now: in 28 years each date falls on each day of the week."""
_MOST_YEARS = 60
_FAR = 37
"""Days between two samples further away; 37 days change the day of the week and of the month."""
_MOST_AWAY = 150
"""Whole numbers of code up to which they may be years from now, as the age of a person is."""
_YEAR = re.compile(r"(?<!\d)(?:1[89]|2\d)\d\d(?!\d)")


def representative_days(words: Iterable[Any], *, at: float) -> list[date] | None:
    """
    Return the days that decide what rules with these numbers and words say of any day.

    Args:
        words: Numbers and words of the rules' code; the years that they name count in full.
        at: The moment of the proof, in seconds since the epoch.

    Returns:
        The days in order; None where the code names too many years.
    """
    now = datetime.fromtimestamp(at, UTC).year
    years = {near for year in _years(words, now) for near in (year - 1, year, year + 1)}
    if len(years) > _MOST_YEARS * 3:
        return None
    years |= {*range(now - _YEARS, now + _YEARS)}
    far = (date(1900, 1, 1) + timedelta(days=n) for n in range(0, 300 * 365, _FAR))
    found = {*far}
    for year in years:
        found |= {date(year, 1, 1) + timedelta(days=n) for n in range(365)} | {date(year, 12, 31)}
    return sorted(found)


def _years(words: Iterable[Any], now: int) -> set[int]:
    found: set[int] = set()
    for word in words:
        if isinstance(word, str):
            found |= {int(year) for year in _YEAR.findall(word)}
        elif isinstance(word, int) and 1800 <= word < 3000:
            found.add(word)
        elif isinstance(word, int) and _YEARS <= abs(word) <= _MOST_AWAY:
            found |= {now - abs(word), now + abs(word)}
    return found


def representative_seconds(words: Iterable[Any], days: Iterable[date]) -> list[int]:
    """Return moments in seconds since the epoch: one of each day, and those around the words."""
    known = [*words]
    found = {
        int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) + n * 37_777 % DAY
        for n, day in enumerate(days)
    }
    for moment in _moments(known):
        found |= {moment + off * sign for off in (0, 1, 60, 3_600, DAY) for sign in (-1, 1)}
    return sorted(found)


def _moments(words: Iterable[Any]) -> Iterator[int]:
    for word in words:
        if isinstance(word, str):
            with suppress(ValueError, OverflowError):
                moment = datetime.fromisoformat(word)
                yield int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def representative_times() -> Iterator[str]:
    """Yield every minute of a day, each with four seconds, as ``HH:MM:SS``."""
    for minute in range(24 * 60):
        for second in (0, 1, 30, 59):
            yield f"{minute // 60:02}:{minute % 60:02}:{second:02}"


def format_datetime(seconds: float) -> str:
    """Return a date-time such as ``2026-03-01T00:00:00``, without its offset."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
