"""Stores of decisions: in memory, in SQLite and in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from abs_shield.core import Decision, Verdict
from abs_shield.core.module_names import old_names
from abs_shield.stores.memory_store import MemoryStore
from abs_shield.stores.store_status import StoreStatus

if TYPE_CHECKING:
    from abs_shield.core.label import Label
    from abs_shield.stores.chain_verification import ChainFault, Verified, verify
    from abs_shield.stores.postgres_store import PostgresStore
    from abs_shield.stores.sqlite_store import SqliteStore
    from abs_shield.stores.store_address import open_store

__all__ = [
    "ChainFault",
    "MemoryStore",
    "PostgresStore",
    "SqliteStore",
    "Store",
    "StoreStatus",
    "Verified",
    "open_store",
    "verify",
]

# lazy, so that a program with only the memory store does not load sqlite3 and the SQL
_LAZY = {
    "ChainFault": "chain_verification",
    "PostgresStore": "postgres_store",
    "SqliteStore": "sqlite_store",
    "Verified": "chain_verification",
    "open_store": "store_address",
    "verify": "chain_verification",
}


_old_name = old_names(__name__, {"Fault": "ChainFault", "Status": "StoreStatus"})


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        return _old_name(name)
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


@runtime_checkable
class Store(Protocol):
    """
    A log of decisions in the order in which they were appended.

    Every append adds a record, even if the log already has one with the same id.
    """

    @property
    def losing(self) -> bool:
        """True if the next decision would be dropped."""

    @property
    def status(self) -> StoreStatus:
        """The number of waiting and of lost decisions, and the reason of the loss."""

    def append(self, decision: Decision) -> bool | None:
        """
        Append *decision*; every call runs this, so it must be fast.

        Args:
            decision: The decision.

        Returns:
            False if it was dropped; the policy may then block every call.
        """

    def label(self, label: Label) -> None:
        """
        Store an operator's label of a decision.

        Args:
            label: The label, with the id of its decision.

        Raises:
            StoreError: The log has no such decision.
        """

    def flush(self, timeout_s: float = 5.0) -> bool:
        """
        Wait until everything appended so far is durable; return False on timeout.

        Args:
            timeout_s: How long to wait, in seconds.
        """

    def close(self, timeout_s: float = 5.0) -> bool:
        """
        Write the waiting records and release resources; return False if any was lost.

        Args:
            timeout_s: How long to wait, in seconds.
        """

    def get(self, decision_id: str) -> Decision | None:
        """
        Return the newest decision with that id, or None.

        Args:
            decision_id: The whole id.
        """

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

        Args:
            session_id: Only decisions of this session.
            tool: Only decisions about this tool, by its name as the model wrote it.
            verdict: Only decisions with this verdict.
            limit: The largest number of decisions.
        """

    def scan(self, *, since: float | None = None, until: float | None = None) -> Iterator[Decision]:
        """
        Yield the decisions of [since, until), in seconds since the epoch, oldest first.

        Args:
            since: The first moment; from the beginning if None.
            until: The first moment that is left out; to the end if None.
        """

    def labels(self) -> dict[str, Label]:
        """Return the newest label of each labelled decision, by decision id."""

    def gaps(self) -> Iterator[dict[str, Any]]:
        """Yield the gaps left by lost records: ``{dropped, first_at, last_at, reason}``."""

    def prune(self, before: float) -> int:
        """
        Delete records older than *before*, in seconds since the epoch; return their number.

        Args:
            before: The first moment that stays.
        """

    def __len__(self) -> int:
        """Return the number of stored decisions."""
