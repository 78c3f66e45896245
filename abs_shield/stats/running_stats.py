"""Running count, mean and variance: of a stream, of batches that add up, of the newest numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import dist, fsum, sqrt
from typing import NamedTuple, Self


@dataclass(slots=True)
class RunningStats:
    """
    Running mean and sample variance of a stream of numbers.

    Attributes:
        n: How many numbers were added.
        mean: Their mean; 0 if there are none.

    Source: B. P. Welford, Technometrics 4(3), 1962.

    >>> s = RunningStats()
    >>> for x in [3, 5, 4, 7, 10, 12]:
    ...     s.update(x)
    >>> round(s.mean, 4), round(s.variance, 4)
    (6.8333, 12.5667)
    """

    n: int = 0
    mean: float = 0.0
    _m2: float = 0.0

    def update(self, x: float) -> None:
        """
        Learn *x*; judge it first.

        Args:
            x: A finite number.
        """
        self.n = n = self.n + 1
        delta = x - self.mean
        self.mean = mean = self.mean + delta / n
        self._m2 += delta * (x - mean)

    @property
    def variance(self) -> float:
        """Sample variance; 0 below two points."""
        return self._m2 / (self.n - 1) if self.n > 1 else 0.0

    @property
    def deviation(self) -> float:
        """Sample standard deviation; 0 below two points."""
        return sqrt(self.variance)


class Moments(NamedTuple):
    """
    Count, mean and sum of squared distances from the mean.

    Attributes:
        n: How many numbers there are.
        mean: Their mean; 0 if there are none.
        m2: The sum of their squared distances from the mean.

    >>> shards = Moments.of([1, 2, 3]), Moments.of([10, 11])
    >>> merged = Moments.merged(shards)
    >>> merged.n, merged.mean, round(merged.variance, 9)
    (5, 5.4, 22.3)
    """

    n: int = 0
    mean: float = 0.0
    m2: float = 0.0

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Self:
        """
        Return the moments of *numbers*, summed exactly.

        Args:
            numbers: Finite numbers.
        """
        n = len(numbers)
        mean = fsum(numbers) / n if n else 0.0
        # `dist` loses fewer digits than a sum of squares.
        return cls(n, mean, dist(numbers, (mean,) * n) ** 2)

    @classmethod
    def merged(cls, shards: Iterable[Moments]) -> Self:
        """
        Return the moments of all numbers of all *shards*, in any order.

        Args:
            shards: Moments of disjoint sets of numbers.

        Source: T. F. Chan, G. H. Golub, R. J. LeVeque, COMPSTAT 1982.
        """
        n, mean, m2 = 0, 0.0, 0.0
        for shard in shards:
            if shard.n:  # an empty shard beside another would divide by 0
                whole = n + shard.n
                delta = shard.mean - mean
                mean += delta * shard.n / whole
                m2 += shard.m2 + delta * delta * n * shard.n / whole
                n = whole
        return cls(n, mean, m2)

    @property
    def variance(self) -> float:
        """Sample variance; 0 below two numbers."""
        return self.m2 / (self.n - 1) if self.n > 1 else 0.0


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
