"""Comparison of a candidate with the present version on the cases of one part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from math import ceil
from statistics import fmean, stdev
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.stats.paired_comparison import (
    cases_for_limit,
    cases_needed,
    difference_interval,
    mcnemar,
    paired_bootstrap,
)
from abs_shield.text.safe_display import shown

_LEAST_GRADED = 30  # with fewer, its interval is too narrow
"""Minimum number of cases for a bootstrap of grades between 0 and 1 to hold its level."""
_DETECTED = 2.8  # 1.96 + 0.84
"""Sum of the normal quantiles for a level of 5 % and a power of 80 %."""


class PartStanding(StrEnum):
    """The standing of a candidate in one part."""

    BETTER = "better"
    AS_GOOD = "as good"
    UNDECIDED = "undecided"
    NOT_BETTER = "not better"
    WORSE = "worse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """
    The criteria for a candidate.

    Attributes:
        margin: How much worse it may be outside the target, as a share of the cases: 0.05 is 5 %.
        least_gain: The smallest gain on the target that is worth a promotion.
        level: Level of the two-sided test on the target.
        rounds: Resamples of the bootstrap.
        seed: Seed of the bootstrap.

    Raises:
        ShieldError: A share is not between 0 and 1, or `rounds` is below 1.
    """

    # 5 % each: 73 cases show a margin of that size, a smaller one takes hundreds (docs/flywheel.md)
    margin: float = 0.05
    least_gain: float = 0.05
    level: float = 0.05
    # the ends of a 95 % interval are the 50th values from both sides; fewer would vary visibly
    rounds: int = 2_000
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("margin", "least_gain", "level"):
            share = getattr(self, name)
            # True is an int, and 1 would be refused with a confusing message
            if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
                hint = "use a share between 0 and 1, such as 0.05"
                raise ShieldError(f"evaluate: `{name}` is {shown(share)}; {hint}")
        if self.rounds < 1:
            raise ShieldError(f"evaluate: `rounds` is {shown(self.rounds)}; use 1 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartComparison:
    """
    One part, or one task of the regression part.

    Attributes:
        name: ``target``, ``regression: <task>`` or ``hallucination``.
        cases: Number of cases.
        present: Mean grade of the present version, in [0, 1].
        candidate: Mean grade of the candidate.
        gained: Cases where the candidate's grade is the higher one.
        lost: Cases where it is the lower one.
        p_value: McNemar's exact test; None if a grade is strictly between 0 and 1.
        low: Lower end of the 95 % interval of the difference, by Tango's score.
        high: Upper end.
        bootstrap_low: Lower end by the paired bootstrap.
        bootstrap_high: Upper end.
        standing: The standing of the candidate.
        needed: Estimated number of cases for a decision; 0 if these suffice.
    """

    name: str
    cases: int
    present: float
    candidate: float
    gained: int
    lost: int
    p_value: float | None
    low: float
    high: float
    bootstrap_low: float
    bootstrap_high: float
    standing: PartStanding
    needed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON-able data."""
        return asdict(self)

    def __str__(self) -> str:
        p = "-" if self.p_value is None else f"{self.p_value:.2g}"
        needed = f"; {self.needed:,} cases are needed" if self.needed else ""
        return (
            f"{self.name}: {self.present:.1%} -> {self.candidate:.1%} of {self.cases:,} cases,"
            f" {self.gained:,} gained, {self.lost:,} lost, p {p},"
            f" difference {self.candidate - self.present:+.1%}"
            f" [{self.low:+.1%}, {self.high:+.1%}],"
            f" bootstrap [{self.bootstrap_low:+.1%}, {self.bootstrap_high:+.1%}]:"
            f" {self.standing}{needed}"
        )


@dataclass(frozen=True, slots=True)
class Pairs:
    """Grades of the present version and of the candidate on the same cases, in the same order."""

    present: Sequence[float]
    candidate: Sequence[float]

    @property
    def differences(self) -> list[float]:
        """The candidate's grade minus the present one, for each case."""
        return [one - other for one, other in zip(self.candidate, self.present, strict=True)]

    @property
    def is_binary(self) -> bool:
        """True if every grade is 0 or 1."""
        return all(grade in (0, 1) for grade in (*self.present, *self.candidate))


