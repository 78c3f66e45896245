"""The labelled decisions of a log; a record that was read once stays in memory."""

from __future__ import annotations

from threading import Lock

from abs_shield.core import Decision
from abs_shield.core.forked import renewed
from abs_shield.core.label import Label
from abs_shield.stores.durable import DurableStore
from abs_shield.stores.record import Damaged

MOST_IN_MEMORY = 20_000
"""Records that stay in memory, the newest; further ones are read for each view."""


class Labelled:
    """
    Reads the labelled decisions of a log; may be used by several threads.

    Args:
        store: The log.
    """

    def __init__(self, store: DurableStore) -> None:
        self._store = store
        self._records: dict[int, Decision] = {}
        self._lock = renewed(Lock())

    def pairs(self, skipped: list[Damaged]) -> list[tuple[Decision, Label]]:
        """
        Return each record of a labelled decision with the label that holds, oldest first.

        Args:
            skipped: Collects the records that cannot be read.

        Raises:
            StoreError: The database cannot be read.
        """
        labels = self._store.labels(skipped=skipped.append)
        with self._lock:
            known = self._records
        found = self._store.decisions_of(labels, known=known, skipped=skipped.append)
        with self._lock:
            self._records = {place: found[place] for place in [*found][-MOST_IN_MEMORY:]}
        return [(decision, labels[decision.id]) for decision in found.values()]
