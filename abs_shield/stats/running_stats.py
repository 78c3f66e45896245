"""Count, mean and variance of a stream, of batches to merge, and of the newest numbers."""

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
        n: Number of values added.
        mean: Their mean; 0 without any.

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
        Add *x*, after it is judged: a point must not influence its own limits.

        Args:
            x: A finite number.
        """
        self.n = n = self.n + 1
        delta = x - self.mean
        self.mean = mean = self.mean + delta / n
        self._m2 += delta * (x - mean)

    @property
    def variance(self) -> float:
        """Sample variance; 0 for fewer than two points."""
        return self._m2 / (self.n - 1) if self.n > 1 else 0.0

    @property
    def deviation(self) -> float:
        """Sample standard deviation; 0 for fewer than two points."""
        return sqrt(self.variance)


class Moments(NamedTuple):
    """
    Count, mean and sum of squared distances from the mean.

    Attributes:
        n: Number of values.
        mean: Their mean; 0 without any.
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
        # `dist` is more precise than a sum of squares.
        return cls(n, mean, dist(numbers, (mean,) * n) ** 2)

    @classmethod
    def merged(cls, shards: Iterable[Moments]) -> Self:
        """
        Return the moments of the numbers of all *shards*; their order does not matter.

        Args:
            shards: Moments of disjoint sets of numbers.

        Source: T. F. Chan, G. H. Golub, R. J. LeVeque, COMPSTAT 1982.
        """
        n, mean, m2 = 0, 0.0, 0.0
        for shard in shards:
            if shard.n:  # an empty shard before any other would divide by 0
                whole = n + shard.n
                delta = shard.mean - mean
                mean += delta * shard.n / whole
                m2 += shard.m2 + delta * delta * n * shard.n / whole
                n = whole
        return cls(n, mean, m2)

    @property
    def variance(self) -> float:
        """Sample variance; 0 for fewer than two numbers."""
        return self.m2 / (self.n - 1) if self.n > 1 else 0.0


_CANCELLED = 1e-4
"""Share of the sum of squares; if a step reduces it below this, rounding errors dominate."""


class Window:
    """
    Mean and sample variance of the newest *size* numbers.

    Each step replaces the oldest number by the newest. Because rounding errors accumulate, the
    sums are recomputed exactly every *size* steps, and immediately after an outlier leaves. All
    sums are relative to one of the numbers, so that a large mean does not hide a small spread:
    they differ from batch results in the last few digits at most.

    Source of the step: B. P. Welford, Technometrics 4(3), 1962, for one point in and one out.

    Attributes:
        values: The numbers, oldest first.
        n: Number of values.
        mean: Their mean; 0 without any.
        deviation: Their sample standard deviation; 0 for fewer than two.
        size: Maximum number of values, 1 or more.

    >>> window = Window(3)
    >>> for x in [1, 2, 4, 6]:
    ...     window.update(x)
    >>> window.mean, round(window.variance, 9)
    (4.0, 4.0)
    """

    __slots__ = ("_m2", "_middle", "_pivot", "_size", "_steps", "deviation", "mean", "n", "values")

    # 100 numbers, as specified for the verification engine.
    def __init__(self, size: int = 100, values: Iterable[float] = ()) -> None:
        self.values = deque(values, maxlen=size)
        self._size = size
        self.n, self.mean, self.deviation = 0, 0.0, 0.0
        self._m2, self._steps = 0.0, 0
        self._pivot = self._middle = 0.0
        self._rebuild()

    @property
    def variance(self) -> float:
        """Sample variance; 0 for fewer than two numbers."""
        return self._m2 / (self.n - 1) if self.n > 1 else 0.0

    @property
    def moments(self) -> Moments:
        """The moments of the numbers, which can be merged with those of other windows."""
        return Moments(self.n, self.mean, self._m2)

    def update(self, x: float) -> None:
        """
        Add *x*, after it is judged: a point must not influence its own limits.

        Args:
            x: A finite number of magnitude at most 1e150.
        """
        values, n = self.values, self.n
        if n == self._size:
            oldest = values[0]
            values.append(x)
            if x == oldest:
                return  # nothing changes, and no rounding error is added
            pivot, before, old_m2 = self._pivot, self._middle, self._m2
            delta = x - oldest
            middle = before + delta / n
            m2 = old_m2 + delta * (x - pivot - middle + (oldest - pivot - before))
            self._steps = steps = self._steps + 1
            # After an outlier leaves, the rest is dominated by its rounding error.
            if m2 < old_m2 * _CANCELLED or steps >= n:
                self._rebuild()
                return
        else:
            if not n:
                # later numbers are probably of the magnitude of the first one
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
