"""The Western Electric rules: when the newest points of a process look unlike it."""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, sqrt
from typing import NamedTuple

_TINY = 1e-300  # Lentz's method divides by what may be 0; the reciprocal of this is still finite


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


# A few tails by the lengths of series; one quantile costs some 60 continued fractions.
@lru_cache(maxsize=4096)
def upper_quantile(tail: float, degrees: int) -> float:
    """
    Return the t that a value exceeds with probability *tail*, above 0 and at most 0.5.

    >>> round(upper_quantile(0.025, 10), 3), round(upper_quantile(0.5, 3), 3)
    (2.228, 0.0)
    """
    low, high = 0.0, 1.0
    while upper_tail(high, degrees) > tail and high < 1e15:  # an extreme tail ends it, too
        low, high = high, high * 2
    for _ in range(60):  # halves the interval down to the last digit of a float
        middle = (low + high) / 2
        if upper_tail(middle, degrees) > tail:
            low = middle
        else:
            high = middle
    return low


def prediction_limit(tail: float, n: int) -> float:
    """
    Return how many sample deviations from the mean of *n* points a further one may lie.

    A further point of the same normal distribution lies beyond with probability *tail*, on one
    side; *n* is at least 2.

    Source: the prediction interval, t * s * sqrt(1 + 1/n).

    >>> [round(prediction_limit(0.00135, n), 2) for n in (8, 20, 100)]
    [4.8, 3.53, 3.09]
    """
    return upper_quantile(tail, n - 1) * sqrt(1 + 1 / n)


def _beta(x: float, a: float, b: float) -> float:
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
    # The fraction converges fast only below this point; above it, by symmetry, the other does.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 300):  # far more steps than a degree of freedom in the thousands needs
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + numerator * d)
            c = _away_from_zero(1 + numerator / c)
            value *= c * d
        if abs(c * d - 1) < 1e-15:  # the last digits of a float
            break
    return value


def _away_from_zero(x: float) -> float:
    return x if abs(x) > _TINY else _TINY


WEIGHTS = (0.40, 0.25, 0.20, 0.15)
"""Weight of each rule: beyond 3, 2 of 3 beyond 2, 4 of 5 beyond 1, 8 on one side."""
RUN = 8  # points on one side of the mean, by the handbook: chance alone does so once in 128 times
CLASSIC = 3.0
"""Deviations of the first rule for a long series; fewer points, or many series, only widen it."""
_TAILS = ((1, 0.0013498980316301), (2, 0.0227501319481792), (4, 0.1586552539314571), (8, 0.5))
"""Points that each rule needs, and the probability of a normal one beyond its limit."""


class ControlLimits(NamedTuple):
    """Deviations from the mean beyond which a point counts for rule 1, 2, 3 and 4."""

    beyond_3: float
    beyond_2: float
    beyond_1: float
    one_side: float


# Series are at most some hundred points long, and a tool has a few dozen of them.
@lru_cache(maxsize=4096)
def limits(n: int, series: int) -> ControlLimits:
    """
    Return the limits for a mean and a deviation of *n* points, where *series* are judged together.

    One long series has the classic 3, 2, 1 and 0. Fewer points widen them to prediction limits
    (Student's t); many series are judged as rarely wrongly in all as one: a rule that needs r
    points has each of them beyond with the classic tail / series ** (1 / r).

    >>> [round(limit, 2) for limit in limits(10_000, 1)]
    [3.0, 2.0, 1.0, 0.0]
    >>> [round(limit, 2) for limit in limits(8, 50)]
    [9.21, 4.07, 1.88, 0.56]
    """
    return ControlLimits(*(prediction_limit(tail / series ** (1 / r), n) for r, tail in _TAILS))
