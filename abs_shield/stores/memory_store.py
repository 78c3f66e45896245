"""The in-memory store of the newest decisions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from math import isfinite
from threading import RLock
from time import time
from typing import TYPE_CHECKING, Any

from abs_shield.core import Decision, Verdict
from abs_shield.core.fork_safety import new_id, renewed
from abs_shield.errors import StoreError
from abs_shield.stores.expiry_rule import last_expired
from abs_shield.stores.store_status import StoreStatus
from abs_shield.text.safe_display import escaped

if TYPE_CHECKING:
    from abs_shield.core.label import Label

_REPORTS = 1_000
"""Maximum number of reports in memory: one may quote pages of evidence."""


class MemoryStore:
    """
    A ring buffer of the newest decisions; thread-safe.

    Args:
        most: Maximum number of records, 1 or more; older ones are evicted and counted as dropped.
            10,000 records take some 11 MB.

    Attributes:
        id: Unique id of this store, by which a reader remembers how far it read.

    Raises:
        StoreError: *most* is below 1.
    """

    def __init__(self, most: int = 10_000) -> None:
        if most < 1:
            raise StoreError(f"MemoryStore got most={most}; use 1 or more")
        self.id = new_id()
        self._records: deque[Decision] = deque(maxlen=most)
        self._labels: dict[str, Label] = {}
        self._reports: dict[str, tuple[float, dict[str, Any]]] = {}
        # sweep when the labels have doubled, so that a label costs O(1) on average
        self._swept = 64
        self._most = most
        self._appended = 0
        self._lock = renewed(RLock())  # a forked child may inherit a locked lock

    @property
    def losing(self) -> bool:
        """Always False: an old decision is evicted, the new one is stored."""
        return False

    @property
    def status(self) -> StoreStatus:
        """The number of evicted records; none ever wait."""
        with self._lock:
            return StoreStatus(dropped=self._appended - len(self._records))

    def append(self, decision: Decision) -> None:
        """Store *decision*; if the buffer is full, the oldest one is evicted."""
        with self._lock:
            self._appended += 1
            self._records.append(decision)

    def append_report(self, decision: Decision, report: Mapping[str, Any]) -> None:
        """
        Store the report on an answer; if there are too many, the oldest is evicted.

        Args:
            decision: The decision about the answer.
            report: The report as a dictionary.
        """
        with self._lock:
            self._reports[decision.id] = decision.at, dict(report)
            while len(self._reports) > min(self._most, _REPORTS):
                del self._reports[next(iter(self._reports))]

    def report(self, decision_id: str) -> dict[str, Any] | None:
        """
        Return the newest report on an answer by the id of its decision, or None.

        Args:
            decision_id: The whole id.
        """
        stored = {decision.id for decision in self._newest_first()}
        return self._reports[decision_id][1] if decision_id in stored & {*self._reports} else None

    def reports(
        self, *, since: float | None = None, until: float | None = None
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """
        Yield the decision id and the report of each answer of a period, oldest first.

        Args:
            since: The first moment, in seconds since the epoch; from the beginning if None.
            until: The first moment that is left out; to the end if None.
        """
        stored = {decision.id for decision in self._newest_first()}
        for key, (at, report) in [*self._reports.items()]:  # a copy: other threads may append
            if key in stored and (since is None or at >= since) and (until is None or at < until):
                yield key, report

    def label(self, label: Label) -> None:
        """
        Store an operator's label of a decision.

        Raises:
            StoreError: The store has no such decision.
        """
        if self.get(label.decision_id) is None:
            raise StoreError(f"the log has no decision `{escaped(label.decision_id)}`")
        with self._lock:
            self._labels[label.decision_id] = label
            if len(self._labels) >= self._swept:
                self._sweep()

    def _sweep(self) -> None:
        """Delete the labels and reports of evicted decisions."""
        stored = {decision.id for decision in self._records}
        self._labels = {key: label for key, label in self._labels.items() if key in stored}
        self._reports = {key: entry for key, entry in self._reports.items() if key in stored}
        self._swept = 2 * len(self._labels) + 64

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Do nothing: there is nothing to wait for."""
        return True

    def close(self, timeout_s: float = 5.0) -> bool:
        """Do nothing: there is nothing to release."""
        return True

    def get(self, decision_id: str) -> Decision | None:
        """Return the newest decision with that id, or None."""
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
        Return the matching decisions, oldest first; with *limit*, only the newest of them.

        Raises:
            StoreError: *limit* is negative.
        """
        if limit is not None and limit < 0:
            raise StoreError(f"decisions() got limit={limit}; use 0 or more")
        matching = (
            decision
            for decision in self._newest_first()
            if (session_id is None or decision.session_id == session_id)
            and (tool is None or decision.tool == tool)
            and (verdict is None or decision.verdict is verdict)
        )
        return list(islice(matching, limit))[::-1]

    def scan(self, *, since: float | None = None, until: float | None = None) -> Iterator[Decision]:
        """Yield the decisions of [since, until), in seconds since the epoch, oldest first."""
        for decision in reversed([*self._newest_first()]):
            if (since is None or decision.at >= since) and (until is None or decision.at < until):
                yield decision

    def labels(self) -> dict[str, Label]:
        """Return the newest label of each stored decision that has one, by decision id."""
        stored = {decision.id for decision in self._newest_first()}
        return {key: label for key, label in [*self._labels.items()] if key in stored}

    def gaps(self) -> Iterator[dict[str, Any]]:
        """Yield nothing: eviction leaves no gap. `status` counts evicted records."""
        return iter(())

    def prune(self, before: float) -> int:
        """
        Delete the oldest records, up to a time; return their number.

        As in every store these are the first records, up to the first one younger than *before*;
        a record from the future is deleted if an old one follows it.
        """
        with self._lock:
            times = (
                # as in the databases, where a time that is not finite is stored as 0
                (decision.at if isfinite(decision.at) else 0.0, place)
                for place, decision in enumerate(self._records, 1)
            )
            deleted = last_expired(times, before=before, now=time()) or 0
            self._appended -= deleted  # or pruned records would count as dropped
            self._records = deque(islice(self._records, deleted, None), maxlen=self._most)
            self._sweep()
            return deleted

    def __len__(self) -> int:
        return len(self._records)

    def _newest_first(self) -> Iterator[Decision]:
        with self._lock:
            records = list(self._records)
        return reversed(records)
