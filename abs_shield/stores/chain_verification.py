"""Verification of a decision log's hash chains: seals, links and heads."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from abs_shield.core.decision import SCHEMA_VERSION as DECISIONS
from abs_shield.stores.log_tables import Ledger, PositionedRow, Query
from abs_shield.stores.sealed_record import (
    SCHEMA_VERSION,
    Head,
    RecordKind,
    Seal,
    SealedRow,
    column_text,
    read_failure,
    sealed_time,
)
from abs_shield.text.safe_display import escaped

if TYPE_CHECKING:
    from abs_shield.stores.durable_store import DurableStore


class ChainFault(NamedTuple):
    """
    A difference between the log and what was written to it.

    Attributes:
        writer: The chain.
        seq: The record's number in the chain.
        code: ``edited``, ``missing``, ``inserted``, ``reordered``, ``unsealed``, or ``newer`` for
            a record of a later version of abs-shield.
        detail: One line that describes the difference.
    """

    writer: str
    seq: int
    code: str
    detail: str

    def __str__(self) -> str:
        return f"chain {self.writer} record {self.seq}: {self.code}: {self.detail}"


@dataclass(slots=True)
class Verified:
    """
    The counts of a verification.

    Attributes:
        chains: Chains in the log; each writer has its own.
        records: Records whose seal was recomputed.
        dropped: Lost decisions, by the gap records of the log.
        pruned: Chains whose beginning was deleted by a recorded pruning.
        faults: Faults found.
        heads: The head of each chain, by writer.
    """

    chains: int = 0
    records: int = 0
    dropped: int = 0
    pruned: int = 0
    faults: int = 0
    heads: dict[str, Head] = field(default_factory=dict)


def verify(
    store: DurableStore,
    *,
    key: bytes | None = None,
    heads: Mapping[str, Head] | None = None,
    into: Verified | None = None,
) -> Iterator[ChainFault]:
    """
    Yield the faults of a log, chain by chain, in constant memory.

    Without a key, anyone who can write to the database can also recompute every digest, so only
    accidental and careless changes are detected. With the key, no record can be forged. A chain
    that was truncated together with its head is detected if *heads* of an earlier verification,
    stored elsewhere, still list the missing records; with the key, also if the head is not an
    earlier head of the same chain.

    Args:
        store: The log.
        key: The key that sealed the log; None for a log without one.
        heads: The heads of an earlier verification.
        into: Receives the counts.
    """
    verified = Verified() if into is None else into
    seal = Seal(key)
    with store.snapshot() as ledger:
        check = ChainCheck(seal, pruned_ends(ledger, seal), verified)
        current_heads = {str(head.writer): head for head in ledger.all_heads()}
        with closing(_find_faults(ledger, check, current_heads, dict(heads or {}))) as faults:
            for fault in faults:
                verified.faults += 1
                yield fault
        # only in a log without faults: they explain the missing records better
        if not verified.faults and (missing := _missing_newest(ledger)) is not None:
            verified.faults += 1
            yield missing


def _find_faults(
    ledger: Ledger, check: ChainCheck, heads: dict[str, Head], earlier: dict[str, Head]
) -> Generator[ChainFault, None, None]:
    with closing(ledger.positioned_rows(Query(), order="writer, seq")) as positioned:
        for writer, rows in groupby(positioned, key=_writer_of):
            yield from check.check_chain(
                writer, rows, heads.pop(writer, None), earlier.pop(writer, None)
            )
    # chains with a head and no record
    for writer, head in heads.items():
        yield from check.check_chain(writer, iter(()), head, earlier.pop(writer, None))
    # chains that an earlier verification read and that have neither now
    for head in earlier.values():
        yield ChainFault(head.writer, head.seq, "missing", "the whole chain is gone")


def _missing_newest(ledger: Ledger) -> ChainFault | None:
    """Return a fault if the newest records, by the database's own counter, are missing."""
    last, counted = ledger.last_place(), ledger.last_assigned_place()
    if last >= counted:
        return None
    gone = f"the database counted {counted:,} records, and the newest record has place {last:,}"
    return ChainFault("", 0, "missing", gone)


def _writer_of(positioned: PositionedRow) -> str:
    return str(positioned.row.writer)


def pruned_ends(ledger: Ledger, seal: Seal) -> dict[str, set[tuple[int, str]]]:
    """Return the last deleted records of each chain, from validly sealed pruning records."""
    ends: dict[str, set[tuple[int, str]]] = {}
    for row in ledger.rows(Query(kind=RecordKind.PRUNED)):
        sealed = _open_sealed(row, seal)
        chains = (
            None if sealed is None or sealed.get("kind") != RecordKind.PRUNED else _body(sealed)
        )
        chains = None if chains is None else chains.get("chains")
        for writer, last in chains.items() if isinstance(chains, dict) else ():
            if isinstance(last, dict) and isinstance(last.get("seq"), int):
                ends.setdefault(writer, set()).add((last["seq"], str(last.get("digest"))))
    return ends


