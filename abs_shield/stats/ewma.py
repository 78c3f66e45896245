"""A control chart for small and slow shifts: the exponentially weighted moving average."""

from __future__ import annotations

from math import sqrt

from abs_shield.stats.welford import RunningStats

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
