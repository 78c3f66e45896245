"""Drift in production: how often a gap comes up since a version that is for it was promoted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from abs_shield.flywheel.curate import count_decisions, gap_catches, kind_of
from abs_shield.flywheel.drift import Drift, drift
from abs_shield.flywheel.registry import versions_in_use


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionInUse:
    """
    A version in use that is for a gap.

    Attributes:
        target: What it is a version of.
        number: Its number.
        gap: Id of the gap.
        since: The day on which it came into use, ISO 8601 in UTC.
        drift: The gap's rate on the days before that day and after it; None where either side
            has no decision of the gap's kinds.
    """

    target: str
    number: int
    gap: str
    since: str
    drift: Drift | None


def gap_versions(connection: sqlite3.Connection) -> Iterator[VersionInUse]:
    """Yield each version in use that is for a gap."""
    for version in versions_in_use(connection):
        if version.gap:
            day = datetime.fromtimestamp(version.used_since, UTC).date()
            yield VersionInUse(
                target=version.target,
                number=version.number,
                gap=version.gap,
                since=day.isoformat(),
                drift=_drift_since(connection, version.gap, day),
            )


def _drift_since(connection: sqlite3.Connection, gap: str, promoted: date) -> Drift | None:
    """Compare the days before a promotion with those after it; its own day belongs to neither."""
    before: set[str] = set()
    after: set[str] = set()
    kinds: set[tuple[str, str]] = set()
    for catch in gap_catches(connection, gap):
        kinds.add(kind_of(catch))
        day = date.fromisoformat(catch.timestamp[:10])
        if day != promoted:
            (before if day < promoted else after).add(catch.decision_id)
    next_day = (promoted + timedelta(days=1)).isoformat()
    made = (
        count_decisions(connection, kinds, until=promoted.isoformat()),
        count_decisions(connection, kinds, since=next_day),
    )
    if not all(made):
        return None
    return drift((min(len(before), made[0]), made[0]), (min(len(after), made[1]), made[1]))
