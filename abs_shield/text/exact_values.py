"""Exact numbers and ISO dates of a JSON value, given as numbers or as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from abs_shield.text.json_leaves import items
from abs_shield.text.lazy_pattern import lazy_pattern

_INFINITE = Decimal("Infinity")
_LONGEST_AMOUNT = 1_000  # characters; an amount with separators has some 30
_MOST_DIGITS = 5_000  # exponent: as an integer, `1e1000000` would have a million digits
# some 5,000 digits: conversion takes quadratic time, seconds for a million bits
_MOST_BITS = 16_384
_MINUS = "\u2212"
_GAP = "[ \u00a0\u2007\u2009\u202f'\u2019]"
_ENDLESS = lazy_pattern(rf"(?:[+\-\d_.,eE]|{_GAP})+")
_PLAIN = re.compile(r"-\d+(?:\.\d*)?")
_WRITTEN = [
    (
        lazy_pattern(rf"[+-]?\d{{1,3}}(?:{_GAP}\d{{2,3}})*{_GAP}\d{{3}}(?:[.,]\d*)?"),
        _GAP,
    ),  # 1 200,50
    # 1,200.50 and 12,34,567; in "0,500", the comma is a decimal comma
    (lazy_pattern(r"[+-]?(?!0+,\d+$)\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d*)?"), ","),
    (re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+(?:,\d*)?"), r"\."),  # 1.200,50
    (re.compile(r"[+-]?(?:\d+,\d*|,\d+)"), ""),  # 12,5
]
"""Written forms of numbers that Python cannot parse, and the separators of their groups."""


def amount(value: Any) -> Decimal | None:
    """
    Return a number, or the number that a text states, as a Decimal; None for other values.

    >>> amount(0.1), amount("20.50"), amount(True), amount("20 dollars")
    (Decimal('0.1'), Decimal('20.50'), None, None)
    >>> amount("1 000"), amount("1.000,50"), amount("0,00"), amount("1,000")
    (Decimal('1000'), Decimal('1000.50'), Decimal('0.00'), Decimal('1000'))
    """
    match value:
        case bool():  # first, because `bool` is a subclass of `int`
            return None
        case int() if value.bit_length() > _MOST_BITS:
            return _INFINITE.copy_sign(Decimal(1 if value > 0 else -1))
        case int():
            return Decimal(value)
        case float():
            return Decimal(repr(value))  # not `Decimal(value)`: that of 0.1 has 55 digits
        case str():
            return _parse(value.strip())
        case Decimal():
            return _bound(value)
        case _:
            return None


def is_same_value(one: Any, other: Any) -> bool:
    """
    Return whether two values are equal, or one is the text of the other, a number or a boolean.

    A tool that takes a number gets 7 where the model writes ``"7"``. As in JSON, true is not 1.

    >>> is_same_value("7", 7.0), is_same_value("true", True), is_same_value("1", True)
    (True, True, False)
    >>> is_same_value(True, 1), is_same_value([{"a": 0}], [{"a": False}]), is_same_value([1], [1.0])
    (False, False, True)
    """
    if one == other:
        return have_same_booleans(one, other)
    if isinstance(one, str) is isinstance(other, str):
        return False
    text, value = (one, other) if isinstance(one, str) else (other, one)
    if isinstance(value, bool):
        return text in ("true", "True") if value else text in ("false", "False")
    number = amount(value)
    return number is not None and number == amount(text)


def have_same_booleans(one: Any, other: Any) -> bool:
    """
    Return whether two values that are equal in Python are equal in JSON, where true is not 1.

    >>> have_same_booleans({"a": [1, 0]}, {"a": [1.0, 0]}), have_same_booleans([1], [True])
    (True, False)
    """
    pairs = [(one, other)]
    for a, b in pairs:  # the list grows by the members of containers
        if a is b:  # also where a container holds itself
            continue
        if isinstance(a, bool) is not isinstance(b, bool):
            return False
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            pairs += [(item, b[key]) for key, item in a.items() if key in b]
        elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            pairs += zip(a, b, strict=False)
    return True


def amounts(value: Any) -> Iterator[Decimal]:
    """
    Yield the numbers of a value, or of the items of a list, and skip other items.

    >>> list(amounts(["5", 7, None]))
    [Decimal('5'), Decimal('7')]
    """
    return (number for item in items(value) if (number := amount(item)) is not None)


def all_within(
    value: Any,
    *,
    least: Decimal | None = None,
    most: Decimal | None = None,
    above: Decimal | None = None,
) -> bool:
    """
    Return whether every number of *value* is within the bounds; NaN is within none.

    >>> all_within("500.01", most=Decimal(500)), all_within(["1", "x"], above=Decimal(0))
    (False, True)
    """
    return all(
        not number.is_nan()
        and (least is None or number >= least)
        and (most is None or number <= most)
        and (above is None or number > above)
        for number in amounts(value)
    )


def total(values: Iterable[Any]) -> Decimal:
    """
    Return the sum of the positive numbers in *values*.

    >>> total([5, "2.50", -100, None])
    Decimal('7.50')
    """
    numbers = [number for value in values for number in amounts(value)]
    # NaN is included, so that the sum is within no bound.
    return sum((one for one in numbers if one.is_nan() or one > 0), Decimal(0))


def decimals(number: Decimal) -> int:
    """
    Return the number of significant digits after the decimal point.

    >>> decimals(Decimal("20.50")), decimals(Decimal("1e-3")), decimals(Decimal("7"))
    (1, 3, 0)
    """
    _, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int) or not any(digits):
        return 0
    significant = len("".join(map(str, digits)).rstrip("0"))
    return max(0, significant - len(digits) - exponent)


def _parse(text: str) -> Decimal | None:
    if len(text) > _LONGEST_AMOUNT:  # too long for a real amount: it is within no bound
        return Decimal("NaN") if _ENDLESS.fullmatch(text) else None
    try:
        return _bound(Decimal(text))
    except InvalidOperation:
        return _as_written(text.replace(_MINUS, "-"))


def _as_written(text: str) -> Decimal | None:
    """Parse digits in groups or with a decimal comma; an ambiguous separator groups digits."""
    between = next((gap for form, gap in _WRITTEN if form.fullmatch(text)), None)
    if between is None:
        return _bound(Decimal(text)) if _PLAIN.fullmatch(text) else None
    return _bound(Decimal(re.sub(between, "", text).replace(",", ".")))


def _bound(number: Decimal) -> Decimal:
    """Return a number that is safe to compute with: too large ones become infinite."""
    if number.is_nan():
        # Also for a signalling NaN, which raises if it is compared.
        return Decimal("NaN")
    return _INFINITE.copy_sign(number) if number.adjusted() > _MOST_DIGITS else number


_LONGEST_DATE = 40  # characters; a date-time with microseconds and an offset has 32
# `fromisoformat` also accepts 20300531 and 2030-W22-5, which may be other codes.
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def iso_date(value: Any) -> date | None:
    """
    Return an ISO date as a `date`, an ISO date-time as a `datetime`; None for other values.

    >>> [iso_date(value) for value in ("2030-05-31", "2030-05-31 14:00", "tomorrow", 20300531)]
    [datetime.date(2030, 5, 31), datetime.datetime(2030, 5, 31, 14, 0), None, None]
    """
    if not isinstance(value, str) or len(value) > _LONGEST_DATE:
        return None
    text = value.strip()
    if not _DAY.match(text):
        return None
    # The date first: as a date-time it would become midnight.
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
