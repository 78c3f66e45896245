"""The numbers that a JSON value holds, as numbers or as their text, exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from abs_shield.text.json_leaves import items

_INFINITE = Decimal("Infinity")
_LONGEST = 1_000
_MOST_DIGITS = 5_000
_MOST_BITS = 16_384
_MINUS = "\u2212"
_GAP = "[ \u00a0\u2007\u2009\u202f'\u2019]"
_ENDLESS = re.compile(rf"(?:[+\-\d_.,eE]|{_GAP})+")
_PLAIN = re.compile(r"-\d+(?:\.\d*)?")
_WRITTEN = [
    (re.compile(rf"[+-]?\d{{1,3}}(?:{_GAP}\d{{2,3}})*{_GAP}\d{{3}}(?:[.,]\d*)?"), _GAP),
    (re.compile(r"[+-]?(?!0+,\d+$)\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d*)?"), ","),
    (re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+(?:,\d*)?"), r"\."),
    (re.compile(r"[+-]?(?:\d+,\d*|,\d+)"), ""),
]
"""How people write a number that Python does not read, and what stands between its groups."""


def amount(value: Any) -> Decimal | None:
    """
    Give a number, or the text of one, as it is written; None for everything else.

    >>> amount(0.1), amount("20.50"), amount(True), amount("20 dollars")
    (Decimal('0.1'), Decimal('20.50'), None, None)
    >>> amount("1 000"), amount("1.000,50"), amount("0,00"), amount("1,000")
    (Decimal('1000'), Decimal('1000.50'), Decimal('0.00'), Decimal('1000'))
    """
    match value:
        case bool():
            return None
        case int() if value.bit_length() > _MOST_BITS:
            return _INFINITE.copy_sign(Decimal(1 if value > 0 else -1))
        case int():
            return Decimal(value)
        case float():
            return Decimal(repr(value))
        case str():
            return _parse(value.strip())
        case Decimal():
            return _bounded(value)
        case _:
            return None


def amounts(value: Any) -> Iterator[Decimal]:
    """
    Give the numbers of a value, or of the items of a list; what is no number is left out.

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
    Whether every number of *value* keeps these bounds; NaN keeps none.

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
    Add up the numbers above zero that *values* hold.

    >>> total([5, "2.50", -100, None])
    Decimal('7.50')
    """
    numbers = [number for value in values for number in amounts(value)]
    return sum((one for one in numbers if one.is_nan() or one > 0), Decimal(0))


def decimals(number: Decimal) -> int:
    """
    Count the digits after the point that say something.

    >>> decimals(Decimal("20.50")), decimals(Decimal("1e-3")), decimals(Decimal("7"))
    (1, 3, 0)
    """
    _, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int) or not any(digits):
        return 0
    significant = len("".join(map(str, digits)).rstrip("0"))
    return max(0, significant - len(digits) - exponent)


def _parse(text: str) -> Decimal | None:
    if len(text) > _LONGEST:  # nobody's sum: it keeps no bound
        return Decimal("NaN") if _ENDLESS.fullmatch(text) else None
    try:
        return _bounded(Decimal(text))
    except InvalidOperation:
        return _as_written(text.replace(_MINUS, "-"))


def _as_written(text: str) -> Decimal | None:
    """A number with groups of digits or a decimal comma; what can be both is grouped."""
    between = next((gap for form, gap in _WRITTEN if form.fullmatch(text)), None)
    if between is None:
        return _bounded(Decimal(text)) if _PLAIN.fullmatch(text) else None
    return _bounded(Decimal(re.sub(between, "", text).replace(",", ".")))


def _bounded(number: Decimal) -> Decimal:
    """A number with which one can reckon: what no memory holds is infinite."""
    if number.is_nan():
        return Decimal("NaN")
    return _INFINITE.copy_sign(number) if number.adjusted() > _MOST_DIGITS else number
