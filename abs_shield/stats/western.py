"""The Western Electric rules: when do the newest points of a steady process look unlike it?"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from abs_shield.stats.student import prediction_limit

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
