"""Control charts: of small and slow shifts (EWMA), and of shares (p-chart)."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from abs_shield.stats.running_stats import RunningStats

FIRST = 30
"""Number of points from which the reference is learnt; fewer make it less certain."""
WEIGHT = 0.1
"""Weight of the newest point; a smaller one detects smaller and slower shifts, later."""
WIDTH = 4.0
"""Limit in deviations of the average; of normal points, one in 20,000 exceeds it by chance."""

FURTHEST = 4.0
"""Deviations to which a point is clipped, so that a single one cannot be a shift."""


class Ewma:
    """
    A moving average of the newest points, compared with a fixed reference.

    The first points are the reference. After a shift, the reference is learnt again from the
    next points, so that each shift is reported once.

    Source: S. W. Roberts, Technometrics 1(3), 1959; limits for an estimated mean are wider by the
    mean's own error.

    Args:
        least_deviation: Minimum standard deviation of the reference, in the points' unit.

    Attributes:
        average: The moving average; the mean so far while the reference is being learnt.
        reference: The mean of the reference.

    >>> chart = Ewma()
    >>> any([chart.update(87 + n % 5) for n in range(100)])
    False
    >>> [chart.update(71 + n % 5) for n in range(10)].index(True)
    3
    """

    __slots__ = ("_least", "_stats", "average", "reference")

    def __init__(self, *, least_deviation: float = 1e-9) -> None:
        self._least = least_deviation
        self._stats = RunningStats()
        self.average = self.reference = 0.0

    @property
    def is_learning(self) -> bool:
        """Return whether the reference is still being learnt."""
        return self._stats.n < FIRST

    def update(self, x: float) -> bool:
        """Add one point; return whether it moves the average beyond its limits."""
        if self.is_learning:
            self._stats.update(x)
            self.average = self.reference = self._stats.mean
            return False
        spread = max(self._stats.deviation, self._least)
        most = FURTHEST * spread
        # Clipped first: an outlier counts, but cannot shift the average alone.
        x = max(self.reference - most, min(x, self.reference + most))
        self.average += WEIGHT * (x - self.average)
        # The second term is the variance of the reference's own mean.
        limit = WIDTH * spread * sqrt(WEIGHT / (2 - WEIGHT) + 1 / FIRST)
        if abs(self.average - self.reference) <= limit:
            return False
        # With the old reference, a new level would be reported at every point.
        self._stats = RunningStats()
        return True


SIGMAS = 3.0
"""Width of the limits, Shewhart's choice: chance alone exceeds them once in about 370 points."""
_TAIL = 0.00135
"""Probability of a normal value beyond three standard deviations, on each side."""
_MANY = 50.0
"""Expected number of hits from which on the binomial is treated as normal."""


class Point(NamedTuple):
    """
    One point of a chart.

    Attributes:
        rate: Share of hits; None without observations.
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
    Return the usual rate, and each rate with its limits.

    Args:
        times: Hits and observations of each period, in order.

    Returns:
        The rate over all periods, in [0, 1], and a point for each period. The limits are
        ``rate ± 3 sqrt(rate (1 - rate) / n)`` with the *n* observations of the period; if few
        hits are expected, they are quantiles of the binomial with the same tail probability.

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
    """Return the limits of a period; quantiles of the binomial if few hits are expected."""
    expected = of * min(usual, 1 - usual)
    # Computed for misses if hits are common: the sum below is short only for rare events.
    if usual > 0.5:
        low, high = _limits(of, 1 - usual)
        return 1 - high, 1 - low
    if expected >= _MANY:
        spread = SIGMAS * sqrt(usual * (1 - usual) / of)
        return max(0.0, usual - spread), min(1.0, usual + spread)
    # No underflow: with fewer than 50 expected hits this is at least 2**-100.
    below, term, hits, lower = 0.0, (1 - usual) ** of, 0, 0
    while hits < of and below + term < 1 - _TAIL:
        below += term
        if below < _TAIL:
            lower = hits + 1
        term *= (of - hits) / (hits + 1) * usual / (1 - usual)
        hits += 1
    return lower / of, hits / of
