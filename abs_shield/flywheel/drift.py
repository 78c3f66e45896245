"""Drift in production: the rate of a gap since the promotion of a version, compared."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.curate import count_decisions, gap_catches, kind_of
from abs_shield.flywheel.gap_grouping import ungrouped_catches
from abs_shield.flywheel.version_records import (
    UsePeriod,
    history,
    read_version,
    stack,
    targets,
    use_periods,
)
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


_EVER = (date.min, date.max)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionInUse:
    """
    The version in use of a target.

    Attributes:
        target: The target.
        number: Number of its version; 0 for the original.
        gap: Id of the gap that the version is for; empty if none.
        since: The day of its promotion, ISO 8601 in UTC; for number 0, of the rollback.
        drift: The gap's rate while the replaced version was in use, and while this one was; None
            if either period has no decision of the gap's kinds.
        reason: The reason of the last event: of its promotion, or of the rollback of the next
            version.
    """

    target: str
    number: int
    gap: str
    since: str
    drift: Drift | None
    reason: str = ""


class _Days(NamedTuple):
    """The days in [since, until)."""

    since: date
    until: date

    def __contains__(self, day: object) -> bool:
        return isinstance(day, date) and self.since <= day < self.until


def versions_with_drift(connection: sqlite3.Connection) -> Iterator[VersionInUse]:
    """Yield the version in use of each target that ever had a promotion."""
    new = [*ungrouped_catches(connection)]
    for target in targets(connection):
        every = history(connection, target)
        top = stack(every)[-1:]
        times = use_periods(every)
        if not top:
            last = max(every, key=lambda one: one.ended or 0.0)
            yield VersionInUse(
                target=target, number=0, gap="", since=_day(last.ended or 0.0).isoformat(),
                drift=None, reason=_back(read_version(connection, last.version).reason),
            )  # fmt: skip
            continue
        version = read_version(connection, top[0].version)
        change = None
        if version.gap:
            catches = [*gap_catches(connection, version.gap)]
            catches += [one for gap, one in new if gap == version.gap]
            change = _drift(connection, catches, times, top[0].number)
        yield VersionInUse(
            target=target, number=version.number, gap=version.gap,
            since=_day(top[0].at).isoformat(), drift=change, reason=version.reason,
        )  # fmt: skip


def _back(reason: str) -> str:
    return f"the first version was rolled back: {reason}"


def _drift(
    connection: sqlite3.Connection,
    catches: Sequence[Catch],
    times: Sequence[UsePeriod],
    number: int,
) -> Drift | None:
    """Compare the days of the replaced version with those of the promoted one."""
    first = next(n for n, span in enumerate(times) if span.number == number)
    replaced = times[first - 1].number
    before = [_days(span) for span in times[:first] if span.number == replaced]
    after = [_days(span) for span in times if span.number == number]
    one, other = (_counts(connection, catches, days) for days in (before, after))
    return drift(one, other) if one[1] and other[1] else None


def _counts(
    connection: sqlite3.Connection, catches: Sequence[Catch], days: Sequence[_Days]
) -> tuple[int, int]:
    """Return the number of decisions with such a catch on these days, and of all decisions."""
    kinds = {kind_of(catch) for catch in catches}
    total = sum(
        count_decisions(connection, kinds, since=one.since.isoformat(), until=one.until.isoformat())
        for one in days
    )
    affected = {
        catch.decision_id
        for catch in catches
        if any(date.fromisoformat(catch.timestamp[:10]) in one for one in days)
    }
    return min(len(affected), total), total


def _days(span: UsePeriod) -> _Days:
    """Return the whole days of a period; the day of a change belongs to neither side."""
    start = _EVER[0] if span.start is None else _day(span.start) + timedelta(days=1)
    return _Days(start, _EVER[1] if span.end is None else _day(span.end))


def _day(at: float) -> date:
    return datetime.fromtimestamp(at, UTC).date()
