"""Count of a log's unreadable records, which commands leave out."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from abs_shield.stores.durable import DurableStore
from abs_shield.stores.sealed_record import Damaged
from abs_shield.text.safe_display import escaped


def length(store: DurableStore) -> int | None:
    """Return the number of decisions in a log; None if its database is damaged."""
    try:
        return len(store)
    except Damaged:
        return None


@dataclass(slots=True)
class DamagedRecords:
    """
    The unreadable records of a log.

    Attributes:
        first: The error of the first one; empty without any.
    """

    first: str = ""
    _messages: set[str] = field(default_factory=set)

    @property
    def count(self) -> int:
        """Number of unreadable records; repeated reads of one count once."""
        return len(self._messages)

    def add(self, error: Damaged) -> None:
        """Count a record; pass this method to a store as ``skipped``."""
        self._messages.add(str(error))
        self.first = self.first or str(error)

    def print_count(self) -> None:
        """Print the count on the standard error, if any."""
        if self.count:
            records = "1 record is" if self.count == 1 else f"{self.count:,} records are"
            line = f"{records} left out; first: {escaped(self.first, limit=500)}"
            print(line, file=sys.stderr)
