"""What the stores that outlive a process do alike: buffer, seal, write, and find again."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from time import time
from typing import Any
from uuid import uuid4

from abs_shield.core import Decision
from abs_shield.core.canonical import canonical
from abs_shield.core.label import Label
from abs_shield.errors import StoreError
from abs_shield.stores.ledger import Ledger, Query
from abs_shield.stores.reading import Reading
from abs_shield.stores.record import (
    Damaged,
    Entry,
    Head,
    Kind,
    Score,
    Seal,
    chained,
    decision_entry,
    label_entry,
    report_entry,
    score_entry,
)
from abs_shield.stores.retention import planned
from abs_shield.stores.status import Status
from abs_shield.stores.writer import Writer
from abs_shield.text.show import escaped, told

MOST_WAITING = 10_000
"""Decisions that wait at most while the database cannot be written."""
_WAITS_S = 5.0

Item = Decision | Label | Entry


class DurableStore(Reading):
    """
    A store with a database behind it.

    Args:
        key: Seals the records with HMAC-SHA-256 where given.
        most: Decisions that wait at most, 1 or more.
        existing: Whether there has to be a log already.

    Raises:
        StoreError: The database cannot be used, or *most* or *key* is out of range.
    """

    append: Callable[[Decision], bool]
    """Puts a decision into the buffer; full, the decision is dropped and counted."""

    def __init__(self, *, key: bytes | None, most: int, existing: bool) -> None:
        if most < 1:
            raise StoreError(f"{type(self).__name__} got most={most}; it is 1 or more")
        if key is not None and not key:
            raise StoreError(f"{type(self).__name__} got an empty `key`; give bytes, or None")
        self._seal = Seal(key)
        self._left: list[Ledger] = []
        self._doubts = False
        self._begin()
        with self._at_work():
            self._ledger: Ledger | None = self._connected(reads=existing)
            if existing:
                self.part()
        self._writer: Writer[Item] = Writer(_entry, self._write, most=most)
        self.append = self._writer.put

    def _begin(self) -> None:
        """A new chain, which belongs to this process alone."""
        self._process = os.getpid()
        self._head = Head(uuid4().hex)

    @abstractmethod
    def _connected(self, *, reads: bool = False) -> Ledger:
        """Open one connection; an old schema is brought up to date."""

    def _at_work(self) -> AbstractContextManager[Any]:
        """Stand around every use of the database."""
        return nullcontext()

    @property
    @abstractmethod
    def name(self) -> str:
        """Where the log is, without a password."""

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
        self._keep(label, "the label could not be written")

    def append_report(self, decision: Decision, report: Mapping[str, Any]) -> bool:
        """
        Keep the report on an answer beside its decision; it waits in the same buffer.

        Returns:
            False where it was dropped.
        """
        return self._writer.put(report_entry(decision, report))

    def append_score(
        self, *, at: float, agent: str, task_type: str, model: str, score: float
    ) -> bool:
        """
        Keep the quality score of an output; it waits in the same buffer.

        Args:
            at: When it was scored, in seconds since the epoch.
            agent: The agent that wrote the output; empty where nobody is named.
            task_type: What the output is.
            model: The model that wrote it; empty where none is named.
            score: From 0 to 100.

        Returns:
            False where it was dropped.
        """
        return self._writer.put(score_entry(Score(at, agent, task_type, model, score)))

    def _keep(self, item: Item, failed: str) -> None:
        """Put what has to be on disk before anything else is done; a drop is no keeping."""
        dropped, head = self.status.dropped, self._head
        self._writer.put(item)
        if self.flush() and (self.status.dropped == dropped or self._is_kept(_entry(item), head)):
            return
        why = "the log is closed" if self._writer.closed else self.status.error
        raise StoreError(f"{failed}: {why or 'records were dropped meanwhile'}")

    def _is_kept(self, entry: Entry, behind: Head) -> bool:
        """Whether an entry stands in the log, behind a head: what was dropped may be another's."""
        with self._reading() as ledger:
            query = Query(
                kind=entry.kind, writer=self._head.writer, decision_id=entry.decision_id or None
            )
            return any(
                canonical(row.opened()["body"]) == entry.body
                for row in ledger.rows(query)
                if row.seq > behind.seq or row.writer != behind.writer
            )

    def flush(self, timeout_s: float = _WAITS_S) -> bool:
        """Wait until everything appended so far is on disk; False where it takes longer."""
        return self._writer.flush(timeout_s)

    def close(self, timeout_s: float = _WAITS_S) -> bool:
        """Write what waits and let go; False where anything was ever lost."""
        whole = self._writer.close(timeout_s)
        if self._writer.ended:
            with self._at_work():
                self.part()
        return whole

    def part(self) -> None:
        """Let go of the connection that writes; it is opened again when it is needed."""
        if self._process != os.getpid():
            self._leave()
        ledger, self._ledger = self._ledger, None
        if ledger is not None:
            with suppress(*ledger.errors):
                ledger.close()

    # Counting ------------------------------------------------------------------------------------

    def count_uncounted(self) -> Iterator[int]:
        """
        Count the decisions that an older version wrote, some thousand in a transaction.

        Yields:
            How many were counted in each transaction.

        Raises:
            StoreError: The database cannot be read or written.
        """
        while True:
            with self._reading() as ledger:
                counted = ledger.counts.count_some()
            if not counted:
                return
            yield counted

    # Retention -----------------------------------------------------------------------------------

    def prune(self, before: float) -> int:
        """
        Delete the oldest records, up to a time; the chains say so, and still verify.

        Every record is verified before it goes. A chain loses its first records, up to one that
        is younger; a record from the future goes where an old one stands behind it.

        Args:
            before: Seconds since the epoch; a record as old as that is kept.

        Returns:
            How many records were deleted.

        Raises:
            StoreError: A chain keeps its records, as one that should go is not as it was written
                (the other chains are pruned), or the database cannot be used.
        """
        now = time()
        with self._reading() as ledger:
            plan = planned(ledger, self._seal, before=before, now=now)
        deleted = 0
        if plan.ends:
            body = canonical({"at": now, "before": before, "chains": plan.chains})
            self._keep(Entry(Kind.PRUNED, now, body), "the log cannot be pruned")
            deleted = sum(self._deleted(end) for end in plan.ends)
        if plan.refused:
            raise StoreError(
                "chains that are not as they were written keep their records:"
                f" {len(plan.refused)}; deleted of others: {deleted}; run `abs-shield log verify`;"
                f" {escaped(str(plan.refused[0]), limit=300)}"
            )
        return deleted

    def _deleted(self, end: Head) -> int:
        """Delete a chain's records up to one, some thousand at a time; give how many."""
        total = 0
        while True:
            with self._reading() as ledger:
                deleted = ledger.delete(end)
            total += deleted
            if not deleted:
                return total

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
        with self._at_work():
            ledger = self._connected(reads=True)
            try:
                yield ledger
            except ledger.errors as error:
                line = escaped(" ".join(str(error).split()), limit=300)
                kind = Damaged if ledger.is_damage(error) else StoreError
                raise kind(f"cannot read {self!r}: {line}") from None
            finally:
                ledger.close()

    def _write(self, entries: list[Entry]) -> None:
        """Write a batch, on the writer's thread; what is written is taken off its front."""
        with self._at_work():
            self._write_now(entries)

    def _write_now(self, entries: list[Entry]) -> None:
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
        patterns = [entry.pattern for entry in entries]
        if not (self._doubts and ledger.head(head.writer) == head):
            try:
                ledger.write(rows, head, patterns)
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
