"""The newest decisions, in this process, within bounds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from threading import Lock

from abs_shield.core import Decision, Verdict
from abs_shield.errors import StoreError


class MemoryStore:
    """
    A ring of the newest decisions; thread-safe.

    Args:
        most: Records kept at most, 1 or more; the oldest make room and are counted.

    Raises:
        StoreError: *most* is below 1.
    """

    def __init__(self, most: int = 100_000) -> None:
        if most < 1:
            raise StoreError(f"MemoryStore got most={most}; it keeps 1 record or more")
        self._records: deque[Decision] = deque(maxlen=most)
        self._most = most
        self._appended = 0
        self._lock = Lock()

    @property
    def dropped(self) -> int:
        """How many records made room for newer ones."""
        with self._lock:
            return self._appended - len(self._records)

    def append(self, decision: Decision) -> None:
        """Keep *decision*, in place of the oldest one where the ring is full."""
        with self._lock:
            self._appended += 1
            self._records.append(decision)

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

    def __len__(self) -> int:
        return len(self._records)

    def _newest_first(self) -> Iterator[Decision]:
        with self._lock:
            records = list(self._records)
        return reversed(records)
