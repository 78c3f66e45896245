"""How sure a share is that was counted a few times: the Wilson score interval."""

from __future__ import annotations

from math import sqrt


def wilson(successes: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """
    Give the interval in [0, 1] that holds the true share; all of [0, 1] where *n* is 0.

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
    if n == 0:
        return 0.0, 1.0
    share = successes / n
    spread = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    middle, whole = share + z * z / (2 * n), 1 + z * z / n
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)
