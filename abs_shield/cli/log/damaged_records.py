"""Counts the records of a log that a command leaves out, as they cannot be read."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from abs_shield.stores.durable import DurableStore
from abs_shield.stores.sealed_record import Damaged
from abs_shield.text.show import escaped


def length(store: DurableStore) -> int | None:
    """Return how many decisions a log has; None where its database is damaged."""
    try:
        return len(store)
    except Damaged:
        return None


@dataclass(slots=True)
class DamagedRecords:
    """
    How many records could not be read, and what is wrong with the first.

    Attributes:
        first: What is wrong with the first; empty where all could be read.
    """

    first: str = ""
    _messages: set[str] = field(default_factory=set)

    @property
    def count(self) -> int:
        """How many there are; one that several passes find counts once."""
        return len(self._messages)

    def add(self, error: Damaged) -> None:
        """Count a record: what stores take as ``skipped``."""
        self._messages.add(str(error))
        self.first = self.first or str(error)

    def print_count(self) -> None:
        """Print one line on the standard error, where there are any."""
        if self.count:
            records = "1 record is" if self.count == 1 else f"{self.count:,} records are"
            line = f"{records} left out; first: {escaped(self.first, limit=500)}"
            print(line, file=sys.stderr)
