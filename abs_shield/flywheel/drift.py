"""Drift: the rate of a gap after a promotion, compared with the rate before."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from abs_shield.stats.share_intervals import share_difference, wilson


class Trend(StrEnum):
    """The direction in which a gap's rate changed."""

    LOWER = "lower"
    UNCLEAR = "unclear"
    HIGHER = "higher"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """
    A gap's rate before and after a promotion.

    Attributes:
        before: Share of decisions with the gap before, in [0, 1].
        before_low: Lower end of its 95 % interval, by Wilson.
        before_high: Upper end.
        after: Share of decisions with the gap since.
        after_low: Lower end of its interval.
        after_high: Upper end.
        low: Lower end of the 95 % interval of after minus before, by Newcombe.
        high: Upper end.
        trend: Lower or higher if the interval excludes zero.
    """

    before: float
    before_low: float
    before_high: float
    after: float
    after_low: float
    after_high: float
    low: float
    high: float
    trend: Trend

    def to_dict(self) -> dict[str, Any]:
        """Return the drift as JSON-able data."""
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"{self.before:.1%} [{self.before_low:.1%}, {self.before_high:.1%}] before,"
            f" {self.after:.1%} [{self.after_low:.1%}, {self.after_high:.1%}] after,"
            f" difference [{self.low:+.1%}, {self.high:+.1%}]: {self.trend}"
        )


def drift(before: tuple[int, int], after: tuple[int, int]) -> Drift:
    """
    Compare a gap's rate after a promotion with its rate before.

    Args:
        before: Decisions with the gap, and decisions of the same kind, before the promotion.
        after: Likewise, since the promotion.

    Raises:
        ValueError: There are more decisions with the gap than decisions.

    >>> print(drift((40, 1000), (8, 900)))
    4.0% [3.0%, 5.4%] before, 0.9% [0.5%, 1.7%] after, difference [-4.6%, -1.8%]: lower
    """
    first, second = wilson(*before), wilson(*after)
    low, high = share_difference(before, after)
    # only an interval on one side of 0: a rate of few decisions varies by chance
    trend = Trend.LOWER if high < 0 else Trend.HIGHER if low > 0 else Trend.UNCLEAR
    return Drift(
        before=_share(before),
        before_low=first[0],
        before_high=first[1],
        after=_share(after),
        after_low=second[0],
        after_high=second[1],
        low=low,
        high=high,
        trend=trend,
    )


def _share(counts: tuple[int, int]) -> float:
    return counts[0] / counts[1] if counts[1] else 0.0
