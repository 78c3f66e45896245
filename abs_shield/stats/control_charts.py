"""Control charts: of small and slow shifts (EWMA), and of shares (p-chart)."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from abs_shield.stats.running_stats import RunningStats

FIRST = 30
"""Points from which the reference is learnt; the fewer, the less it is known."""
WEIGHT = 0.1
"""Weight of the newest point: the smaller, the smaller and slower a shift that is found."""
WIDTH = 4.0
"""Deviations of the average that are a shift: of normal points one in 20,000 is a false one."""

FURTHEST = 4.0
"""Deviations that one point counts for at most, so that no single one is a shift."""


class Ewma:
    """
    Compares a moving average of the newest points with a reference that does not move.

    The first points are the reference. Once the average has left it, the reference is learnt
    anew from the next points, so that each shift is reported once.

    Source: S. W. Roberts, Technometrics 1(3), 1959; limits for an estimated mean are wider by the
    mean's own error.

    Args:
        least_deviation: Spread of the reference that is assumed at least, in the points' unit.

    Attributes:
        average: The moving average; the reference's mean while that is learnt.
        reference: Mean of the reference.

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
        """Take one point in; return whether the average has just left the reference."""
        if self.is_learning:
            self._stats.update(x)
            self.average = self.reference = self._stats.mean
            return False
        spread = max(self._stats.deviation, self._least)
        most = FURTHEST * spread
        # Cut first: an outlier counts, and does not shift the average alone.
        x = max(self.reference - most, min(x, self.reference + most))
        self.average += WEIGHT * (x - self.average)
        # The second term is the variance of the reference's own mean.
        limit = WIDTH * spread * sqrt(WEIGHT / (2 - WEIGHT) + 1 / FIRST)
        if abs(self.average - self.reference) <= limit:
            return False
        # A new level is a new process: keeping the old reference would report it at every point.
        self._stats = RunningStats()
        return True


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
