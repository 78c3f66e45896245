"""Running mean and variance by Welford's algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt


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
