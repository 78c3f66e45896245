"""Figures of a text: numbers, amounts, dates, times and ids; their signs and comparison."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

NUMBER, MONEY, DATE, TIME, ID = "number", "money", "date", "time", "id"
SUMS = frozenset({NUMBER, MONEY})
"""Kinds whose values are numbers."""
_HALF_DAY = 12 * 60  # minutes: 6:05 may be in the morning or in the evening
_SLACK = Decimal("1e-9")  # the rounding of conversions, such as thirds of an hour
_PERCENT = "%"
_YEARS = range(1000, 3000)  # other numbers of four digits are counts and amounts
_LEAST_YEAR = 4  # digits; a year of fewer is not recognisable


class Day(NamedTuple):
    """A day or a month; None for an omitted part, such as the year of ``May 15``."""

    year: int | None
    month: int
    day: int | None


class Minute(NamedTuple):
    """
    A time of day.

    Attributes:
        minutes: Minutes since midnight.
        half: Whether it is unknown if the time is a.m. or p.m.
        whole: Whether it is certainly on a 24-hour clock.
    """

    minutes: int
    half: bool = False
    whole: bool = False


Value = Decimal | Day | Minute | str


class Figure(NamedTuple):
    """
    One figure of a text.

    Attributes:
        kind: number, money, date, time or id.
        text: The text of the figure: ``whole[start:end]``.
        start: Offset of its first character.
        end: Offset after its last character.
        values: Its possible values, the likeliest first; at least one.
        step: The unit of a number's last digit: ``100000`` in "1.2 million".
        unit: ``%``, a currency's code, or the word after the number; empty without one.
        soft: Whether it needs no evidence: an ordinal, a list's number, a counting word.
    """

    kind: str
    text: str
    start: int
    end: int
    values: tuple[Value, ...]
    step: Decimal = Decimal(0)
    unit: str = ""
    soft: bool = False

    @property
    def value(self) -> Value:
        """Return the likeliest value."""
        return self.values[0]

    @property
    def numbers(self) -> tuple[Decimal, ...]:
        """Return the values that are numbers."""
        # A fast path, because nearly all figures have one value, and each pair is compared.
        values = self.values
        if len(values) == 1:
            return values if isinstance(values[0], Decimal) else ()  # type: ignore[return-value]
        return tuple(value for value in values if isinstance(value, Decimal))

    @property
    def readings(self) -> Iterator[tuple[Decimal, Decimal]]:
        """Yield the values that are numbers, each with the unit of its last digit."""
        first, *others = self.numbers
        yield first, self.step
        yield from ((one, abs(self.step * one / first) if first else self.step) for one in others)


Figures = Iterator[Figure]
"""The figures of one match."""


def build_figure(
    kind: str, text: str, span: tuple[int, int], *values: object, **more: object
) -> Figure:
    """Create a figure of *text* at *span*, with its possible values."""
    return Figure(kind, text[span[0] : span[1]], *span, values, **more)  # type: ignore[arg-type]


def figures_agree(stated: Figure, stands: Figure) -> bool:
    """
    Return whether *stated*, as precise as it is, agrees with the evidence.

    A number may be rounded to its digits, a date may omit its year, a time its half of the day;
    signs are ignored, because a refund of 20 may be recorded as -20.
    """
    if stated.kind in SUMS and stands.kind in SUMS:
        return _same_unit(stated, stands) and any(
            is_near(one, other, step) for one, step in stated.readings for other in stands.numbers
        )
    return any(_equal(one, other) for one in stated.values for other in stands.values)


def is_year(figure: Figure) -> bool:
    """Return whether a number can be a year: four digits without a unit."""
    return (
        figure.kind == NUMBER
        and len(figure.text) >= _LEAST_YEAR
        and figure.text.isdigit()
        and isinstance(figure.value, Decimal)
        and _YEARS[0] <= figure.value <= _YEARS[-1]
    )


def is_near(one: Decimal, other: Decimal, step: Decimal) -> bool:
    """
    Return whether two numbers are equal within half a *step*, ignoring their signs.

    >>> is_near(Decimal("1.2e6"), Decimal("1234567"), Decimal("1e5"))
    True
    >>> is_near(Decimal(5), Decimal(6), Decimal(1))
    False
    """
    return abs(abs(one) - abs(other)) <= step / 2 + _SLACK


def _same_unit(stated: Figure, stands: Figure) -> bool:
    if stated.kind == stands.kind == MONEY:
        return not (stated.unit and stands.unit) or stated.unit == stands.unit
    return not (MONEY in (stated.kind, stands.kind) and _PERCENT in (stated.unit, stands.unit))


def _equal(one: Value, other: Value) -> bool:
    match one, other:
        case Day(), Day():
            return _same_day(one, other)
        case Minute(), Minute():
            turn = _HALF_DAY if one.half or (other.half and not one.whole) else 24 * 60
            return one.minutes % turn == other.minutes % turn
        case Decimal(), Day():
            return one == other.year
        case _:
            return type(one) is type(other) and one == other


def _same_day(stated: Day, stands: Day) -> bool:
    """Return whether a possibly incomplete day agrees with a complete one."""
    if stated.month != stands.month or (stated.day is not None and stated.day != stands.day):
        return False
    return None in (stated.year, stands.year) or stated.year == stands.year


_BEFORE = re.compile(
    r"(?:(?<![\w.,)\]])[-\u2212]|\b(?:minus|negative)\s)[$\u20ac\u00a3\u00a5]?$", re.IGNORECASE
)
_INSIDE = re.compile(r"^[^\d\u2212-]{0,4}[-\u2212]\s?[$\u20ac\u00a3\u00a5]?\s?\d")
_REACH = 12  # characters: "negative " and a sign of a currency


def minus_before(plain: str, figure: Figure) -> int | None:
    """
    Return the position of the minus sign of a number, or of the word for it; else None.

    Args:
        plain: The normal form of the text that *figure* was extracted from.
        figure: One of its figures.
    """
    if figure.kind not in SUMS:
        return None
    if _INSIDE.search(figure.text) is not None:
        return figure.start
    start = max(0, figure.start - _REACH)
    before = _BEFORE.search(plain[start : figure.start])
    return None if before is None else start + before.start()


def is_negative(plain: str, figure: Figure) -> bool:
    """
    Return whether a number has a minus sign, or the word for it, before it.

    >>> from abs_shield.text.values.figure_reader import figures
    >>> texts = ("-5", "it fell to minus 5 degrees", "$-3.1 billion", "pages 5-7", "- $14.99")
    >>> [is_negative(text, figures(text)[-1]) for text in texts]
    [True, True, True, False, False]
    """
    return minus_before(plain, figure) is not None
