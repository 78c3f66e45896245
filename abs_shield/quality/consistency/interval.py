"""Intervals of the values that a rounded figure can mean."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from abs_shield.text.values.figure import MONEY, Figure

_RELATIVE = Decimal("0.005")
"""Relative tolerance of two values: writers round what they compute."""
_HALF = Decimal("0.5")
_CENT = Decimal("0.01")
_ONE = Decimal(1)


class Interval(NamedTuple):
    """The possible values of a figure."""

    low: Decimal
    high: Decimal

    def __add__(self, other: Interval) -> Interval:  # type: ignore[override]
        return Interval(self.low + other.low, self.high + other.high)

    def minus(self, other: Interval) -> Interval:
        """Return the difference of two intervals."""
        return Interval(self.low - other.high, self.high - other.low)

    def times(self, other: Interval) -> Interval:
        """Return the product of two intervals of positive values."""
        return Interval(self.low * other.low, self.high * other.high)

    def over(self, other: Interval) -> Interval:
        """Return the quotient of two intervals of positive values."""
        return Interval(self.low / other.high, self.high / other.low)

    def agrees(self, other: Interval, relative: Decimal = _RELATIVE) -> bool:
        """Return whether the intervals overlap within a relative tolerance."""
        slack = relative * max(abs(self.high), abs(other.high))
        return self.low - slack <= other.high and other.low - slack <= self.high


ZERO = Interval(Decimal(0), Decimal(0))


def interval_of(figure: Figure) -> Interval:
    """
    Return the interval of a figure: counts and amounts in cents are exact, others rounded.

    >>> from abs_shield.text.values.figure_reader import figures
    >>> [interval_of(one) for one in figures("$50M for 30 people")]
    [Interval(low=Decimal('49500000.0'), high=Decimal('50500000.0')), \
Interval(low=Decimal('30'), high=Decimal('30'))]
    """
    value = figure.numbers[0]
    # writers count people and cents exactly, and round everything else
    exact = figure.step == _ONE or (figure.kind == MONEY and figure.step == _CENT)
    width = Decimal(0) if exact and figure.unit != "%" else figure.step * _HALF
    return Interval(value - width, value + width)


def exact(value: Decimal | int) -> Interval:
    """Return the interval of an exact value."""
    return Interval(Decimal(value), Decimal(value))


def share_of(figure: Figure) -> Interval:
    """Return the interval of a percentage as a share in [0, 1]."""
    low, high = interval_of(figure)
    return Interval(low / 100, high / 100)


def render(interval: Interval) -> str:
    """
    Return the middle of an interval in at most four digits.

    >>> render(Interval(Decimal("44796380"), Decimal("46118721")))
    '45.46 million'
    """
    middle = (interval.low + interval.high) / 2
    for size, name in _SIZES:
        if abs(middle) >= size:
            return f"{_short(middle / size)} {name}"
    return _short(middle)


_SIZES = ((Decimal("1e12"), "trillion"), (Decimal("1e9"), "billion"), (Decimal("1e6"), "million"))


def _short(value: Decimal) -> str:
    return f"{value:,.2f}".rstrip("0").rstrip(".")
