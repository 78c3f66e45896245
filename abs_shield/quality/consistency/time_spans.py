"""The time between two dates, times or years of a text."""

from __future__ import annotations

import datetime
from typing import NamedTuple

from abs_shield.text.values.figure import DATE, TIME, Day, Figure, Minute

_YEAR_DAYS = 365.25  # with leap years; the tolerances below are larger than its error
_MONTH_DAYS = _YEAR_DAYS / 12  # the mean month
_HALF_DAY = 12 * 60  # minutes on the face of a clock
UNITS = {
    "minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "night": 1.0, "week": 7.0,
    "month": _MONTH_DAYS, "year": _YEAR_DAYS, "decade": 10 * _YEAR_DAYS,
}  # fmt: skip
"""Units of time in days."""
SLACKS = {"minute": 0.0, "hour": 0.0, "day": 1.0, "night": 0.0, "week": 4.0, "month": 31.0,
          "year": 366.0, "decade": 1828.0}  # fmt: skip
"""Tolerance of a duration in days: the first and the last day may be included or not."""


class DayRange(NamedTuple):
    """The minimum and the maximum number of days between two dates."""

    least: float
    most: float


def unit_of(word: str) -> str:
    """Return the unit of time that a word names, in the singular; empty if it names none."""
    word = word.casefold().rstrip(".")
    word = {"hr": "hour", "hrs": "hour", "min": "minute", "mins": "minute"}.get(word, word)
    word = word[:-1] if word.endswith("s") else word
    return word if word in UNITS else ""


def date_of(day: Day, year: int | None) -> datetime.date | None:
    """Return a day of the calendar; None if it is not whole or does not exist."""
    if day.day is None or (day.year or year) is None:
        return None
    try:
        return datetime.date(day.year or year or 1, day.month, day.day)
    except ValueError:
        return None


def days_between(first: Figure, last: Figure) -> DayRange | None:
    """
    Return the days between two dates, times or years; None if unknown.

    If only one of two dates has a year, it applies to both; without a year, the first date is
    assumed to be the earlier one.
    """
    if first.kind == last.kind == DATE:
        return _days_apart(first, last)
    if first.kind == last.kind == TIME:
        return _minutes_apart(first, last)
    if DATE in (first.kind, last.kind) or TIME in (first.kind, last.kind):
        return None
    years = float(last.numbers[0] - first.numbers[0])
    return DayRange(years * _YEAR_DAYS, years * _YEAR_DAYS)


def _days_apart(first: Figure, last: Figure) -> DayRange | None:
    one, other = first.value, last.value
    if len(first.values) > 1 or len(last.values) > 1:
        return None
    if not isinstance(one, Day) or not isinstance(other, Day):
        return None
    if one.day is None or other.day is None:
        return _months_apart(one, other)
    year = one.year or other.year
    # without a year, one that is not a leap year; `leap` allows for the other case
    begin, end = date_of(one, year or 2023), date_of(other, year or 2023)
    if begin is None or end is None:
        return None
    days = float((end - begin).days)
    if days < 0 and None in (one.year, other.year):
        days += 365  # a range over the end of a year
    leap = 1.0 if year is None else 0.0
    return DayRange(days, days + leap)


def _months_apart(one: Day, other: Day) -> DayRange | None:
    if one.day != other.day or (one.year is None) != (other.year is None):
        return None
    months = (other.year or 0) * 12 + other.month - (one.year or 0) * 12 - one.month
    if months < 0 and one.year is None:
        months += 12
    return DayRange(months * _MONTH_DAYS, months * _MONTH_DAYS)


def _minutes_apart(first: Figure, last: Figure) -> DayRange | None:
    one, other = first.value, last.value
    if not isinstance(one, Minute) or not isinstance(other, Minute):
        return None
    # "from 9 to 5" may be a.m. or p.m.
    turn = _HALF_DAY if one.half or other.half else 2 * _HALF_DAY
    minutes = (other.minutes - one.minutes) % turn
    return DayRange(minutes / 1440, (minutes + (turn if turn == _HALF_DAY else 0)) / 1440)


def is_duration(span: DayRange, count: float, unit: str) -> bool:
    """
    Return whether a duration matches the time between two dates.

    >>> is_duration(DayRange(4, 4), 5, "day"), is_duration(DayRange(4, 4), 7, "day")
    (True, False)
    """
    worth, slack = UNITS[unit], SLACKS[unit]
    days = count * worth
    if unit in ("minute", "hour"):
        # 2 %: "90 minutes" for 91; the rest is the error of floats
        tolerance = worth * 0.02 * count + 1e-9
        return min(abs(days - span.least), abs(days - span.most)) <= tolerance
    return span.least - slack <= days <= span.most + slack
