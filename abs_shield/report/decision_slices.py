"""Count decisions by one of their own fields: agent, model, policy revision, or day."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from abs_shield.core import Decision, Subject
from abs_shield.report.layer_counts import LayerCounts, Spread
from abs_shield.report.layer_report import LayerCase, LayerReport, entry_of

UNNAMED = "_unknown"
"""The key for decisions without an agent or a model."""
OTHERS = "_others"
_MAX_VALUES = 1_000  # three years of days; agents and models are far fewer


class By(StrEnum):
    """The fields by which decisions can be counted."""

    AGENT = "agent"
    MODEL = "model"
    REVISION = "revision"
    DAY = "day"


class Slices:
    """
    Counts decisions by a field and by subject; values beyond the first 1,000 are merged.

    Attributes:
        by: The field.
    """

    def __init__(self, by: By) -> None:
        self.by = by
        self._places: dict[tuple[str, Subject], LayerReport] = {}

    def update(self, case: LayerCase) -> dict[tuple[str, str], Spread]:
        """
        Count one decision.

        Returns:
            The spreads to update, by key.
        """
        subject = case.decision.subject
        value = value_of(case.decision, self.by)
        if (value, subject) not in self._places and len(self._places) >= _MAX_VALUES:
            value = OTHERS
        place = self._places.get((value, subject))
        if place is None:
            place = self._places[value, subject] = LayerReport(counts=LayerCounts(spread=Spread()))
        place.update(case)
        assert place.counts.spread is not None
        return {(f"{self.by}: {value}", subject.value): place.counts.spread}

    def places(self, subject: Subject | None = None) -> dict[tuple[str, Subject], LayerReport]:
        """Return the counts by value and subject; in the order of both."""
        chosen = {k: v for k, v in self._places.items() if subject in (None, k[1])}
        order = [*Subject]
        by_name = sorted(chosen, key=lambda key: (key[0], order.index(key[1])))
        return {key: chosen[key] for key in by_name}

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the counts as JSON-able data."""
        return [
            {self.by.value: value, "subject": subject.value, **_counts(place)}
            for (value, subject), place in self.places().items()
        ]


def value_of(decision: Decision, by: By) -> str:
    """Return the value of a decision's field as text."""
    match by:
        case By.AGENT:
            return decision.agent or UNNAMED
        case By.MODEL:
            return decision.model or UNNAMED
        case By.REVISION:
            return decision.policy_revision
        case By.DAY:
            return day_of(decision.at)


def day_of(at: float) -> str:
    """
    Return the day of a time in UTC.

    >>> day_of(1767225600.0), day_of(1e300)
    ('2026-01-01', 'a time out of range')
    """
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")
    except (OverflowError, OSError, ValueError):  # a damaged or foreign clock
        return "a time out of range"


def _counts(place: LayerReport) -> dict[str, Any]:
    entry = entry_of("", place)
    return {name: entry[name] for name in ("calls", "ran", "unavailable", "errors", "flagged",
            "would_block", "true_flags", "false_flags", "missed", "shares")}  # fmt: skip
