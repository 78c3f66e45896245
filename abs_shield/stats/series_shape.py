"""The shape of a short series: autocorrelation, skewness and kurtosis."""

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
            if neighbours are independent, towards 0 if they are similar; 2 for a constant series.
        skewness: 0 if both tails are equal, above 0 if the upper one is longer.
        kurtosis: 3 for a normal distribution, more for heavier tails; 3 for a constant series.
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
    unit = max(map(abs, away)) or 1.0  # fourth powers could overflow or underflow
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
    Return whether at least half of the points repeat an earlier one.

    >>> repeats([5, 5, 5, 6]), repeats([5, 6, 7, 7])
    (True, False)
    """
    return 2 * len(set(series)) <= len(series)
