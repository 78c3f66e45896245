"""Harvest of a decision log: each finding becomes a catch in the flywheel's file."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from os import PathLike

from abs_shield.core import Decision
from abs_shield.core.label import Label, Truth
from abs_shield.errors import StoreError
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.catch_conversion import (
    LONGEST_NAME,
    catch_of_miss,
    catches_of,
    claims_of,
    timestamp_of,
    with_claims,
)
from abs_shield.flywheel.flywheel_database import database
from abs_shield.flywheel.harvest_tables import Book, Tally
from abs_shield.flywheel.new_records import AnswerReport, NewRecords, Record
from abs_shield.shield.guarded_output import BACKGROUND_NOTE
from abs_shield.stores import MemoryStore, Store
from abs_shield.stores.durable_store import DurableStore
from abs_shield.stores.sealed_record import Damaged
from abs_shield.text.safe_display import escaped

Progress = Callable[[int, int | None], None]
"""A callback for the number of records read, and the total if it is known."""
_CHUNK = 2_000
"""Records per transaction: an interrupted harvest resumes after the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """
    The result of one harvest.

    Attributes:
        decisions: New decisions.
        catches: New catches.
        labels: New labels; each changed the catches of its decision.
        damaged: Records that cannot be read.
        first_damage: The error of the first of them; empty if none is damaged.
    """

    decisions: int = 0
    catches: int = 0
    labels: int = 0
    damaged: int = 0
    first_damage: str = ""

    def __add__(self, other: Harvest) -> Harvest:
        return Harvest(
            decisions=self.decisions + other.decisions,
            catches=self.catches + other.catches,
            labels=self.labels + other.labels,
            damaged=self.damaged + other.damaged,
            first_damage=self.first_damage or other.first_damage,
        )


def harvest(
    store: Store, book: str | PathLike[str], *, progress: Progress | None = None
) -> Harvest:
    """
    Add the new decisions and labels of a log to the flywheel's file.

    Every finding of calls, results, answers and outputs becomes a `Catch`. A label updates the
    catches of its decision, even later; ``hallucinated`` on a decision without findings creates
    one. A second harvest of the same log adds nothing.

    Args:
        store: The log: SQLite, PostgreSQL, or any `Store`.
        book: The flywheel's file; it is created if missing.
        progress: Called after each chunk of records.

    Returns:
        The numbers of new decisions, catches and labels.

    Raises:
        StoreError: The log or the file cannot be used.
    """
    if isinstance(store, DurableStore):
        return _from_database(store, book, progress)
    return _from_store(store, book, progress)


def _from_database(
    store: DurableStore, book: str | PathLike[str], progress: Progress | None
) -> Harvest:
    # a hash, because an address may be private and the file may be passed on
    log = hashlib.sha256(repr(store).encode(errors="replace")).hexdigest()[:16]
    with database(book, create=True) as connection:
        before = Book(connection)
        behind, chains = before.progress(log).get("place", 0), before.chains()
    records = NewRecords(store, behind=behind, chains=chains)
    del chains  # one entry for each process that ever wrote: many in an old log
    total, read = Harvest(), 0
    for chunk in _chunks(records):
        with database(book) as connection:
            total += _HarvestWriter(Book(connection), store).write_new(chunk)
        read += len(chunk)
        if progress is not None:
            progress(read, records.count)
    if damaged := records.unreadable:
        total += Harvest(damaged=len(damaged), first_damage=str(damaged[0]))
    if records.count:
        with database(book) as connection:
            Book(connection).save_progress(log, {"place": records.place})
    return total


def _from_store(store: Store, book: str | PathLike[str], progress: Progress | None) -> Harvest:
    """Harvest a log without record numbers, from the last harvested decision on."""
    kind = f"{type(store).__module__}.{type(store).__qualname__}"
    log = f"{kind} {store.id}" if isinstance(store, MemoryStore) else kind
    with database(book, create=True) as connection:
        last = Book(connection).progress(log).get("last")
    read, total = 0, Harvest()
    start = _place_after(store, last)
    for chunk in _chunks(_drop_numbers(store, start)):
        with database(book) as connection:
            total += _HarvestWriter(Book(connection), store).write(chunk)
            decisions = [one.item.id for one in chunk if isinstance(one.item, Decision)]
            if decisions:
                Book(connection).save_progress(log, {"last": escaped(decisions[-1])})
        read += len(chunk)
        if progress is not None:
            progress(read, None)
    return total


