"""The status of a flywheel's file: decisions, catches, gaps and false alarms."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any

from abs_shield.flywheel.curate import gaps_in
from abs_shield.flywheel.drift import VersionInUse, versions_with_drift
from abs_shield.flywheel.flywheel_database import database
from abs_shield.flywheel.gap import Gap
from abs_shield.flywheel.harvest_tables import UNGROUPED


@dataclass(frozen=True, slots=True, kw_only=True)
class FlywheelStatus:
    """
    The contents of a flywheel's file in numbers.

    Attributes:
        decisions: Harvested decisions.
        catches: Catches, false alarms included.
        ungrouped: Catches without a gap yet.
        false_alarms: Catches whose decision is labelled ``ok``.
        gaps: All gaps, the most severe first.
        versions: The version in use of each target, with the drift of its gap's rate.
    """

    decisions: int
    catches: int
    ungrouped: int
    false_alarms: int
    gaps: tuple[Gap, ...]
    versions: tuple[VersionInUse, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the status as JSON-able data."""
        return {**asdict(self), "gaps": [gap.to_dict() for gap in self.gaps]}


def status(book: str | PathLike[str]) -> FlywheelStatus:
    """
    Return the status of a flywheel's file.

    Raises:
        StoreError: The file cannot be used.
    """
    with database(book) as connection:

        def number(sql: str, *values: str) -> int:
            return int(connection.execute(sql, values).fetchone()[0])

        return FlywheelStatus(
            decisions=number("SELECT total(decisions) FROM tallies"),
            catches=number("SELECT count(*) FROM catches"),
            ungrouped=number("SELECT count(*) FROM catches WHERE gap = ?", UNGROUPED),
            false_alarms=number(
                "SELECT count(*) FROM catches JOIN labels USING (decision_id) WHERE truth = 'ok'"
            ),
            gaps=tuple(gaps_in(connection)),
            versions=tuple(versions_with_drift(connection)),
        )
