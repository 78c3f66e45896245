"""Comparison of two versions on the same cases: tests, intervals, required sample sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import ceil, comb, exp, fsum, lgamma, log, sqrt
from random import Random

_Z = 1.96  # two-sided 95 %, as all intervals here
_Z_POWER = 0.8416
"""Quantile of the standard normal distribution for a power of 80 %."""
# Means "never": no comparison has this many cases.
_MOST_CASES = 1_000_000
_EXACT_TO = 500
"""Number of cases up to which a power is exact; above it, an approximation suffices."""


def mcnemar(gained: int, lost: int) -> float:
    """
    Return the two-sided exact p-value of McNemar's test.

    Source: Q. McNemar, Psychometrika 12(2), 1947; the exact form is the binomial test of one half.

    Args:
        gained: Cases that only the new version gets right.
        lost: Cases that only the old version gets right.

    >>> mcnemar(9, 1), mcnemar(0, 0)
    (0.021484375, 1.0)
    """
    if gained < 0 or lost < 0:
        raise ValueError(f"{gained} gained and {lost} lost; give counts from 0")
    n, least = gained + lost, min(gained, lost)
    tail = sum(comb(n, k) for k in range(least + 1))
    # Doubling counts the middle term twice if both counts are equal.
    return min(1.0, float(2 * tail / 2**n))


def difference_interval(gained: int, lost: int, n: int, z: float = _Z) -> tuple[float, float]:
    """
    Return the interval of the difference of two paired shares, new minus old, in [-1, 1].

    It inverts the score test, so its coverage is right even if few or none of the cases differ.

    Source: T. Tango, Statistics in Medicine 17(8), 1998.

    >>> [round(end, 3) for end in difference_interval(0, 0, 100)]
    [-0.037, 0.037]
    """
    if gained < 0 or lost < 0 or gained + lost > n:
        raise ValueError(f"{gained} gained and {lost} lost of {n}; give counts from 0 to n")
    if n == 0:
        return -1.0, 1.0
    share = (gained - lost) / n
    low = _where(lambda d: _tango(gained, lost, n, d) > z, -1.0, share)
    high = _where(lambda d: _tango(gained, lost, n, d) >= -z, share, 1.0)
    return low, high


def paired_bootstrap(
    differences: Sequence[float], *, rounds: int = 2_000, seed: int = 0, level: float = 0.95
) -> tuple[float, float]:
    """
    Return the percentile bootstrap interval of the mean of paired differences.

    Source: B. Efron, Annals of Statistics 7(1), 1979.

    >>> paired_bootstrap([1, 0, 1, 1, 0, 1, 1, 1])
    (0.375, 1.0)
    """
    if not differences:
        return -1.0, 1.0
    random, n = Random(seed), len(differences)
    means = sorted(fsum(random.choices(differences, k=n)) / n for _ in range(rounds))
    cut = (1 - level) / 2
    return means[int(cut * rounds)], means[min(rounds - 1, ceil((1 - cut) * rounds) - 1)]


def mcnemar_power(n: int, gain: float, loss: float, *, level: float = 0.05) -> float:
    """
    Compute the power of the exact test: how often it finds that a better version is better.

    Args:
        n: Number of cases.
        gain: Probability that only the new version gets a case right.
        loss: Probability that only the old version does.
        level: Significance level of the two-sided test.

    >>> round(mcnemar_power(100, 0.15, 0.05), 2)
    0.54
    """
    differing = gain + loss
    if differing <= 0:
        return 0.0
    share = gain / differing
    power = 0.0
    # The probability beyond 8 deviations is negligible; 2 more cover small counts.
    around, width = n * differing, 8 * sqrt(n * differing * max(0.0, 1 - differing)) + 2
    for k in range(max(0, int(around - width)), min(n, ceil(around + width)) + 1):
        weight = _binomial(k, n, differing)
        least = _least_gained(k, level)
        power += weight * fsum(_binomial(b, k, share) for b in range(least, k + 1))
    return min(1.0, power)


# The exact power is slow, and one report needs it for equal rates several times.
@lru_cache(maxsize=1024)
def cases_needed(gain: float, loss: float, *, level: float = 0.05, power: float = 0.8) -> int:
    """
    Compute how many cases the exact test needs to detect a gain with the probability *power*.

    Source of the first estimate: R. J. Connor, Biometrics 43(1), 1987; it is then corrected by
    the exact power.

    Raises:
        ValueError: The gain does not exceed the loss, so no number of cases is enough.

    >>> cases_needed(0.2, 0.05)
    92
    """
    if gain <= loss:
        raise ValueError(f"a gain of {gain} must exceed a loss of {loss}")
    differing, by = gain + loss, gain - loss
    first = (_Z * sqrt(differing) + _Z_POWER * sqrt(max(0.0, differing - by * by))) ** 2 / by**2
    if first > _EXACT_TO:
        return min(_MOST_CASES, ceil(first))
    # Starts safely below the answer, which the formula only estimates, and goes up.
    low = high = max(4, int(first * 0.6))
    while mcnemar_power(high, gain, loss, level=level) < power:
        # Each step computes one exact power; smaller steps would need more of them.
        low, high = high, ceil(high * 1.3)
    while high - low > 1:
        middle = (low + high) // 2
        enough = mcnemar_power(middle, gain, loss, level=level) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def cases_for_limit(gain: float, loss: float, limit: float) -> int:
    """
    Compute how many cases show whether the difference of two versions is above *limit*.

    With as many cases, the 95 % interval is expected to exclude the limit, with a power of 80 %.

    Args:
        gain: Probability that only the new version gets a case right.
        loss: Probability that only the old version does.
        limit: A difference, such as -0.05 for a non-inferiority margin of 5 %.

    >>> cases_for_limit(0.0, 0.0, -0.05), cases_for_limit(0.05, 0.05, -0.05)
    (73, 314)
    >>> cases_for_limit(0.03, 0.08, -0.05)  # the difference equals the limit: never
    1000000
    """
    by = gain - loss
    aside = abs(by - limit)
    noisy = ((_Z + _Z_POWER) / max(aside, 1e-9)) ** 2 * max(0.0, gain + loss - by * by)

    def decides(n: int) -> bool:
        gained = round(gain * n)
        low, high = difference_interval(gained, min(round(loss * n), n - gained), n)
        return low >= limit if by > limit else high <= limit

    # No realistic number of cases is enough, so the search is skipped.
    if noisy >= _MOST_CASES or aside < 1e-9:
        return _MOST_CASES
    low = high = max(1, ceil(noisy))
    while not decides(high) and high < _MOST_CASES:
        low, high = high, ceil(high * 1.3)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return high


def _tango(gained: int, lost: int, n: int, difference: float) -> float:
    """Return Tango's score statistic for a true difference."""
    a = 2 * n
    b = -gained - lost + (2 * n - gained + lost) * difference
    c = -lost * difference * (1 - difference)
    q = (sqrt(max(0.0, b * b - 4 * a * c)) - b) / (2 * a)
    variance = n * (2 * q + difference * (1 - difference))
    above = gained - lost - n * difference
    # If no case differs, the variance is only rounding error.
    if variance <= 1e-15:
        return 0.0 if abs(above) < 1e-12 else (float("inf") if above > 0 else float("-inf"))
    return above / sqrt(variance)


def _where(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the point at which a condition that holds at *low* ceases to hold, by bisection."""
    for _ in range(60):  # enough to bisect an interval of 2 to the precision of a float
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return (low + high) / 2


# Cached, because each power calls it for every number of differing cases.
@lru_cache(maxsize=8192)
def _least_gained(differing: int, level: float) -> int:
    """Return the fewest gained cases that are significant; more than *differing* if none are."""
    # With half of them gained, the test is never significant.
    low, high = differing // 2, differing + 1
    while high - low > 1:
        middle = (low + high) // 2
        better = mcnemar(middle, differing - middle) <= level
        low, high = (low, middle) if better else (middle, high)
    return high


def _binomial(k: int, n: int, share: float) -> float:
    # `log(0)` raises, although 0 to the power of 0 is 1.
    if share <= 0 or share >= 1:
        return float(k == (0 if share <= 0 else n))
    whole = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return exp(whole + k * log(share) + (n - k) * log(1 - share))
