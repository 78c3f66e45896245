"""Drift in production: the rate of a gap since the promotion of a version for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from abs_shield.flywheel.assignment import ungrouped_catches
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.curate import count_decisions, gap_catches, kind_of
from abs_shield.flywheel.drift import Drift, drift
from abs_shield.flywheel.promotions import UsePeriod, history, stack, targets, use_periods
from abs_shield.flywheel.version_rows import read_version

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
