"""A known false alarm: its findings are kept and marked, and not enforced."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any

from pydantic import Field, field_validator

from abs_shield.policy.declared import Declared


class Suppression(Declared):
    """
    Silences one check for one tool, with a reason and an end.

    Attributes:
        check: The layer whose findings are silenced.
        tool: The tool; None for every tool.
        reason: Why this is a false alarm.
        until: Last day, or moment, on which it holds; None for ever. Naive times are UTC.
    """

    check: str
    tool: str | None = None
    reason: str = Field(min_length=1)
    until: datetime | date | None = None

    @field_validator("until", mode="before")
    @classmethod
    def _day(cls, until: Any) -> Any:
        """A day stays a day: pydantic reads ``"2026-01-31"`` as its midnight."""
        if isinstance(until, str):
            with suppress(ValueError):
                return date.fromisoformat(until)
        return until

    def holds(self, at: float) -> bool:
        """Whether it still holds at *at*, in seconds since the epoch."""
        if self.until is None:
            return True
        now = datetime.fromtimestamp(at, UTC)
        if isinstance(self.until, datetime):
            until = self.until
            return now <= (until if until.tzinfo else until.replace(tzinfo=UTC))
        return now.date() <= self.until
