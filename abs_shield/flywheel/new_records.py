"""The records of a decision log that are not harvested yet, each exactly once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from abs_shield.core import Decision
from abs_shield.core.label import Label
from abs_shield.stores.durable_store import DurableStore
from abs_shield.stores.log_tables import Query
from abs_shield.stores.record_bodies import parse_decision, parse_label, parse_report
from abs_shield.stores.sealed_record import Damaged, RecordKind, SealedRow


class AnswerReport(NamedTuple):
    """The report on an answer, as the log has it."""

    decision_id: str
    body: Mapping[str, Any]


Item = Decision | Label | AnswerReport | Damaged | None
"""The content of a record; None if the flywheel does not use it."""


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
    The new records of a log since the last harvest.

    Reading resumes at a place in the database's order. In PostgreSQL a record may be committed
    after one with a higher place, so missing numbers within a chain are read by chain.

    Args:
        log: The log.
        behind: The place in the database up to which it was read; 0 for a new log.
        chains: The number of the last harvested record of each chain.

    Attributes:
        count: Number of new records.
        place: The place in the database up to which these are read.
        unreadable: The unreadable parts of a damaged database, complete after the iteration.
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
                # missing records were pruned; the next harvest need not look for them
                yield Record(writer, seq, None)

    def _rows(self) -> Iterator[SealedRow]:
        """Yield the rows after the place; in a damaged database, all readable rows."""
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
        # a first harvest reads everything in any case; in a damaged log a missing record is lost
        if row.seq > last + 1 and self._behind and not self._damaged:
            yield from self._of_chain(row.writer, before=row.seq)
        self._seqs[row.writer] = row.seq
        yield _record(row)

    def _of_chain(self, writer: str, *, before: int) -> Iterator[Record]:
        last = self._seqs.get(writer, 0)
        for row in self._log.rows(Query(writer=writer)):
            if last < row.seq < before:
                yield _record(row)


def _report(body: dict[str, Any]) -> AnswerReport:
    return AnswerReport(*parse_report(body))


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
