"""Dates of birth inside identifiers."""

from __future__ import annotations

_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
# numbers of the dead stay in records; years beyond are other numbers
_FIRST_YEAR, _LAST_YEAR = 1850, 2100


def is_birth(day: int, month: int, year: int = 2000) -> bool:
    """
    Return whether an identifier can hold this date; without a century, 29 February is possible.

    >>> is_birth(29, 2), is_birth(31, 4), is_birth(1, 1, 1750)
    (True, False, False)
    """
    return 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] and _FIRST_YEAR <= year < _LAST_YEAR


def is_year_month_day(digits: str) -> bool:
    """
    Return whether six or eight digits are a date, year first.

    >>> is_year_month_day("990131"), is_year_month_day("19990131"), is_year_month_day("991331")
    (True, True, False)
    """
    # a leap year, so that 29 February stays possible
    year = int(digits[:4]) if len(digits) == 8 else 2000
    return is_birth(int(digits[-2:]), int(digits[-4:-2]), year)