class ChainCheck:
    """
    Verifies chains, one after the other.

    Args:
        seal: The seal of the log.
        pruned: The last deleted records of each chain; see `pruned_ends`.
        verified: Receives the counts.
    """

    def __init__(
        self, seal: Seal, pruned: Mapping[str, set[tuple[int, str]]], verified: Verified
    ) -> None:
        self._seal = seal
        self._pruned_ends = pruned
        self._verified = verified

    def check_chain(
        self, writer: str, rows: Iterator[PositionedRow], head: Head | None, earlier: Head | None
    ) -> Iterator[ChainFault]:
        """Yield the faults of one chain; *earlier* is its head at an earlier verification."""
        verified = self._verified
        verified.chains += 1
        last, place, faults = Head(writer), None, verified.faults
        for positioned in rows:
            verified.records += 1
            yield from self.check_record(positioned, last, previous_place=place)
            row = positioned.row
            if not _has_valid_types(row):
                continue
            # the chain may have been rewritten and resealed from here on
            if earlier is not None and row.seq == earlier.seq and row.digest != earlier.digest:
                yield ChainFault(
                    writer, row.seq, "edited", "an earlier verification read another record here"
                )
            last, place = Head(writer, row.seq, row.digest), positioned.place
        if head is not None and not (isinstance(head.seq, int) and isinstance(head.digest, str)):
            yield ChainFault(
                writer, last.seq, "edited", "the chain's head has a value of the wrong type"
            )
            # the fault is reported; the checks below need a head with valid types
            head = last
        verified.heads[writer] = head or last
        yield from self._check_end(last, head, earlier, empty=place is None)
        # only for a chain without faults, whose head would fail for the same reason
        if head is not None and verified.faults == faults and not self._is_keyed(head):
            yield ChainFault(
                writer, head.seq, "unsealed", "the chain's head is sealed without the key"
            )

    def _is_keyed(self, head: Head) -> bool:
        """Return whether a head is sealed with the key; True if the log has none."""
        sealed = self._seal.head(head.writer, head.seq, head.digest)
        return not self._seal.keyed or sealed == head

    def check_record(
        self, positioned: PositionedRow, last: Head, *, previous_place: int | None
    ) -> list[ChainFault]:
        """
        Return the faults of one record; never raises, whatever the record contains.

        Args:
            placed: The record.
            last: The record before it in its chain.
            previous_place: The place of the record before it; None for the first record.
        """
        try:
            return list(self._check_record(positioned, last, previous_place=previous_place))
        except Exception as error:  # anything may stand in a database
            why = escaped(read_failure(error), limit=200)
            return [_fault(positioned.row, "edited", f"it cannot be read: {why}")]

    def _check_record(
        self, positioned: PositionedRow, last: Head, *, previous_place: int | None
    ) -> Iterator[ChainFault]:
        row = positioned.row
        # nothing after this may read a column of the wrong type
        if not _has_valid_types(row):
            yield ChainFault(
                last.writer, last.seq + 1, "edited", "a column has a value of the wrong type"
            )
            return
        sealed = _open_sealed(row, self._seal)
        if sealed is None:
            yield self._seal_fault(row)
            return
        writer, seq = sealed.get("writer"), sealed.get("seq")
        if (writer, seq) != (row.writer, row.seq):
            yield _fault(row, "reordered", f"record {seq} of chain {writer} is stored here")
            return
        # places increase with every insert, so a smaller one was moved
        if previous_place is not None and positioned.place <= previous_place:
            yield _fault(row, "reordered", "its place is before that of the record it follows")
        if (changed := _changed_column(row, sealed)) is not None:
            yield _fault(row, "edited", changed)
        if (newer := _unsupported_version(sealed)) is not None:
            yield _fault(row, "newer", newer)
        if row.kind == RecordKind.GAP and isinstance(dropped := _body(sealed).get("dropped"), int):
            self._verified.dropped += dropped
        yield from self._check_link(
            row, sealed.get("previous"), last, begins=previous_place is None
        )

    def _check_link(
        self, row: SealedRow, previous: Any, last: Head, *, begins: bool
    ) -> Iterator[ChainFault]:
        if begins and row.seq > 1:
            if self._may_begin(row, previous):
                self._verified.pruned += 1
            else:
                yield _fault(row, "missing", f"records 1 to {row.seq - 1} before it are gone")
        elif row.seq > last.seq + 1:
            gone = f"records {last.seq + 1} to {row.seq - 1} before it are gone"
            yield _fault(row, "missing", gone)
        elif previous != last.digest:
            yield _fault(row, "inserted", "it does not follow the record before it")

    def _may_begin(self, row: SealedRow, previous: Any) -> bool:
        """Return whether a pruning record, even of an interrupted one, covers earlier records."""
        ends = self._pruned_ends.get(row.writer, set())
        # the pruning is recorded before anything is deleted, so a crash may leave part of the
        # records
        return (row.seq - 1, previous) in ends or any(row.seq <= seq for seq, _ in ends)

    def _seal_fault(self, row: SealedRow) -> ChainFault:
        # an unkeyed seal is valid for anyone's text: a different fault from a changed record
        if self._seal.keyed and _open_sealed(row, Seal()) is not None:
            return _fault(row, "unsealed", "it is sealed without the key")
        hint = "" if self._seal.keyed else ", or the log needs a key,"
        return _fault(row, "edited", f"its digest does not match{hint} {_describe_row(row)}")

    def _check_end(
        self, last: Head, head: Head | None, earlier: Head | None, *, empty: bool
    ) -> Iterator[ChainFault]:
        writer = last.writer
        ends = self._pruned_ends.get(writer, set())
        if head is None:
            yield ChainFault(writer, last.seq, "missing", "the chain's head is gone")
        # a chain that was pruned as a whole keeps its head without records
        elif head.seq > last.seq and (head.seq, head.digest) not in ends:
            gone = f"records {last.seq + 1} to {head.seq} at the end are gone"
            yield ChainFault(writer, last.seq + 1, "missing", gone)
        elif head.seq < last.seq:
            yield ChainFault(writer, head.seq + 1, "inserted", "it follows the chain's head")
        elif not empty and head.digest != last.digest:
            yield ChainFault(
                writer, last.seq, "edited", "the chain's head does not match its last record"
            )
        newest = last if head is None else head
        if earlier is not None and newest.seq < earlier.seq:
            gone = f"an earlier verification read {earlier.seq} records, now {newest.seq}"
            yield ChainFault(writer, newest.seq + 1, "missing", gone)


