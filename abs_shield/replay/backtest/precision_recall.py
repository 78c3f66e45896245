"""How right decisions are where labels say what is true: precision and recall, and how sure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abs_shield.core.label import Truth
from abs_shield.stats.wilson import wilson


@dataclass(frozen=True, slots=True)
class Proportion:
    """
    How many of how many; *value* in [0, 1] is None where there are none.

    >>> Share(9, 10).value, [round(end, 2) for end in Share(9, 10).interval]
    (0.9, [0.6, 0.98])
    """

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """The share itself."""
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson score interval at 95 %."""
        return wilson(self.count, self.of)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionRecall:
    """
    Decisions against labels.

    Attributes:
        precision: Of the calls that were hit, the share that is hallucinated.
        recall: Of the hallucinated calls, the share that was hit.
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
