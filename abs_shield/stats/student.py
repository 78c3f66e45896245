"""Quantiles of Student's t: the limit of a new point's distance from the mean of a few."""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, sqrt

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
