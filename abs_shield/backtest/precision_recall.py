"""Precision and recall of decisions against labels, and what other thresholds would decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from abs_shield.core.label import Truth
from abs_shield.stats.share_intervals import wilson


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


_STEPS = 20  # steps of 0.05, finer than a policy's threshold is chosen

Crossing = tuple[Truth | None, int, int]
"""A call's label, and the indexes of the lowest thresholds that flag and block it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPoint:
    """
    One threshold, and what the policy would do under it.

    Attributes:
        threshold: Sensitivity in [0, 1]; a finding of strength s counts when s >= 1 - threshold.
        own: Whether it is the policy's own threshold.
        flagged: Share of the calls that are not CLEAN.
        blocked: Share of the calls that are stopped.
        flags: Precision and recall of the flags, on labelled calls.
        blocks: Precision and recall of the blocks, on labelled calls.
    """

    threshold: float
    own: bool
    flagged: Proportion
    blocked: Proportion
    flags: PrecisionRecall
    blocks: PrecisionRecall


def thresholds(own: float) -> tuple[float, ...]:
    """
    Return 0, 0.05 ... 1 and the policy's own threshold.

    >>> len(thresholds(0.8)), len(thresholds(0.77))
    (21, 22)
    """
    return tuple(sorted({step / _STEPS for step in range(_STEPS + 1)} | {own}))


def sweep(
    crossings: Mapping[Crossing, int], *, at: tuple[float, ...], own: float
) -> Iterator[SweepPoint]:
    """Yield a point for each threshold of *at*, from the number of calls by crossing."""
    calls = sum(crossings.values())
    for place, threshold in enumerate(at):
        flags, blocks = _below(crossings, 1, place), _below(crossings, 2, place)
        yield SweepPoint(
            threshold=threshold,
            own=threshold == own,
            flagged=Proportion(sum(flags.values()), calls),
            blocked=Proportion(sum(blocks.values()), calls),
            flags=_score(flags, crossings),
            blocks=_score(blocks, crossings),
        )


def _below(crossings: Mapping[Crossing, int], which: int, place: int) -> dict[Crossing, int]:
    return {key: n for key, n in crossings.items() if key[which] <= place}  # type: ignore[operator]


def _score(hit: Mapping[Crossing, int], every: Mapping[Crossing, int]) -> PrecisionRecall:
    def count(label: Truth, crossings: Mapping[Crossing, int]) -> int:
        return sum(n for key, n in crossings.items() if key[0] is label)

    return PrecisionRecall.of(
        hits={label: count(label, hit) for label in Truth},
        labelled={label: count(label, every) for label in Truth},
    )
