"""The labels of a log and the decisions that have one; what was read once stays in memory."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from threading import Lock

from abs_shield.core import Decision
from abs_shield.core.forked import renewed
from abs_shield.core.label import Label
from abs_shield.stores.durable import DurableStore
from abs_shield.stores.sealed_record import Damaged

MOST_IN_MEMORY = 20_000
"""Records that stay in memory, the newest; further ones are read again."""
_FRESH_S = 1.0
"""Longer than a request takes; records are deleted without a new one that would tell."""


@dataclass(frozen=True, kw_only=True)
class LabelledDecisions:
    """
    The labelled decisions of a log at one moment.

    Attributes:
        labels: The label that holds of each decision, by its id.
        pairs: Each record of a labelled decision with its label, oldest first.
        damaged: Why records could not be read.
    """

    labels: dict[str, Label] = field(default_factory=dict)
    pairs: list[tuple[Decision, Label]] = field(default_factory=list)
    damaged: list[Damaged] = field(default_factory=list)


class LabelReader:
    """
    Reads the labelled decisions of a log; may be used by several threads.

    Args:
        store: The log.
    """

    def __init__(self, store: DurableStore) -> None:
        self._store = store
        self._records: dict[int, Decision] = {}
        self._last = LabelledDecisions()
        self._place, self._read_at = -1, 0.0
        self._lock = renewed(Lock())

    def read(self) -> LabelledDecisions:
        """
        Return the labelled decisions; views of the same second share what was read.

        Raises:
            StoreError: The database cannot be read.
        """
        place = self._store.last_place()
        with self._lock:  # readers that come meanwhile wait for the same answer
            now = time.monotonic()
            if place != self._place or now - self._read_at > _FRESH_S:
                self._last = self._read()
                self._place, self._read_at = place, now
            return self._last

    def _read(self) -> LabelledDecisions:
        damaged: list[Damaged] = []
        labels = self._store.labels(skipped=damaged.append)
        found = self._store.decisions_of(labels, already_read=self._records, skipped=damaged.append)
        self._records = {at: found[at] for at in [*found][-MOST_IN_MEMORY:]}
        pairs = [(decision, labels[decision.id]) for decision in found.values()]
        return LabelledDecisions(labels=labels, pairs=pairs, damaged=damaged)
