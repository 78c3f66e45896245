"""The Western Electric rules: limits for unusual points of a steady process."""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, sqrt
from typing import NamedTuple

_TINY = 1e-300  # replaces a zero divisor in Lentz's method; its reciprocal is still finite


def upper_tail(t: float, degrees: int) -> float:
    """
    Return P(T > t) of Student's t distribution with *degrees* of freedom.

    Source: the regularised incomplete beta function by Lentz's continued fraction (Press et al.,
    Numerical Recipes, 6.4).

    >>> round(upper_tail(2.228, 10), 4)
    0.025
    """
    half = _beta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
    return half if t >= 0 else 1 - half


# Cached: a few tails and lengths of series occur, and one quantile is some 60 fractions.
@lru_cache(maxsize=4096)
def upper_quantile(tail: float, degrees: int) -> float:
    """
    Return the t that is exceeded with the probability *tail*, above 0 and at most 0.5.

    >>> round(upper_quantile(0.025, 10), 3), round(upper_quantile(0.5, 3), 3)
    (2.228, 0.0)
    """
    low, high = 0.0, 1.0
    while upper_tail(high, degrees) > tail and high < 1e15:  # ends for an extreme tail
        low, high = high, high * 2
    for _ in range(60):  # enough to bisect to the precision of a float
        middle = (low + high) / 2
        if upper_tail(middle, degrees) > tail:
            low = middle
        else:
            high = middle
    return low


def prediction_limit(tail: float, n: int) -> float:
    """
    Return the prediction limit of one more point, in sample deviations from the mean of *n*.

    A point of the same normal distribution exceeds it with the probability *tail*, on one side;
    *n* is at least 2.

    Source: the prediction interval, t * s * sqrt(1 + 1/n).

    >>> [round(prediction_limit(0.00135, n), 2) for n in (8, 20, 100)]
    [4.8, 3.53, 3.09]
    """
    return upper_quantile(tail, n - 1) * sqrt(1 + 1 / n)


def _beta(x: float, a: float, b: float) -> float:
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
    # The fraction converges fast only below this point; above it, use the symmetry.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 300):  # far more steps than thousands of degrees of freedom need
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + numerator * d)
            c = _away_from_zero(1 + numerator / c)
            value *= c * d
        if abs(c * d - 1) < 1e-15:  # about the precision of a float
            break
    return value


def _away_from_zero(x: float) -> float:
    return x if abs(x) > _TINY else _TINY


WEIGHTS = (0.40, 0.25, 0.20, 0.15)
"""Weight of each rule: one beyond 3, 2 of 3 beyond 2, 4 of 5 beyond 1, 8 on one side."""
RUN = 8  # points on one side of the mean, as in the handbook; by chance once in 128 times
CLASSIC = 3.0
"""Limit of the first rule for one long series; fewer points or more series widen it."""
_TAILS = ((1, 0.0013498980316301), (2, 0.0227501319481792), (4, 0.1586552539314571), (8, 0.5))
"""For each rule, the points that it needs, and the probability of one beyond its limit."""


class ControlLimits(NamedTuple):
    """Deviations from the mean beyond which a point counts for rules 1 to 4."""

    beyond_3: float
    beyond_2: float
    beyond_1: float
    one_side: float


# Cached: series have at most about a hundred points, and a tool has a few dozen series.
@lru_cache(maxsize=4096)
def limits(n: int, series: int) -> ControlLimits:
    """
    Return the limits for a mean and a deviation of *n* points, if *series* are judged together.

    One long series has the classic limits 3, 2, 1 and 0. With fewer points they are prediction
    limits (Student's t). With many series, all together have the false-alarm rate of one: for a
    rule that needs r points, the tail of each point is the classic tail / series ** (1 / r).

    >>> [round(limit, 2) for limit in limits(10_000, 1)]
    [3.0, 2.0, 1.0, 0.0]
    >>> [round(limit, 2) for limit in limits(8, 50)]
    [9.21, 4.07, 1.88, 0.56]
    """
    return ControlLimits(*(prediction_limit(tail / series ** (1 / r), n) for r, tail in _TAILS))
