"""The records of a decision log that were not harvested yet, each exactly once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from abs_shield.core import Decision
from abs_shield.core.label import Label
from abs_shield.stores.durable import DurableStore
from abs_shield.stores.ledger import Query
from abs_shield.stores.record_bodies import parse_decision, parse_label, parse_report
from abs_shield.stores.sealed_record import Damaged, RecordKind, SealedRow


class Report(NamedTuple):
    """The report on an answer, as the log kept it."""

    decision_id: str
    body: Mapping[str, Any]


Item = Decision | Label | Report | Damaged | None
"""The content of a record; None where the flywheel does not use it."""


class Record(NamedTuple):
    """
    One record of a log.

    Attributes:
        writer: The chain it belongs to.
        seq: Its place in the chain, from 1.
        item: Its content.
    """

    writer: str
    seq: int
    item: Item


class NewRecords:
    """
    The records that a log has beyond those that are known.

    The database's own order tells where to go on. In PostgreSQL a record may be committed after
    one that follows it, so the numbers within each chain tell what is missing, and that is read
    by chain.

    Args:
        log: The log.
        behind: The place in the database up to which it was read before; 0 for a new one.
        chains: The number of the last known record of each chain.

    Attributes:
        count: How many records are new.
        place: The place in the database up to which these are read.
        unreadable: The parts of a damaged database that cannot be read, once all are read.
    """

    def __init__(self, log: DurableStore, *, behind: int, chains: Mapping[str, int]) -> None:
        self._log, self._behind = log, behind
        self._seqs = dict(chains)
        self._heads = {head.writer: head.seq for head in log.heads()}
        self._damaged = False
        self.unreadable: list[Damaged] = []
        self.count = sum(max(0, seq - chains.get(w, 0)) for w, seq in self._heads.items())
        self.place = behind
        if self.count:
            with log.snapshot() as ledger:
                self.place = ledger.last_place()

    def __iter__(self) -> Iterator[Record]:
        if not self.count:
            return
        for row in self._rows():
            yield from self._in_order(row)
        for writer, seq in self._heads.items():
            if seq > self._seqs.get(writer, 0) and not self._damaged:
                yield from self._of_chain(writer, before=seq + 1)
                # what is not there was pruned; the next harvest need not look for it
                yield Record(writer, seq, None)

    def _rows(self) -> Iterator[SealedRow]:
        """Yield the rows behind the place; around what is damaged, all that can be read."""
        try:
            yield from self._log.rows(Query(after=self._behind))
        except Damaged:
            self._damaged = True
        if self._damaged:
            yield from self._log.rows(Query(), skipped=self.unreadable.append)

    def _in_order(self, row: SealedRow) -> Iterator[Record]:
        last = self._seqs.get(row.writer, 0)
        if not isinstance(row.seq, int) or row.seq <= last:
            return
        if row.seq > last + 1 and self._behind and not self._damaged:
            yield from self._of_chain(row.writer, before=row.seq)
        self._seqs[row.writer] = row.seq
        yield _record(row)

    def _of_chain(self, writer: str, *, before: int) -> Iterator[Record]:
        last = self._seqs.get(writer, 0)
        for row in self._log.rows(Query(writer=writer)):
            if last < row.seq < before:
                yield _record(row)


def _report(body: dict[str, Any]) -> Report:
    return Report(*parse_report(body))


_READERS: dict[str, Callable[[dict[str, Any]], Item]] = {
    RecordKind.DECISION.value: parse_decision,
    RecordKind.LABEL.value: parse_label,
    RecordKind.REPORT.value: _report,
}


def _record(row: SealedRow) -> Record:
    read = _READERS.get(row.kind)
    try:
        return Record(row.writer, row.seq, None if read is None else row.read(read))
    except Damaged as error:
        return Record(row.writer, row.seq, error)
