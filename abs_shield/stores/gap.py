"""What stands in the log in the place of records that were lost."""

from __future__ import annotations

from abs_shield.core.canonical import canonical
from abs_shield.stores.record import Entry, Kind


class Gap:
    """Records that were lost at one place of the log."""

    __slots__ = ("dropped", "first_at", "last_at", "reason")

    def __init__(self, at: float, reason: str) -> None:
        self.dropped = 1
        self.first_at = self.last_at = at
        self.reason = reason

    def more(self, at: float) -> None:
        """Count one more."""
        self.dropped += 1
        self.last_at = at

    def entry(self) -> Entry:
        """Give the record that stands where the lost ones would."""
        told = {
            "dropped": self.dropped, "first_at": self.first_at, "last_at": self.last_at,
            "reason": self.reason,
        }  # fmt: skip
        return Entry(Kind.GAP, self.last_at, canonical(told))
