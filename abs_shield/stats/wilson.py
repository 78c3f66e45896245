"""The Wilson score interval: the confidence interval of a share from a few observations."""

from __future__ import annotations

from math import sqrt


def wilson(successes: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """
    Return the interval in [0, 1] that holds the true share; all of [0, 1] where *n* is 0.

    Source: E. B. Wilson, Journal of the American Statistical Association 22(158), 1927.

    Args:
        successes: How many of *n* there were, 0 to *n*.
        n: How often was looked.
        z: Quantile of the standard normal distribution: 1.96 is for 95 %.

    Raises:
        ValueError: *successes* is not in 0 to *n*.

    >>> [round(end, 4) for end in wilson(10, 10)]
    [0.7225, 1.0]
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}; give 0 to n of them")
    return wilson_of(successes, n, z)


def wilson_of(successes: float, n: float, z: float = 1.96) -> tuple[float, float]:
    """Return the same for counts that are not whole, such as effective ones; 0 to *n* of them."""
    if n == 0:
        return 0.0, 1.0
    share = successes / n
    spread = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    middle, whole = share + z * z / (2 * n), 1 + z * z / n
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def share_difference(one: tuple[int, int], other: tuple[int, int]) -> tuple[float, float]:
    """
    Return the 95 % interval of the difference of two independent shares, *other* less *one*.

    Source: R. G. Newcombe, Statistics in Medicine 17(8), 1998, method 10.

    Args:
        one: Successes, and how often was looked.
        other: Likewise.

    >>> [round(end, 4) for end in share_difference((48, 80), (56, 70))]
    [0.0524, 0.3339]
    """
    if one[1] == 0 or other[1] == 0:
        return -1.0, 1.0
    (low, high), (other_low, other_high) = wilson(*one), wilson(*other)
    share, other_share = one[0] / one[1], other[0] / other[1]
    by = other_share - share
    return (
        by - sqrt((other_share - other_low) ** 2 + (high - share) ** 2),
        by + sqrt((other_high - other_share) ** 2 + (share - low) ** 2),
    )
