"""Where decisions are kept, and how they are found again."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from abs_shield.core import Decision, Verdict
from abs_shield.core.label import Label
from abs_shield.stores.memory import MemoryStore
from abs_shield.stores.status import Status

if TYPE_CHECKING:
    from abs_shield.stores.chains import Fault, Verified, verify
    from abs_shield.stores.places import open_store
    from abs_shield.stores.postgres import PostgresStore
    from abs_shield.stores.sqlite import SqliteStore

__all__ = [
    "Fault",
    "MemoryStore",
    "PostgresStore",
    "SqliteStore",
    "Status",
    "Store",
    "Verified",
    "open_store",
    "verify",
]

_LAZY = {
    "Fault": "chains",
    "PostgresStore": "postgres",
    "SqliteStore": "sqlite",
    "Verified": "chains",
    "open_store": "places",
    "verify": "chains",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


@runtime_checkable
class Store(Protocol):
    """
    Keeps decisions in the order in which they were appended.

    Every append is a record of its own, also under an id that is there already.
    """

    @property
    def losing(self) -> bool:
        """Whether the next decision would be dropped."""

    @property
    def status(self) -> Status:
        """How many decisions wait to be written, how many were lost, and why."""

    def append(self, decision: Decision) -> bool | None:
        """
        Keep *decision*; this stands on every call's path, so it is quick.

        Returns:
            False where it was dropped; the policy may let nothing run then.
        """

    def label(self, label: Label) -> None:
        """
        Keep what an operator says of a decision.

        Raises:
            StoreError: No such decision is kept.
        """

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until everything appended so far is kept for good; False where it takes longer."""

    def close(self, timeout_s: float = 5.0) -> bool:
        """Keep what waits and let go; False where something was lost."""

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

    def scan(self, *, since: float | None = None, until: float | None = None) -> Iterator[Decision]:
        """Give the decisions of a time, [since, until) in seconds since the epoch, one by one."""

    def labels(self) -> dict[str, Label]:
        """Give the newest label of each decision that has one, by its id."""

    def gaps(self) -> Iterator[dict[str, Any]]:
        """Give what was lost: ``{dropped, first_at, last_at, reason}``, oldest first."""

    def prune(self, before: float) -> int:
        """Delete what is older than *before*, in seconds since the epoch; give how many."""

    def __len__(self) -> int:
        """Count the decisions kept."""
