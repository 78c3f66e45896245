"""Where decisions are kept, and how they are found again."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from abs_shield.core import Decision, Verdict
from abs_shield.stores.memory import MemoryStore

__all__ = ["MemoryStore", "Store"]


@runtime_checkable
class Store(Protocol):
    """
    Keeps decisions in the order in which they were appended.

    Every append is a record of its own, also under an id that is there already.
    """

    def append(self, decision: Decision) -> None:
        """Keep *decision*; this stands on every call's path, so it is quick."""

    def get(self, decision_id: str) -> Decision | None:
        """Give the newest record under that id, or None."""

    def decisions(
        self,
        *,
        session_id: str | None = None,
        tool: str | None = None,
        verdict: Verdict | None = None,
        limit: int | None = None,
    ) -> list[Decision]:
        """Give the records that match, oldest first; with *limit*, the newest so many of them."""

    def __len__(self) -> int:
        """Count the records kept."""
