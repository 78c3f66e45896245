"""The shape of a short series: does it wander, is it skewed, does it repeat itself?"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from math import fsum


def wandering(series: Collection[float]) -> float:
    """
    Give von Neumann's ratio: squared steps over squared distances from the mean.

    About 2 where neighbours have nothing to do with each other, towards 0 where they are alike;
    2 for a constant series.

    Source: J. von Neumann, Annals of Mathematical Statistics 12(4), 1941.

    >>> wandering([1, 2, 3, 4, 5]), wandering([7, 7, 7])
    (0.4, 2.0)
    """
    mean = fsum(series) / len(series)
    spread = fsum((x - mean) ** 2 for x in series)
    if not spread:
        return 2.0
    return fsum((after - before) ** 2 for before, after in pairwise(series)) / spread


def skewness(series: Sequence[float] | Collection[float]) -> float:
    """
    Give the skewness: 0 where both tails are alike, above 0 where the upper one is longer.

    >>> skewness([1, 2, 3]), round(skewness([1, 1, 1, 9]), 3)
    (0.0, 1.155)
    """
    n = len(series)
    mean = fsum(series) / n
    second = fsum((x - mean) ** 2 for x in series) / n
    return fsum((x - mean) ** 3 for x in series) / n / second**1.5 if second else 0.0


def kurtosis(series: Sequence[float] | Collection[float]) -> float:
    """
    Give the kurtosis: 3 of a normal distribution, more where the tails are heavier.

    >>> kurtosis([1, 3]), round(kurtosis([0] * 9 + [9]), 3)
    (1.0, 8.111)
    """
    n = len(series)
    mean = fsum(series) / n
    second = fsum((x - mean) ** 2 for x in series) / n
    return fsum((x - mean) ** 4 for x in series) / n / second**2 if second else 0.0


def repeats(series: Collection[float]) -> bool:
    """
    Whether at least half of the points are repetitions.

    >>> repeats([5, 5, 5, 6]), repeats([5, 6, 7, 7])
    (True, False)
    """
    return 2 * len(set(series)) <= len(series)
