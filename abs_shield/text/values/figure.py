"""One figure of a text: a number, an amount, a date, a time or an id, and when two are the same."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

NUMBER, MONEY, DATE, TIME, ID = "number", "money", "date", "time", "id"
SUMS = frozenset({NUMBER, MONEY})
"""Kinds whose values are numbers."""
_HALF_DAY = 12 * 60
_SLACK = Decimal("1e-9")
_PERCENT = "%"
_YEARS = range(1000, 3000)
_LEAST_YEAR = 4


class Day(NamedTuple):
    """A day or a month; None is what is not written: the year of ``May 15``."""

    year: int | None
    month: int
    day: int | None


class Minute(NamedTuple):
    """
    A time of day.

    Attributes:
        minutes: Since midnight.
        half: Whether it is not said which half of the day is meant.
        whole: Whether it shows that its clock has 24 hours.
    """

    minutes: int
    half: bool = False
    whole: bool = False


Value = Decimal | Day | Minute | str


class Figure(NamedTuple):
    """
    One figure as it stands in a text.

    Attributes:
        kind: number, money, date, time or id.
        text: How it stands there: ``whole[start:end]``.
        start: Offset of its first character.
        end: Offset behind its last character.
        values: What it can mean, the likeliest first; at least one.
        step: Of a number: what its last digit counts, ``100000`` of "1.2 million".
        unit: ``%``, a currency's code, or the word behind the number; empty where there is none.
        soft: Whether nobody has to find it: an ordinal, a list's number, a counting word.
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
        """Its likeliest meaning."""
        return self.values[0]

    @property
    def numbers(self) -> tuple[Decimal, ...]:
        """Its meanings that are numbers."""
        values = self.values
        if len(values) == 1:
            return values if isinstance(values[0], Decimal) else ()  # type: ignore[return-value]
        return tuple(value for value in values if isinstance(value, Decimal))

    @property
    def readings(self) -> Iterator[tuple[Decimal, Decimal]]:
        """Its meanings that are numbers, each with what its last digit counts there."""
        first, *others = self.numbers
        yield first, self.step
        yield from ((one, abs(self.step * one / first) if first else self.step) for one in others)


Figures = Iterator[Figure]
"""What one form gives where it was found."""


def build_figure(
    kind: str, text: str, span: tuple[int, int], *values: object, **more: object
) -> Figure:
    """Give a figure of *text* that stands at *span*, with its meanings."""
    return Figure(kind, text[span[0] : span[1]], *span, values, **more)  # type: ignore[arg-type]


def figures_agree(stated: Figure, stands: Figure) -> bool:
    """
    Whether *said*, as far as it goes, is what *stands* in the evidence.

    A number may be rounded to the digits it shows, a date may leave its year out, a time its half
    of the day; a sign does not count, for a refund of 20 stands as -20.
    """
    if stated.kind in SUMS and stands.kind in SUMS:
        return _same_unit(stated, stands) and any(
            is_near(one, other, step) for one, step in stated.readings for other in stands.numbers
        )
    return any(_equal(one, other) for one in stated.values for other in stands.values)


def is_year(figure: Figure) -> bool:
    """Whether a number can be a year: four digits with nothing behind them."""
    return (
        figure.kind == NUMBER
        and len(figure.text) >= _LEAST_YEAR
        and figure.text.isdigit()
        and isinstance(figure.value, Decimal)
        and _YEARS[0] <= figure.value <= _YEARS[-1]
    )


def is_near(one: Decimal, other: Decimal, step: Decimal) -> bool:
    """
    Whether two numbers are the same but for their sign and what is less than half a *step*.

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
    """A day that leaves something open agrees with what fills it; not the other way round."""
    if stated.month != stands.month or (stated.day is not None and stated.day != stands.day):
        return False
    return None in (stated.year, stands.year) or stated.year == stands.year
