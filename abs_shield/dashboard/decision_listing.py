"""The decisions listed for a cell of the heatmap, and a cached reader of their labels."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from threading import Lock

from abs_shield.core import Decision
from abs_shield.core.fork_safety import renewed
from abs_shield.core.label import Label
from abs_shield.report.layer_report import LayerCase
from abs_shield.report.report_rows import OTHERS, STAGES, cases_of
from abs_shield.stores.durable_store import DurableStore
from abs_shield.stores.sealed_record import Damaged
from abs_shield.text.safe_display import encodable


class ListFilter(StrEnum):
    """Filters of the decisions of a cell."""

    FINDINGS = "findings"
    UNLABELLED = "unlabelled"
    ALL = "all"


@dataclass(frozen=True, kw_only=True)
class CellListing:
    """
    A cell of the heatmap, and a filter of its decisions.

    Attributes:
        row: The row; empty for all rows.
        check: The column.
        listed: Decisions with a finding or an error of the check, unlabelled ones that its
            findings would block, or all.
        rows: The rows of the report, which define the row of other tools.
    """

    row: str
    check: str
    listed: ListFilter = ListFilter.FINDINGS
    rows: Collection[str] = ()

    def admits(self, decision: Decision) -> bool:
        """Return whether a decision is listed, regardless of its label."""
        return any(
            encodable(check) == self.check and self._is_row(row) and self._is_listed(case)
            for row, check, case in cases_of(decision, None)
        )

    def _is_row(self, row: str) -> bool:
        if not self.row:
            return not row.startswith(STAGES)  # the row of outputs includes its stages
        if self.row == OTHERS:
            return row not in self.rows
        return encodable(row) == self.row

    def _is_listed(self, case: LayerCase) -> bool:
        match self.listed:
            case ListFilter.FINDINGS:
                return case.speaks
            case ListFilter.UNLABELLED:
                return case.finding_blocks
        return True


MOST_IN_MEMORY = 20_000
"""Maximum number of cached records, the newest; further ones are read again."""
_FRESH_S = 1.0
"""Maximum age of the result, because a deletion adds no record that would invalidate it."""


@dataclass(frozen=True, kw_only=True)
class LabelledDecisions:
    """
    The labelled decisions of a log at one point in time.

    Attributes:
        labels: The valid label of each labelled decision, by decision id.
        pairs: Each record of a labelled decision with its label, oldest first.
        damaged: The errors of records that cannot be read.
    """

    labels: dict[str, Label] = field(default_factory=dict)
    pairs: list[tuple[Decision, Label]] = field(default_factory=list)
    damaged: list[Damaged] = field(default_factory=list)


class LabelReader:
    """
    Reads the labelled decisions of a log; thread-safe.

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
        Return the labelled decisions; calls within `_FRESH_S` seconds share the result.

        Raises:
            StoreError: The database cannot be read.
        """
        # before the labels are read: a label added meanwhile is read again next time
        place = self._store.last_place()
        with self._lock:  # concurrent callers wait for the same result
            now = time.monotonic()
            if place != self._place or now - self._read_at > _FRESH_S:
                self._last = self._read()
                self._place, self._read_at = place, now
            return self._last

    def _read(self) -> LabelledDecisions:
        damaged: list[Damaged] = []
        labels = self._store.labels(skipped=damaged.append)
        decisions = self._store.decisions_of(
            labels, already_read=self._records, skipped=damaged.append
        )
        self._records = {at: decisions[at] for at in [*decisions][-MOST_IN_MEMORY:]}
        pairs = [(decision, labels[decision.id]) for decision in decisions.values()]
        return LabelledDecisions(labels=labels, pairs=pairs, damaged=damaged)
