"""A control chart of shares: is a rate of one time outside what chance makes of the usual rate?"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

SIGMAS = 3.0
"""Width of the limits; Shewhart's choice: chance alone leaves them once in some 370 times."""
_TAIL = 0.00135
"""Probability of a normal value beyond three standard deviations, on each side."""
_MANY = 50.0
"""Expected hits from which on a binomial is near enough to a normal distribution."""


class Point(NamedTuple):
    """
    One time on a chart.

    Attributes:
        rate: Hits among the observations; None where there are none.
        lower: The lower limit, in [0, 1].
        upper: The upper limit, in [0, 1].
        outside: Whether the rate lies outside the limits.
    """

    rate: float | None
    lower: float
    upper: float
    outside: bool


def p_chart(times: Sequence[tuple[int, int]]) -> tuple[float, list[Point]]:
    """
    Return the usual rate and each time beside its limits (Montgomery, Statistical Quality Control).

    Args:
        times: Hits and observations of each time, in order.

    Returns:
        The rate over all times, in [0, 1], and a point for each. The limits are
        ``rate ± 3 sqrt(rate (1 - rate) / n)`` with the observations *n* of that time; where few
        hits are expected, the binomial's own with as little beyond them.

    >>> usual, points = p_chart([(1, 100), (0, 100), (2, 100), (11, 100), (1, 3)])
    >>> round(usual, 3), [point.outside for point in points]
    (0.037, [False, False, False, True, False])
    """
    hits, of = sum(h for h, _ in times), sum(n for _, n in times)
    usual = hits / of if of else 0.0
    return usual, [_point(h, n, usual) for h, n in times]


def _point(hits: int, of: int, usual: float) -> Point:
    if not of:
        return Point(None, usual, usual, outside=False)
    lower, upper = _limits(of, usual)
    rate = hits / of
    return Point(rate, lower, upper, outside=not lower <= rate <= upper)


def _limits(of: int, usual: float) -> tuple[float, float]:
    """Return the limits of a time; where few hits are expected, those of the binomial itself."""
    expected = of * min(usual, 1 - usual)
    # Common hits are rare misses: the sum below is short only where hits are rare.
    if usual > 0.5:
        low, high = _limits(of, 1 - usual)
        return 1 - high, 1 - low
    if expected >= _MANY:
        spread = SIGMAS * sqrt(usual * (1 - usual) / of)
        return max(0.0, usual - spread), min(1.0, usual + spread)
    # No underflow: fewer than 50 hits are expected, so that this is at least 2**-100.
    below, term, hits, lower = 0.0, (1 - usual) ** of, 0, 0
    while hits < of and below + term < 1 - _TAIL:
        below += term
        if below < _TAIL:
            lower = hits + 1
        term *= (of - hits) / (hits + 1) * usual / (1 - usual)
        hits += 1
    return lower / of, hits / of
