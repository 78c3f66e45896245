"""Drift in production: how often a gap comes up since a version that is for it was promoted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from abs_shield.flywheel.assignment import ungrouped
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.curate import count_decisions, gap_catches, kind_of
from abs_shield.flywheel.drift import Drift, drift
from abs_shield.flywheel.promotions import Span, history, spans, stack, targets
from abs_shield.flywheel.version_rows import read_version

_EVER = (date.min, date.max)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionInUse:
    """
    What is in use of a target.

    Attributes:
        target: The target.
        number: Number of its version; 0 where that is what was there before the first one.
        gap: Id of the gap that the version is for; empty if none.
        since: The day of its promotion, ISO 8601 in UTC; of number 0 that of the rollback.
        drift: The gap's rate on the days on which what it replaced was in use, and on those on
            which it was; None where either side has no decision of the gap's kinds.
        reason: The reason of the newest decision: why it was promoted, or why the version after
            it was rolled back.
    """

    target: str
    number: int
    gap: str
    since: str
    drift: Drift | None
    reason: str = ""


class _Days(NamedTuple):
    """The days from one on, and before another one."""

    since: date
    until: date

    def __contains__(self, day: object) -> bool:
        return isinstance(day, date) and self.since <= day < self.until


def in_use(connection: sqlite3.Connection) -> Iterator[VersionInUse]:
    """Yield what is in use of each target that a version was ever promoted for."""
    new = [*ungrouped(connection)]
    for target in targets(connection):
        every = history(connection, target)
        top = stack(every)[-1:]
        times = spans(every)
        if not top:
            last = max(every, key=lambda one: one.ended or 0.0)
            yield VersionInUse(
                target=target, number=0, gap="", since=_day(last.ended or 0.0).isoformat(),
                drift=None, reason=_back(read_version(connection, last.version).reason),
            )  # fmt: skip
            continue
        version = read_version(connection, top[0].version)
        found = None
        if version.gap:
            catches = [*gap_catches(connection, version.gap)]
            catches += [one for gap, one in new if gap == version.gap]
            found = _drift(connection, catches, times, top[0].number)
        yield VersionInUse(
            target=target, number=version.number, gap=version.gap,
            since=_day(top[0].at).isoformat(), drift=found, reason=version.reason,
        )  # fmt: skip


def _back(reason: str) -> str:
    return f"the first version was rolled back: {reason}"


def _drift(
    connection: sqlite3.Connection, catches: Sequence[Catch], times: Sequence[Span], number: int
) -> Drift | None:
    """Compare the days under what a promotion replaced with those under the promotion."""
    first = next(n for n, span in enumerate(times) if span.number == number)
    replaced = times[first - 1].number
    before = [_days(span) for span in times[:first] if span.number == replaced]
    after = [_days(span) for span in times if span.number == number]
    one, other = (_counts(connection, catches, days) for days in (before, after))
    return drift(one, other) if one[1] and other[1] else None


def _counts(
    connection: sqlite3.Connection, catches: Sequence[Catch], days: Sequence[_Days]
) -> tuple[int, int]:
    """Return how many decisions of these days have such a catch, and how many there were."""
    kinds = {kind_of(catch) for catch in catches}
    made = sum(
        count_decisions(connection, kinds, since=one.since.isoformat(), until=one.until.isoformat())
        for one in days
    )
    affected = {
        catch.decision_id
        for catch in catches
        if any(date.fromisoformat(catch.timestamp[:10]) in one for one in days)
    }
    return min(len(affected), made), made


def _days(span: Span) -> _Days:
    """Return the whole days of a span: the day of a change belongs to neither side."""
    start = _EVER[0] if span.start is None else _day(span.start) + timedelta(days=1)
    return _Days(start, _EVER[1] if span.end is None else _day(span.end))


def _day(at: float) -> date:
    return datetime.fromtimestamp(at, UTC).date()
