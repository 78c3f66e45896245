"""Mean and variance of the newest numbers of a stream, in constant time and exact for ever."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from math import dist, fsum, sqrt

from abs_shield.stats.merged_moments import Moments

_CANCELLED = 1e-4
"""If one step reduces the sum of squares to this share, rounding errors dominate it."""


class Window:
    """
    Mean and sample variance of the newest *size* numbers.

    One step swaps the oldest number for the newest. As such steps add rounding errors up, the
    numbers themselves are summed again, exactly, after *size* steps, and immediately when an
    outlier leaves. All numbers are taken relative to one of them, so that none is large beside
    its noise: the sums differ from batch results in a few last digits at most.

    Source of the step: B. P. Welford, Technometrics 4(3), 1962, with one point in and one out.

    Attributes:
        values: The numbers, oldest first.
        n: How many there are.
        mean: Their mean; 0 where there are none.
        deviation: Their sample standard deviation; 0 below two.
        size: How many numbers it holds, from 1.

    >>> window = Window(3)
    >>> for x in [1, 2, 4, 6]:
    ...     window.update(x)
    >>> window.mean, round(window.variance, 9)
    (4.0, 4.0)
    """

    __slots__ = ("_m2", "_middle", "_pivot", "_size", "_steps", "deviation", "mean", "n", "values")

    # 100 numbers, as the specification of the verification engine has it.
    def __init__(self, size: int = 100, values: Iterable[float] = ()) -> None:
        self.values = deque(values, maxlen=size)
        self._size = size
        self.n, self.mean, self.deviation = 0, 0.0, 0.0
        self._m2, self._steps = 0.0, 0
        self._pivot = self._middle = 0.0
        self._rebuild()

    @property
    def variance(self) -> float:
        """Sample variance; 0 below two numbers."""
        return self._m2 / (self.n - 1) if self.n > 1 else 0.0

    @property
    def moments(self) -> Moments:
        """The moments, which merge with those of other windows."""
        return Moments(self.n, self.mean, self._m2)

    def update(self, x: float) -> None:
        """
        Learn *x*, a finite number of at most 1e150; judge it first.

        Args:
            x: The number.
        """
        values, n = self.values, self.n
        if n == self._size:
            oldest = values[0]
            values.append(x)
            if x == oldest:
                return  # nothing changes, and no rounding is added
            pivot, before, old_m2 = self._pivot, self._middle, self._m2
            delta = x - oldest
            middle = before + delta / n
            m2 = old_m2 + delta * (x - pivot - middle + (oldest - pivot - before))
            self._steps = steps = self._steps + 1
            # What is left after an outlier leaves is rounding error of the outlier's size.
            if m2 < old_m2 * _CANCELLED or steps >= n:
                self._rebuild()
                return
        else:
            if not n:
                # the first number is about as far from the later ones as they are from each other
                self._pivot = x
            values.append(x)
            self.n = n = n + 1
            pivot, before = self._pivot, self._middle
            delta = x - pivot - before
            middle = before + delta / n
            m2 = self._m2 + delta * (x - pivot - middle)
        self._middle, self._m2, self.mean = middle, m2, pivot + middle
        self.deviation = sqrt(m2 / (n - 1)) if n > 1 else 0.0

    def _rebuild(self) -> None:
        values = self.values
        self._steps = 0
        self.n = n = len(values)
        self._pivot = pivot = values[-1] if n else 0.0
        beside = [x - pivot for x in values]
        self._middle = middle = fsum(beside) / n if n else 0.0
        self.mean = pivot + middle
        self._m2 = m2 = dist(beside, (middle,) * n) ** 2
        self.deviation = sqrt(m2 / (n - 1)) if n > 1 else 0.0
