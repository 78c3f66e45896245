"""Count, mean and spread of a batch of numbers, which add up with those of another batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import dist, fsum
from typing import NamedTuple, Self


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
