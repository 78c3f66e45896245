"""Precision and recall of decisions against labels, with confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abs_shield.core.label import Truth
from abs_shield.stats.wilson import wilson


@dataclass(frozen=True, slots=True)
class Proportion:
    """
    A count out of a total; *value*, in [0, 1], is None if the total is 0.

    >>> Proportion(9, 10).value, [round(end, 2) for end in Proportion(9, 10).interval]
    (0.9, [0.6, 0.98])
    """

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """The proportion itself."""
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson score interval at 95 %."""
        return wilson(self.count, self.of)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionRecall:
    """
    Precision and recall of decisions against labels.

    Attributes:
        precision: Share of the hit calls that are hallucinated.
        recall: Share of the hallucinated calls that were hit.
    """

    precision: Proportion
    recall: Proportion

    @classmethod
    def of(cls, *, hits: Mapping[Truth, int], labelled: Mapping[Truth, int]) -> PrecisionRecall:
        """Count *hits* among all *labelled* calls."""
        right = hits[Truth.HALLUCINATED]
        return cls(
            precision=Proportion(right, right + hits[Truth.OK]),
            recall=Proportion(right, labelled[Truth.HALLUCINATED]),
        )
