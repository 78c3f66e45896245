"""The shape of a short series: does it wander, is it skewed, has it heavy tails?"""

from __future__ import annotations

from collections.abc import Collection
from math import dist, fsum
from operator import mul
from typing import NamedTuple


class SeriesShape(NamedTuple):
    """
    The shape of a series.

    Attributes:
        wandering: Von Neumann's ratio: squared steps over squared distances from the mean. About 2
            where neighbours have nothing to do with each other, towards 0 where they are alike;
            2 for a constant series.
        skewness: 0 where both tails are alike, above 0 where the upper one is longer.
        kurtosis: 3 of a normal distribution, more where the tails are heavier; 3 if constant.
    """

    wandering: float
    skewness: float
    kurtosis: float


def shape(series: Collection[float]) -> SeriesShape:
    """
    Return the shape of at least two numbers.

    Source: J. von Neumann, Annals of Mathematical Statistics 12(4), 1941, for the ratio.

    >>> shape([1, 2, 3, 4, 5]).wandering, shape([7, 7, 7])
    (0.4, SeriesShape(wandering=2.0, skewness=0.0, kurtosis=3.0))
    >>> [round(x, 3) for x in shape([1, 1, 1, 9])]
    [1.333, 1.155, 2.333]
    """
    points = list(series)
    n = len(points)
    mean = fsum(points) / n
    away = [x - mean for x in points]
    unit = max(map(abs, away)) or 1.0  # fourth powers of what is large or tiny would be lost
    away = [x / unit for x in away]
    squares = list(map(mul, away, away))
    spread = fsum(squares)
    if not spread:
        return SeriesShape(2.0, 0.0, 3.0)
    second = spread / n
    return SeriesShape(
        dist(away[1:], away[:-1]) ** 2 / spread,
        fsum(map(mul, squares, away)) / n / second**1.5,
        fsum(map(mul, squares, squares)) / n / second**2,
    )


def repeats(series: Collection[float]) -> bool:
    """
    Return whether at least half of the points are repetitions.

    >>> repeats([5, 5, 5, 6]), repeats([5, 6, 7, 7])
    (True, False)
    """
    return 2 * len(set(series)) <= len(series)
