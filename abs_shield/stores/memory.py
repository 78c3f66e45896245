"""The newest decisions, in this process, within bounds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from math import isfinite
from threading import RLock
from time import time
from typing import Any

from abs_shield.core import Decision, Verdict
from abs_shield.core.forked import renewed
from abs_shield.core.ids import new_id
from abs_shield.core.label import Label
from abs_shield.errors import StoreError
from abs_shield.stores.oldest import oldest
from abs_shield.stores.status import Status
from abs_shield.text.show import escaped

_REPORTS = 1_000
"""Reports kept at most in memory: one may quote pages of evidence."""


class MemoryStore:
    """
    A ring of the newest decisions; thread-safe.

    Args:
        most: Records kept at most, 1 or more; the oldest make room and are counted. 10,000 of
            them hold some 11 MB.

    Attributes:
        id: Unique id of this ring, by which a reader remembers how far it read.

    Raises:
        StoreError: *most* is below 1.
    """

    def __init__(self, most: int = 10_000) -> None:
        if most < 1:
            raise StoreError(f"MemoryStore got most={most}; it keeps 1 record or more")
        self.id = new_id()
        self._records: deque[Decision] = deque(maxlen=most)
        self._labels: dict[str, Label] = {}
        self._reports: dict[str, tuple[float, dict[str, Any]]] = {}
        self._swept = 64
        self._most = most
        self._appended = 0
        self._lock = renewed(RLock())

    @property
    def losing(self) -> bool:
        """Never: an old decision makes room, the next one is kept."""
        return False

    @property
    def status(self) -> Status:
        """How many records made room for newer ones; nothing waits."""
        with self._lock:
            return Status(dropped=self._appended - len(self._records))

    def append(self, decision: Decision) -> None:
        """Keep *decision*, in place of the oldest one where the ring is full."""
        with self._lock:
            self._appended += 1
            self._records.append(decision)

    def append_report(self, decision: Decision, report: Mapping[str, Any]) -> None:
        """Keep the report on an answer beside its decision; the oldest makes room."""
        with self._lock:
            self._reports[decision.id] = decision.at, dict(report)
            while len(self._reports) > min(self._most, _REPORTS):
                del self._reports[next(iter(self._reports))]

    def report(self, decision_id: str) -> dict[str, Any] | None:
        """Return the newest report on an answer, by the id of its decision; else None."""
        kept = {decision.id for decision in self._newest_first()}
        return self._reports[decision_id][1] if decision_id in kept & {*self._reports} else None

    def reports(
        self, *, since: float | None = None, until: float | None = None
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the reports on answers of a time, oldest first, each behind its decision's id."""
        kept = {decision.id for decision in self._newest_first()}
        for key, (at, report) in [*self._reports.items()]:
            if key in kept and (since is None or at >= since) and (until is None or at < until):
                yield key, report

    def label(self, label: Label) -> None:
        """
        Keep what an operator says of a decision.

        Raises:
            StoreError: No such decision is kept.
        """
        if self.get(label.decision_id) is None:
            raise StoreError(f"no decision `{escaped(label.decision_id)}` is kept")
        with self._lock:
            self._labels[label.decision_id] = label
            if len(self._labels) >= self._swept:
                self._sweep()

    def _sweep(self) -> None:
        """Forget the labels of decisions that are no longer kept."""
        kept = {decision.id for decision in self._records}
        self._labels = {key: label for key, label in self._labels.items() if key in kept}
        self._reports = {key: found for key, found in self._reports.items() if key in kept}
        self._swept = 2 * len(self._labels) + 64

    def flush(self, timeout_s: float = 5.0) -> bool:
        """There is nothing to wait for."""
        return True

    def close(self, timeout_s: float = 5.0) -> bool:
        """There is nothing to let go of."""
        return True

    def get(self, decision_id: str) -> Decision | None:
        """Give the newest record under that id, or None."""
        return next((d for d in self._newest_first() if d.id == decision_id), None)

    def decisions(
        self,
        *,
        session_id: str | None = None,
        tool: str | None = None,
        verdict: Verdict | None = None,
        limit: int | None = None,
    ) -> list[Decision]:
        """
        Give the records that match, oldest first; with *limit*, the newest so many of them.

        Raises:
            StoreError: *limit* is negative.
        """
        if limit is not None and limit < 0:
            raise StoreError(f"decisions() got limit={limit}; it is 0 or more")
        matching = (
            decision
            for decision in self._newest_first()
            if (session_id is None or decision.session_id == session_id)
            and (tool is None or decision.tool == tool)
            and (verdict is None or decision.verdict is verdict)
        )
        return list(islice(matching, limit))[::-1]

    def scan(self, *, since: float | None = None, until: float | None = None) -> Iterator[Decision]:
        """Give the decisions of a time, [since, until) in seconds since the epoch, one by one."""
        for decision in reversed([*self._newest_first()]):
            if (since is None or decision.at >= since) and (until is None or decision.at < until):
                yield decision

    def labels(self) -> dict[str, Label]:
        """Give the newest label of each decision that has one and is still kept, by its id."""
        kept = {decision.id for decision in self._newest_first()}
        return {key: label for key, label in [*self._labels.items()] if key in kept}

    def gaps(self) -> Iterator[dict[str, Any]]:
        """Give nothing: what made room was no loss of a moment. `status` counts it."""
        return iter(())

    def prune(self, before: float) -> int:
        """
        Delete the oldest records, up to a time; give how many.

        As in every store they are the first ones, up to one that is younger than *before*; a
        record from the future goes where an old one stands behind it.
        """
        with self._lock:
            times = (
                (decision.at if isfinite(decision.at) else 0.0, place)
                for place, decision in enumerate(self._records, 1)
            )
            deleted = oldest(times, before=before, now=time()) or 0
            self._appended -= deleted
            self._records = deque(islice(self._records, deleted, None), maxlen=self._most)
            self._sweep()
            return deleted

    def __len__(self) -> int:
        return len(self._records)

    def _newest_first(self) -> Iterator[Decision]:
        with self._lock:
            records = list(self._records)
        return reversed(records)