def compare(name: str, pairs: Pairs, rules: Rules, *, is_target: bool) -> PartComparison:
    """
    Compare both versions on one part.

    On the target the candidate must be better: McNemar's test rejects. Elsewhere it must be as
    good: the lower end of the difference's interval is above minus the margin. Grades strictly
    between 0 and 1 are compared by the bootstrap only.

    Args:
        name: Name of the part.
        pairs: The grades.
        rules: The criteria.
        is_target: Whether it is the target.
    """
    result = _test(pairs, rules)
    n = result.n
    standing = _on_target(result, rules) if is_target else _elsewhere(result, rules)
    needed = 0
    if standing is PartStanding.UNDECIDED:
        # at least one more than now, or the advice would be to repeat the evaluation
        needed = max(n + 1, _LEAST_GRADED, _cases_needed(pairs, rules, is_target=is_target))
    return PartComparison(
        name=name,
        cases=n,
        present=fmean(pairs.present) if n else 0.0,
        candidate=fmean(pairs.candidate) if n else 0.0,
        gained=result.gained,
        lost=result.lost,
        p_value=result.p,
        low=result.low,
        high=result.high,
        bootstrap_low=result.boot[0],
        bootstrap_high=result.boot[1],
        standing=standing,
        needed=needed,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    n: int
    gained: int
    lost: int
    by: float
    p: float | None
    low: float
    high: float
    boot: tuple[float, float]
    is_sure: bool


def _test(pairs: Pairs, rules: Rules) -> _Result:
    """Test the difference between the grades of both versions."""
    differences = pairs.differences
    n, gained = len(differences), sum(one > 0 for one in differences)
    lost = sum(one < 0 for one in differences)
    boot = paired_bootstrap(differences, rounds=rules.rounds, seed=rules.seed)
    p, (low, high) = None, boot
    if pairs.is_binary:
        # exact tests where all grades are 0 or 1, because a bootstrap of few cases rejects too
        # often
        p, (low, high) = mcnemar(gained, lost), difference_interval(gained, lost, n)
    return _Result(
        n=n,
        gained=gained,
        lost=lost,
        by=fmean(differences) if differences else 0.0,
        p=p,
        low=low,
        high=high,
        boot=boot,
        is_sure=_is_sure(p, boot, n, rules.level),
    )


def _is_sure(p: float | None, boot: tuple[float, float], n: int, level: float) -> bool:
    """Return whether the difference is significant."""
    if p is not None:
        return p <= level
    return n >= _LEAST_GRADED and not boot[0] <= 0 <= boot[1]


def _on_target(result: _Result, rules: Rules) -> PartStanding:
    if result.is_sure and result.by < 0:
        return PartStanding.WORSE
    if result.n >= _LEAST_GRADED and result.high < rules.least_gain:
        return PartStanding.NOT_BETTER  # even if it is significantly better by less than that
    return PartStanding.BETTER if result.is_sure else PartStanding.UNDECIDED


def _elsewhere(result: _Result, rules: Rules) -> PartStanding:
    if result.low >= -rules.margin and result.n >= _LEAST_GRADED:
        return PartStanding.AS_GOOD
    worse = result.high < -rules.margin or (result.is_sure and result.by < 0)
    return PartStanding.WORSE if worse else PartStanding.UNDECIDED


def _cases_needed(pairs: Pairs, rules: Rules, *, is_target: bool) -> int:
    """
    Return the number of cases needed for a decision, if the versions keep differing as here.

    A part is decided by either a significant difference or an interval on one side of the limit;
    the smaller number of cases counts.
    """
    differences = pairs.differences
    n = max(1, len(differences))
    limit = rules.least_gain if is_target else -rules.margin
    if not pairs.is_binary:
        by, spread = fmean(differences or [0.0]), stdev(differences) if n > 1 else 1.0
        aims = (by - limit, by if is_target or by < 0 else 0.0)
        # 0.001: no more than some million cases, also if both versions are equally good
        return min(ceil((_DETECTED * spread / max(abs(aim), 1e-3)) ** 2) for aim in aims)
    gain, loss = sum(one > 0 for one in differences) / n, sum(one < 0 for one in differences) / n
    ways = []
    if gain < loss or (is_target and gain > loss):  # elsewhere no significant gain is required
        ways.append(cases_needed(max(gain, loss), min(gain, loss), level=rules.level))
    if not (is_target and gain - loss >= limit):  # else only a significant test decides
        ways.append(cases_for_limit(gain, loss, limit))
    return min(ways)