def _has_valid_types(row: SealedRow) -> bool:
    """Return whether the columns have their types: SQLite stores any value in any column."""
    texts = (row.writer, row.kind, row.digest, row.sealed)
    return type(row.seq) is int and all(isinstance(text, str) for text in texts)


def _open_sealed(row: SealedRow, seal: Seal) -> Mapping[str, Any] | None:
    """Return the sealed content if the seal is valid, else None; nothing unsealed is parsed."""
    if not _has_valid_types(row) or seal(row.sealed) != row.digest:
        return None
    try:
        sealed = row.parse_sealed()
    except (ValueError, RecursionError):
        return None
    return sealed if isinstance(sealed, dict) else None


def _body(sealed: Mapping[str, Any] | None) -> Mapping[str, Any]:
    body = None if sealed is None else sealed.get("body")
    return body if isinstance(body, dict) else {}


def _changed_column(row: SealedRow, sealed: Mapping[str, Any]) -> str | None:
    """Return a message about the first column that differs from the sealed content, or None."""
    body = sealed.get("body")
    if sealed.get("kind") != row.kind or not isinstance(body, dict):
        return "the column `kind` differs from the sealed record"
    wanted: dict[str, Any] = {}
    if row.kind == RecordKind.DECISION:
        wanted = {name: body.get(name) for name in ("session_id", "tool", "verdict")}
        wanted["decision_id"] = body.get("id")
    elif row.kind == RecordKind.LABEL:
        wanted = {"decision_id": body.get("decision_id")}
    elif row.kind == RecordKind.REPORT:
        wanted = {name: body.get(name) for name in ("decision_id", "session_id")}
    # the first versions wrote pruning records without a time
    if row.kind != RecordKind.PRUNED or "at" in body:
        wanted["at"] = sealed_time(row.kind, body)
    for name, value in wanted.items():
        expected = column_text(value) if isinstance(value, str) else value
        if getattr(row, name) != expected:
            return f"the column `{name}` differs from the sealed record"
    return None


def _unsupported_version(sealed: Mapping[str, Any]) -> str | None:
    """Return a message if a later version wrote the record, else None."""
    versions = [(sealed.get("schema_version"), SCHEMA_VERSION)]
    if sealed.get("kind") == RecordKind.DECISION:
        versions.append((_body(sealed).get("schema_version"), DECISIONS))
    for version, newest in versions:
        if type(version) is not int or not 0 < version <= newest:
            return (
                f"it has schema_version {json.dumps(version)[:40]},"
                f" this abs-shield supports up to {newest}"
            )
    return None


def _describe_row(row: SealedRow) -> str:
    return f"(decision {json.dumps(row.decision_id)})" if row.decision_id else f"({row.kind})"


def _fault(row: SealedRow, code: str, detail: str) -> ChainFault:
    return ChainFault(row.writer, row.seq, code, detail)
