"""What the stores that outlive a process do alike: buffer, seal, write, and find again."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import time
from typing import Any
from uuid import uuid4

from abs_shield.core import Decision, Verdict
from abs_shield.core.canonical import canonical
from abs_shield.core.label import Label
from abs_shield.errors import StoreError
from abs_shield.stores.ledger import Ledger, Query
from abs_shield.stores.record import (
    Entry,
    Head,
    Kind,
    Row,
    Seal,
    chained,
    decision_entry,
    label_entry,
)
from abs_shield.stores.status import Status
from abs_shield.stores.writer import Writer
from abs_shield.text.show import escaped, told

MOST_WAITING = 10_000
"""Decisions that wait at most while the database cannot be written."""
_WAITS_S = 5.0

Item = Decision | Label | Entry


class DurableStore(ABC):
    """
    A store with a database behind it.

    Args:
        key: Seals the records with HMAC-SHA-256 where given.
        most: Decisions that wait at most, 1 or more.
        existing: Whether there has to be a log already.

    Raises:
        StoreError: The database cannot be used, or *most* or *key* is out of range.
    """

    append: Callable[[Decision], None]
    """Puts a decision into the buffer; full, the decision is dropped and counted."""

    def __init__(self, *, key: bytes | None, most: int, existing: bool) -> None:
        if most < 1:
            raise StoreError(f"{type(self).__name__} got most={most}; it is 1 or more")
        if key is not None and not key:
            raise StoreError(f"{type(self).__name__} got an empty `key`; give bytes, or None")
        self._seal = Seal(key)
        self._ledger: Ledger | None = self._connected(reads=existing)
        if existing:
            self._ledger.close()
            self._ledger = None
        self._left: list[Ledger] = []
        self._doubts = False
        self._begin()
        self._writer: Writer[Item] = Writer(_entry, self._write, most=most)
        self.append = self._writer.put

    def _begin(self) -> None:
        """A new chain, which belongs to this process alone."""
        self._process = os.getpid()
        self._head = Head(uuid4().hex)

    @abstractmethod
    def _connected(self, *, reads: bool = False) -> Ledger:
        """Open one connection; an old schema is brought up to date."""

    # Keeping -------------------------------------------------------------------------------------

    @property
    def losing(self) -> bool:
        """Whether the next decision would be dropped."""
        return self._writer.losing

    @property
    def status(self) -> Status:
        """How many decisions wait, how many were lost, and why writing fails now."""
        return self._writer.status

    def label(self, label: Label) -> None:
        """
        Keep what an operator says of a decision.

        Raises:
            StoreError: No such decision is kept, or the label could not be written in time.
        """
        if self.get(label.decision_id) is None:
            raise StoreError(f"no decision `{escaped(label.decision_id)}` is kept")
        self._writer.put(label)
        if not self.flush():
            raise StoreError(f"the label could not be written: {self.status.error}")

    def flush(self, timeout_s: float = _WAITS_S) -> bool:
        """Wait until everything appended so far is on disk; False where it takes longer."""
        return self._writer.flush(timeout_s)

    def close(self, timeout_s: float = _WAITS_S) -> bool:
        """Write what waits and let go; False where something was lost."""
        written = self._writer.close(timeout_s)
        if self._ledger is not None and written:
            self._ledger.close()
            self._ledger = None
        return written

    # Finding again -------------------------------------------------------------------------------

    def get(self, decision_id: str) -> Decision | None:
        """Give the newest record under that id, or None."""
        query = Query(kind=Kind.DECISION, decision_id=decision_id)
        with self._reading() as ledger:
            found = next(ledger.rows(query, order="place DESC", limit=1), None)
        return None if found is None else Decision.from_dict(found.body())

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
            StoreError: *limit* is negative, or the database cannot be read.
        """
        if limit is not None and limit < 0:
            raise StoreError(f"decisions() got limit={limit}; it is 0 or more")
        query = Query(kind=Kind.DECISION, session_id=session_id, tool=tool, verdict=verdict)
        with self._reading() as ledger:
            found = ledger.rows(query, order="place DESC", limit=limit)
            return [Decision.from_dict(row.body()) for row in found][::-1]

    def scan(self, *, since: float | None = None, until: float | None = None) -> Iterator[Decision]:
        """Give the decisions of a time, oldest first, without holding them all in memory."""
        for row in self.rows(Query(kind=Kind.DECISION, since=since, until=until)):
            yield Decision.from_dict(row.body())

    def labels(self) -> dict[str, Label]:
        """Give the newest label of each decision that has one, by its id."""
        return {
            label.decision_id: label
            for row in self.rows(Query(kind=Kind.LABEL))
            for label in [Label.of(row.body())]
        }

    def gaps(self) -> Iterator[dict[str, Any]]:
        """Give the gaps: ``{dropped, first_at, last_at, reason}``, oldest first."""
        return (row.body() for row in self.rows(Query(kind=Kind.GAP)))

    def rows(self, query: Query, *, order: str = "place") -> Iterator[Row]:
        """Give the records as they are kept."""
        with self._reading() as ledger:
            yield from ledger.rows(query, order=order)

    def heads(self) -> list[Head]:
        """Give the newest record of each chain."""
        with self._reading() as ledger:
            return ledger.all_heads()

    def __len__(self) -> int:
        with self._reading() as ledger:
            return ledger.count(Query(kind=Kind.DECISION))

    # Retention -----------------------------------------------------------------------------------

    def prune(self, before: float) -> int:
        """
        Delete the oldest records, up to a time; the chains say so, and still verify.

        Args:
            before: Seconds since the epoch; a record as old as that is kept.

        Returns:
            How many records were deleted.
        """
        with self._reading() as ledger:
            ended = ledger.last_before(before)
            vouched = {
                writer: chain
                for row in ledger.rows(Query(kind=Kind.PRUNED))
                for writer, chain in row.body()["chains"].items()
            }
            if not ended:
                return 0
            vouched |= {head.writer: {"seq": head.seq, "digest": head.digest} for head in ended}
            body = canonical({"before": before, "chains": vouched})
            self._writer.put(Entry(Kind.PRUNED, time(), body))
            if not self.flush():
                raise StoreError(f"the log cannot be pruned: {self.status.error}")
            return ledger.delete(ended)

    # Inside --------------------------------------------------------------------------------------

    @contextmanager
    def snapshot(self) -> Iterator[Ledger]:
        """
        Give a connection on which one moment is seen, whatever is written meanwhile.

        Raises:
            StoreError: The database cannot be read.
        """
        with self._reading() as ledger, ledger.snapshot():
            yield ledger

    @contextmanager
    def _reading(self) -> Iterator[Ledger]:
        """A connection of its own, on which everything appended so far is seen."""
        if not self._writer.closed:
            self.flush()
        ledger = self._connected(reads=True)
        try:
            yield ledger
        except ledger.errors as error:
            line = escaped(" ".join(str(error).split()), limit=300)
            raise StoreError(f"cannot read {self!r}: {line}") from None
        finally:
            ledger.close()

    def _write(self, entries: list[Entry]) -> None:
        """Write a batch, on the writer's thread; what is written is taken off its front."""
        if self._process != os.getpid():
            self._leave()
        if self._ledger is None:
            self._ledger = self._connected()
        try:
            try:
                self._commit(entries, self._ledger)
                entries.clear()
            except self._ledger.refusals:
                self._write_each(entries, self._ledger)
        except Exception:
            ledger, self._ledger, self._doubts = self._ledger, None, True
            ledger.close()
            raise

    def _write_each(self, entries: list[Entry], ledger: Ledger) -> None:
        """Write a batch in which one record is refused: that one leaves a gap."""
        while entries:
            try:
                self._commit(entries[:1], ledger)
            except ledger.refusals as error:
                entries[0] = self._writer.lost(entries[0].at, told(error))
                self._commit(entries[:1], ledger)
            del entries[0]

    def _commit(self, entries: Sequence[Entry], ledger: Ledger) -> None:
        """Write a batch, unless its commit went through though the answer got lost."""
        rows, head = chained(entries, self._head, self._seal)
        if not (self._doubts and ledger.head(head.writer) == head):
            try:
                ledger.write(rows, head)
            except ledger.refusals:  # a commit that was still under way when its answer got lost
                if ledger.head(head.writer) != head:
                    raise
        self._head, self._doubts = head, False

    def _leave(self) -> None:
        """After a fork the connection is the parent's: closing it would drop the parent's locks."""
        if self._ledger is not None:
            self._left.append(self._ledger)
        self._ledger = None
        self._begin()


def _entry(item: Item) -> Entry:
    if isinstance(item, Decision):
        return decision_entry(item)
    return label_entry(item) if isinstance(item, Label) else item
