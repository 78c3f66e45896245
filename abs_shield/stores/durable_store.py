"""The base class of stores with a database: buffering, sealing, writing, pruning."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from time import time
from typing import Any
from uuid import uuid4

from abs_shield.core import Decision
from abs_shield.core.digest import canonical
from abs_shield.core.label import Label
from abs_shield.errors import StoreError
from abs_shield.stores.batch_writer import BatchWriter
from abs_shield.stores.log_reader import LogReader
from abs_shield.stores.log_tables import Ledger, Query
from abs_shield.stores.retention import plan_pruning
from abs_shield.stores.sealed_record import (
    Damaged,
    Head,
    RecordKind,
    ScoreRecord,
    Seal,
    StoreEntry,
    decision_entry,
    label_entry,
    report_entry,
    score_entry,
    seal_entries,
)
from abs_shield.stores.store_status import StoreStatus
from abs_shield.text.safe_display import describe_exception, escaped

MOST_WAITING = 10_000  # some 10 MB: minutes of a database that is down
"""Default limit of decisions that wait while the database cannot be written."""
# a commit takes milliseconds; longer than this, the database is down and waiting does not help
_TIMEOUT_S = 5.0

Item = Decision | Label | StoreEntry


class DurableStore(LogReader):
    """
    A store that writes to a database.

    Args:
        key: Seals the records with HMAC-SHA-256; None seals them with SHA-256.
        most: Maximum number of waiting decisions, 1 or more.
        existing: Whether the log must already exist.

    Raises:
        StoreError: The database cannot be used, or *most* or *key* is out of range.
    """

    append: Callable[[Decision], bool]
    """Put a decision into the buffer; if it is full, the decision is dropped and counted."""

    def __init__(self, *, key: bytes | None, most: int, existing: bool) -> None:
        if most < 1:
            raise StoreError(f"{type(self).__name__} got most={most}; use 1 or more")
        if key is not None and not key:
            raise StoreError(f"{type(self).__name__} got an empty `key`; use bytes, or None")
        self._seal = Seal(key)
        self._abandoned: list[Ledger] = []  # referenced for ever: collecting one would close it
        self._commit_uncertain = False
        self._start_chain()
        with self._guard_use():
            self._ledger: Ledger | None = self._connect(reads=existing)
            if existing:
                self.disconnect()
        self._writer: BatchWriter[Item] = BatchWriter(_entry, self._write, most=most)
        # bound here, to save a call on the path of every tool call
        self.append = self._writer.put

    def _start_chain(self) -> None:
        """Start a new chain, which belongs to this process alone."""
        self._process = os.getpid()
        self._head = Head(uuid4().hex)

    @abstractmethod
    def _connect(self, *, reads: bool = False) -> Ledger:
        """Open a connection; an old schema is migrated."""

    def _guard_use(self) -> AbstractContextManager[Any]:
        """Return a context manager that is active during every use of the database."""
        return nullcontext()

    @property
    @abstractmethod
    def name(self) -> str:
        """The address of the log, without a password."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    # Writing -------------------------------------------------------------------------------------

    @property
    def losing(self) -> bool:
        """True if the next decision would be dropped."""
        return self._writer.losing

    @property
    def status(self) -> StoreStatus:
        """The number of waiting and of lost decisions, and the current write error."""
        return self._writer.status

    def label(self, label: Label) -> None:
        """
        Store an operator's label of a decision.

        Raises:
            StoreError: The log has no such decision, or the label could not be written in time.
        """
        # a label of no decision would be stored and never found again
        if self.get(label.decision_id) is None:
            raise StoreError(f"the log has no decision `{escaped(label.decision_id)}`")
        self._write_and_confirm(label, "the label could not be written")

    def append_report(self, decision: Decision, report: Mapping[str, Any]) -> bool:
        """
        Store the report on an answer together with its decision, through the same buffer.

        Args:
            decision: The decision about the answer.
            report: The report as a dictionary.

        Returns:
            False if it was dropped.
        """
        return self._writer.put(report_entry(decision, report))

    def append_score(
        self, *, at: float, agent: str, task_type: str, model: str, score: float
    ) -> bool:
        """
        Store the quality score of an output, through the same buffer.

        Args:
            at: When it was scored, in seconds since the epoch.
            agent: The agent that wrote the output; empty if unknown.
            task_type: The type of the output.
            model: The model that wrote it; empty if unknown.
            score: From 0 to 100.

        Returns:
            False if it was dropped.
        """
        return self._writer.put(score_entry(ScoreRecord(at, agent, task_type, model, score)))

    def _write_and_confirm(self, item: Item, failed: str) -> None:
        """Write an item and wait until it is on disk; raise StoreError if it was dropped."""
        dropped, head = self.status.dropped, self._head
        self._writer.put(item)
        if self.flush() and (self.status.dropped == dropped or self._is_stored(_entry(item), head)):
            return
        why = "the log is closed" if self._writer.closed else self.status.error
        hint = "; another program writes to the log, try again" if "locked" in why else ""
        raise StoreError(f"{failed}: {why or 'records were dropped meanwhile'}{hint}")

    def _is_stored(self, entry: StoreEntry, head: Head) -> bool:
        """Return whether the log has an entry after a head: another item may have been dropped."""
        with self._read_connection() as ledger:
            query = Query(
                kind=entry.kind, writer=self._head.writer, decision_id=entry.decision_id or None
            )
            return any(
                canonical(row.parse_sealed()["body"]) == entry.body
                for row in ledger.rows(query)
                if row.seq > head.seq or row.writer != head.writer
            )

    def flush(self, timeout_s: float = _TIMEOUT_S) -> bool:
        """Wait until everything appended so far is on disk; return False on timeout."""
        return self._writer.flush(timeout_s)

    def close(self, timeout_s: float = _TIMEOUT_S) -> bool:
        """Write the waiting records and disconnect; return False if any was ever lost."""
        whole = self._writer.close(timeout_s)
        if self._writer.ended:
            with self._guard_use():
                self.disconnect()
        return whole

    def disconnect(self) -> None:
        """Close the writing connection; it is reopened when it is needed."""
        if self._process != os.getpid():
            self._abandon_connection()
        ledger, self._ledger = self._ledger, None
        if ledger is not None:
            # everything is committed already, so a failing close loses nothing
            with suppress(*ledger.errors):
                ledger.close()

    # Counting ------------------------------------------------------------------------------------

    def count_uncounted(self) -> Iterator[int]:
        """
        Count the decisions that an older version wrote, some thousand per transaction.

        Yields:
            The number counted in each transaction.

        Raises:
            StoreError: The database cannot be read or written.
        """
        while True:
            with self._read_connection() as ledger:
                counted = ledger.counts.count_some()
            if not counted:
                return
            yield counted

    # Retention -----------------------------------------------------------------------------------

    def prune(self, before: float) -> int:
        """
        Delete the oldest records; the pruning is recorded, and the chains still verify.

        Every record is verified before it is deleted. Each chain loses its first records, up to
        the first younger one; a record from the future is deleted if an old one follows it.

        Args:
            before: Seconds since the epoch, exclusive.

        Returns:
            The number of deleted records.

        Raises:
            StoreError: A chain was not pruned because one of the records to delete was changed
                (the other chains are pruned), or the database cannot be used.
        """
        now = time()
        with self._read_connection() as ledger:
            plan = plan_pruning(ledger, self._seal, before=before, now=now)
        deleted = 0
        if plan.ends:
            body = canonical({"at": now, "before": before, "chains": plan.chains})
            self._write_and_confirm(
                StoreEntry(RecordKind.PRUNED, now, body), "the log cannot be pruned"
            )
            deleted = sum(self._delete_up_to(end) for end in plan.ends)
        if plan.refused:
            raise StoreError(
                "chains with changed records were not pruned and keep their records:"
                f" {len(plan.refused)}; deleted of others: {deleted};"
                f" run `abs-shield log verify`; {escaped(str(plan.refused[0]), limit=300)}"
            )
        return deleted

    def _delete_up_to(self, end: Head) -> int:
        """Delete a chain's records up to *end*, some thousand at a time; return their number."""
        total = 0
        while True:
            with self._read_connection() as ledger:
                deleted = ledger.delete(end)
            total += deleted
            if not deleted:
                return total

    # Internals -----------------------------------------------------------------------------------

    @contextmanager
    def snapshot(self) -> Iterator[Ledger]:
        """
        Yield a connection that reads a snapshot, unaffected by concurrent writes.

        Raises:
            StoreError: The database cannot be read.
        """
        with self._read_connection() as ledger, ledger.snapshot():
            yield ledger

    @contextmanager
    def _read_connection(self) -> Iterator[Ledger]:
        """Yield a separate connection that reads everything appended so far."""
        # a reader must see what was appended before it asked
        if not self._writer.closed:
            self.flush()
        with self._guard_use():
            ledger = self._connect(reads=True)
            try:
                yield ledger
            except ledger.errors as error:
                line = escaped(" ".join(str(error).split()), limit=300)
                kind = Damaged if ledger.is_damage(error) else StoreError
                raise kind(f"cannot read {self!r}: {line}") from None
            finally:
                ledger.close()

    def _write(self, entries: list[StoreEntry]) -> None:
        """Write a batch, on the writer's thread; written entries are removed from its front."""
        with self._guard_use():
            self._write_now(entries)

    def _write_now(self, entries: list[StoreEntry]) -> None:
        if self._process != os.getpid():
            self._abandon_connection()
        if self._ledger is None:
            self._ledger = self._connect()
        try:
            try:
                self._commit(entries, self._ledger)
                entries.clear()  # only after the commit: what remains in the list is retried
            # one record that the database refuses must not block all that follow
            except self._ledger.refusals:
                self._write_each(entries, self._ledger)
        except Exception:
            # the error does not say whether the commit happened
            ledger, self._ledger, self._commit_uncertain = self._ledger, None, True
            ledger.close()
            raise

    def _write_each(self, entries: list[StoreEntry], ledger: Ledger) -> None:
        """Write a batch that contains a rejected record, which is replaced by a gap."""
        while entries:
            try:
                self._commit(entries[:1], ledger)
            except ledger.refusals as error:
                entries[0] = self._writer.record_loss(entries[0].at, describe_exception(error))
                self._commit(entries[:1], ledger)
            del entries[0]

    def _commit(self, entries: Sequence[StoreEntry], ledger: Ledger) -> None:
        """Write a batch, unless its commit already succeeded and only the reply was lost."""
        rows, head = seal_entries(entries, self._head, self._seal)
        patterns = [entry.pattern for entry in entries]
        if not (self._commit_uncertain and ledger.head(head.writer) == head):
            try:
                ledger.write(rows, head, patterns)
            except ledger.refusals:  # the commit finished after its reply was lost
                if ledger.head(head.writer) != head:
                    raise
        self._head, self._commit_uncertain = head, False

    def _abandon_connection(self) -> None:
        """Drop the parent's connection after a fork: closing it would release its locks."""
        if self._ledger is not None:
            self._abandoned.append(self._ledger)
        self._ledger = None
        self._start_chain()


def _entry(item: Item) -> StoreEntry:
    if isinstance(item, Decision):
        return decision_entry(item)
    return label_entry(item) if isinstance(item, Label) else item