def _place_after(store: Store, last: str | None) -> int:
    """Return the place after the last harvested decision; 0 if it no longer exists."""
    if last is None:
        return 0
    places = (n for n, one in enumerate(store.scan(), 1) if escaped(one.id) == last)
    # the last place, because a host may use an id twice
    return max(places, default=0)


def _drop_numbers(store: Store, start: int) -> Iterator[Record]:
    for decision in islice(store.scan(), start, None):
        yield Record("", 0, decision)
    reports = getattr(store, "reports", None)
    for key, report in reports() if reports is not None else ():
        yield Record("", 0, AnswerReport(key, report))
    for label in store.labels().values():
        yield Record("", 0, label)


def _chunks(records: Iterable[Record]) -> Iterator[list[Record]]:
    left = iter(records)
    while chunk := list(islice(left, _CHUNK)):
        yield chunk


class _HarvestWriter:
    """Writes one chunk of records in one transaction."""

    def __init__(self, book: Book, store: Store) -> None:
        self._book, self._store = book, store

    def write_new(self, records: list[Record]) -> Harvest:
        """Write the records that no concurrent harvest has written; save the chains' progress."""
        seqs = self._book.chains({one.writer for one in records})
        new = []
        for one in records:
            if one.seq > seqs.get(one.writer, 0):
                seqs[one.writer] = one.seq
                new.append(one)
        self._book.save_chains(seqs)
        return self.write(new)

    def write(self, records: list[Record]) -> Harvest:
        """Write records, decisions first because reports and labels refer to them."""
        items = [one.item for one in records]
        decisions = [item for item in items if isinstance(item, Decision)]
        catches = self._decisions(decisions)
        for item in items:
            if isinstance(item, AnswerReport):
                self._report(item)
        labels = 0
        for one in records:
            if isinstance(one.item, Label) and self._book.save_label(one.item, one.writer):
                labels += 1
                catches += self._label(one.item)
        damage = [str(item) for item in items if isinstance(item, Damaged)]
        return Harvest(
            decisions=len(decisions), catches=catches, labels=labels, damaged=len(damage),
            first_damage=damage[0] if damage else "",
        )  # fmt: skip

    def _decisions(self, decisions: list[Decision]) -> int:
        """Count the decisions and write their catches; return the number of new ones."""
        tally: Tally = Counter()
        for one in decisions:
            if BACKGROUND_NOTE not in one.notes:  # its output was counted when it was sent
                tool = escaped(one.tool, limit=LONGEST_NAME)
                tally[one.subject.value, tool, timestamp_of(one.at)[:10]] += 1
        self._book.count(tally)
        keys = {one.id: escaped(one.id, limit=LONGEST_NAME) for one in decisions}
        labels = self._book.labels(keys.values())
        catches_by_decision: dict[str, list[Catch]] = {}
        for one in decisions:
            label, _ = labels.get(keys[one.id], ("", ""))
            if catches := catches_of(one, label):
                catches_by_decision[keys[one.id]] = catches
        return self._book.replace(
            (c for some in catches_by_decision.values() for c in some), catches_by_decision
        )

    def _report(self, report: AnswerReport) -> None:
        claims = claims_of(report.body)
        if claims:
            before = self._book.catches(escaped(report.decision_id, limit=LONGEST_NAME))
            after = [with_claims(catch, claims) for catch in before]
            if after != before:
                self._book.write(after)

    def _label(self, label: Label) -> int:
        """Apply a label to the catches of its decision; return the number of new catches."""
        key = escaped(label.decision_id, limit=LONGEST_NAME)
        if self._book.relabel(key, label.truth.value) or label.truth is Truth.OK:
            return 0
        try:
            decision = self._store.get(label.decision_id)
        except StoreError:
            return 0
        # its findings are catches already, or will be when it is read
        if decision is None or decision.findings:
            return 0
        self._book.write([catch_of_miss(decision, label.note)])
        return 1
