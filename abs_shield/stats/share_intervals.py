"""Confidence intervals of a share: Wilson's, and one for observations in clusters."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple


def wilson(successes: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """
    Return the confidence interval of a share, within [0, 1]; (0, 1) if *n* is 0.

    Source: E. B. Wilson, Journal of the American Statistical Association 22(158), 1927.

    Args:
        successes: Number of successes, 0 to *n*.
        n: Number of observations.
        z: Quantile of the standard normal distribution; 1.96 for 95 %.

    Raises:
        ValueError: *successes* is not in 0 to *n*.

    >>> [round(end, 4) for end in wilson(10, 10)]
    [0.7225, 1.0]
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}; give 0 to n of them")
    return wilson_of(successes, n, z)


def wilson_of(successes: float, n: float, z: float = 1.96) -> tuple[float, float]:
    """Return the interval of `wilson` for fractional counts, such as effective sample sizes."""
    if n == 0:
        return 0.0, 1.0
    share = successes / n
    spread = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    middle, whole = share + z * z / (2 * n), 1 + z * z / n
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def share_difference(one: tuple[int, int], other: tuple[int, int]) -> tuple[float, float]:
    """
    Return the 95 % interval of the difference of two independent shares, *other* minus *one*.

    Source: R. G. Newcombe, Statistics in Medicine 17(8), 1998, method 10.

    Args:
        one: Successes and number of observations.
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


class Effect(NamedTuple):
    """
    The effect of clusters on the variance of a share.

    Attributes:
        clusters: Number of clusters with an observation.
        design: Factor by which they increase the variance of the share, 1 or more.
    """

    clusters: int
    design: float


@dataclass(slots=True)
class Clusters:
    """
    Sums over the clusters of a share; each cluster has *of* observations with *hits* hits.

    Attributes:
        count: Number of clusters with an observation.
        sizes: Sum of the squared sizes.
        products: Sum of size times hits.
        hits: Sum of the squared hits.
    """

    count: int = 0
    sizes: int = 0
    products: int = 0
    hits: int = 0

    def update(self, *, of: int, hits: int, is_hit: bool) -> None:
        """
        Add one observation of a cluster.

        Args:
            of: Number of observations that the cluster had before.
            hits: Number of hits among them.
            is_hit: Whether the new observation is a hit.
        """
        self.count += not of
        self.sizes += 2 * of + 1
        self.products += hits
        if is_hit:
            self.products += of + 1
            self.hits += 2 * hits + 1

    def add(self, *, of: int, hits: int, times: int = 1) -> None:
        """Add *times* equal clusters, each of *of* observations, 1 or more, with *hits* hits."""
        self.count += times
        self.sizes += times * of * of
        self.products += times * of * hits
        self.hits += times * hits * hits

    def effect(self, hits: int, of: int) -> Effect:
        """
        Return the design effect on the share ``hits / of``, both summed over the clusters.

        It is the variance of the ratio of two sums over clusters, divided by that of a binomial
        share, and at least 1; it is 1 if none or all of the observations are hits.

        Source: J. N. K. Rao, A. J. Scott, Biometrics 48(2), 1992, section 2.

        >>> clusters = Clusters()
        >>> for size in range(10):  # ten clusters of one observation
        ...     clusters.update(of=0, hits=0, is_hit=size < 2)
        >>> clusters.effect(2, 10)
        Effect(clusters=10, design=1.0)
        """
        # One cluster has no variance; clusters of one observation each are not correlated.
        if self.count < 2 or not 0 < hits < of or self.sizes == of:
            return Effect(self.count, 1.0)
        share = hits / of
        squares = self.hits - 2 * share * self.products + share**2 * self.sizes
        design = self.count / (self.count - 1) * squares / (of * share * (1 - share))
        return Effect(self.count, max(1.0, design))


def clustered_wilson(hits: int, of: int, effect: Effect) -> tuple[float, float]:
    """
    Return the 95 % Wilson interval of a share, with both counts divided by the design effect.

    If none or all of the observations are hits, the interval is at least as wide as for one
    observation per cluster: nothing then shows that the observations of a cluster differ.

    Args:
        hits: Number of hits.
        of: Number of observations; for 0 the interval is [0, 1].
        effect: The effect of the clusters, from `Clusters.effect`.

    >>> [round(end, 3) for end in clustered_wilson(0, 400, Effect(40, 1.0))]
    [0.0, 0.088]
    """
    lower, upper = wilson_of(hits / effect.design, of / effect.design)
    if effect.clusters < of:
        lower = min(lower, wilson(effect.clusters, effect.clusters)[0])
        upper = max(upper, wilson(0, effect.clusters)[1])
    return lower, upper
