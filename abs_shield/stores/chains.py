"""Whether a decision log is still as it was written: every seal, every link, every end."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from abs_shield.core.decision import SCHEMA_VERSION as DECISIONS
from abs_shield.stores.ledger import Ledger, Placed, Query
from abs_shield.stores.record import (
    SCHEMA_VERSION,
    Head,
    Kind,
    Row,
    Seal,
    column,
    time_of,
    unreadable,
)
from abs_shield.text.show import escaped

if TYPE_CHECKING:
    from abs_shield.stores.durable import DurableStore


class Fault(NamedTuple):
    """
    Something that is not as it was written.

    Attributes:
        writer: The chain.
        seq: The place in it.
        code: ``edited``, ``missing``, ``inserted``, ``reordered``, ``unsealed``, or ``newer`` for
            a record of a version that this one does not know.
        detail: One line that says where and what.
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
    What a verification looked at.

    Attributes:
        chains: How many writers there are.
        records: Records whose seal was computed again.
        dropped: Decisions that the log itself says were lost, by its gap records.
        pruned: Chains whose beginning was deleted by retention, which vouches for the rest.
        faults: How many faults were told.
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
) -> Iterator[Fault]:
    """
    Give each fault of a log, chain by chain, in constant memory.

    Without a key, whoever can write to the database can also compute every digest anew, so that
    only accidents and careless hands are found. With the key no record can be forged. Records that
    are cut off at a chain's end together with its head are found where *heads*, kept from an
    earlier verification in another place, still name them; with the key, also where the head is
    no earlier one of the chain's own.

    Args:
        store: The log.
        key: The key under which it was sealed; None for a log without one.
        heads: Heads of an earlier verification.
        into: Counts what is looked at.
    """
    seen = Verified() if into is None else into
    seal = Seal(key)
    with store.snapshot() as ledger:
        check = Check(seal, vouched(ledger, seal), seen)
        known = {str(head.writer): head for head in ledger.all_heads()}
        with closing(_faults(ledger, check, known, dict(heads or {}))) as faults:
            for fault in faults:
                seen.faults += 1
                yield fault
        if not seen.faults and (gone := _gone(ledger)) is not None:
            seen.faults += 1
            yield gone


def _faults(
    ledger: Ledger, check: Check, known: dict[str, Head], earlier: dict[str, Head]
) -> Generator[Fault, None, None]:
    with closing(ledger.placed(Query(), order="writer, seq")) as placed:
        for writer, rows in groupby(placed, key=_writer):
            yield from check.chain(writer, rows, known.pop(writer, None), earlier.pop(writer, None))
    for writer, head in known.items():
        yield from check.chain(writer, iter(()), head, earlier.pop(writer, None))
    for head in earlier.values():
        yield Fault(head.writer, head.seq, "missing", "the whole chain is gone")


def _gone(ledger: Ledger) -> Fault | None:
    """Return the fault that the newest places hold nothing, though records stood there."""
    last, counted = ledger.last_place(), ledger.counted()
    if last >= counted:
        return None
    gone = f"the database counted {counted:,} records, and the newest there is has place {last:,}"
    return Fault("", 0, "missing", gone)


def _writer(placed: Placed) -> str:
    return str(placed.row.writer)


def vouched(ledger: Ledger, seal: Seal) -> dict[str, set[tuple[int, str]]]:
    """Chain to the last deleted records that retention vouches for, under a good seal."""
    known: dict[str, set[tuple[int, str]]] = {}
    for row in ledger.rows(Query(kind=Kind.PRUNED)):
        sealed = _opened(row, seal)
        chains = None if sealed is None or sealed.get("kind") != Kind.PRUNED else _body(sealed)
        chains = None if chains is None else chains.get("chains")
        for writer, last in chains.items() if isinstance(chains, dict) else ():
            if isinstance(last, dict) and isinstance(last.get("seq"), int):
                known.setdefault(writer, set()).add((last["seq"], str(last.get("digest"))))
    return known


class Check:
    """Checks chains, one after the other."""

    def __init__(
        self, seal: Seal, known: Mapping[str, set[tuple[int, str]]], seen: Verified
    ) -> None:
        self._seal = seal
        self._vouched = known
        self._seen = seen

    def chain(
        self, writer: str, rows: Iterator[Placed], head: Head | None, earlier: Head | None
    ) -> Iterator[Fault]:
        """Give the faults of one chain; *earlier* is its head of another time."""
        seen = self._seen
        seen.chains += 1
        last, place, faults = Head(writer), None, seen.faults
        for placed in rows:
            seen.records += 1
            yield from self.record(placed, last, behind=place)
            row = placed.row
            if not _is_sound(row):
                continue
            if earlier is not None and row.seq == earlier.seq and row.digest != earlier.digest:
                yield Fault(writer, row.seq, "edited", "an earlier verification saw another record")
            last, place = Head(writer, row.seq, row.digest), placed.place
        if head is not None and not (isinstance(head.seq, int) and isinstance(head.digest, str)):
            yield Fault(writer, last.seq, "edited", "the chain's head holds what no writer writes")
            head = last
        seen.heads[writer] = head or last
        yield from self._end(last, head, earlier, empty=place is None)
        if head is not None and seen.faults == faults and not self._is_own(head):
            yield Fault(writer, head.seq, "unsealed", "the chain's head is sealed without the key")

    def _is_own(self, head: Head) -> bool:
        """Return whether a head is sealed with the key, where there is one."""
        sealed = self._seal.head(head.writer, head.seq, head.digest)
        return not self._seal.keyed or sealed == head

    def record(self, placed: Placed, last: Head, *, behind: int | None) -> list[Fault]:
        """
        Give the faults of one record; whatever stands in it, reading it raises nothing.

        Args:
            placed: The record.
            last: The record before it in its chain.
            behind: The place of that one; None where this one is the first that is there.
        """
        try:
            return list(self._record(placed, last, behind=behind))
        except Exception as error:  # anything may stand in a database
            why = escaped(unreadable(error), limit=200)
            return [_fault(placed.row, "edited", f"it cannot be read: {why}")]

    def _record(self, placed: Placed, last: Head, *, behind: int | None) -> Iterator[Fault]:
        row = placed.row
        if not _is_sound(row):
            yield Fault(last.writer, last.seq + 1, "edited", "a column holds what no writer writes")
            return
        sealed = _opened(row, self._seal)
        if sealed is None:
            yield self._unlike(row)
            return
        stands = sealed.get("writer"), sealed.get("seq")
        if stands != (row.writer, row.seq):
            yield _fault(row, "reordered", f"record {stands[1]} of chain {stands[0]} stands here")
            return
        if behind is not None and placed.place <= behind:
            yield _fault(row, "reordered", "its place is before that of the record it follows")
        if (changed := _columns(row, sealed)) is not None:
            yield _fault(row, "edited", changed)
        if (newer := _newer(sealed)) is not None:
            yield _fault(row, "newer", newer)
        if row.kind == Kind.GAP and isinstance(dropped := _body(sealed).get("dropped"), int):
            self._seen.dropped += dropped
        yield from self._link(row, sealed.get("previous"), last, begins=behind is None)

    def _link(self, row: Row, previous: Any, last: Head, *, begins: bool) -> Iterator[Fault]:
        if begins and row.seq > 1:
            if self._may_begin(row, previous):
                self._seen.pruned += 1
            else:
                yield _fault(row, "missing", f"records 1 to {row.seq - 1} before it are gone")
        elif row.seq > last.seq + 1:
            gone = f"records {last.seq + 1} to {row.seq - 1} before it are gone"
            yield _fault(row, "missing", gone)
        elif previous != last.digest:
            yield _fault(row, "inserted", "it does not follow the record before it")

    def _may_begin(self, row: Row, previous: Any) -> bool:
        """Whether retention vouches for all before it, also one that was interrupted."""
        ends = self._vouched.get(row.writer, set())
        return (row.seq - 1, previous) in ends or any(row.seq <= seq for seq, _ in ends)

    def _unlike(self, row: Row) -> Fault:
        if self._seal.keyed and _opened(row, Seal()) is not None:
            return _fault(row, "unsealed", "it is sealed without the key")
        hint = "" if self._seal.keyed else ", or it needs a key,"
        return _fault(row, "edited", f"its digest is another{hint} {_named(row)}")

    def _end(
        self, last: Head, head: Head | None, earlier: Head | None, *, empty: bool
    ) -> Iterator[Fault]:
        writer = last.writer
        ends = self._vouched.get(writer, set())
        if head is None:
            yield Fault(writer, last.seq, "missing", "the chain's head is gone")
        elif head.seq > last.seq and (head.seq, head.digest) not in ends:
            gone = f"records {last.seq + 1} to {head.seq} at the end are gone"
            yield Fault(writer, last.seq + 1, "missing", gone)
        elif head.seq < last.seq:
            yield Fault(writer, head.seq + 1, "inserted", "it stands behind the chain's head")
        elif not empty and head.digest != last.digest:
            yield Fault(writer, last.seq, "edited", "the chain's head is another")
        newest = last if head is None else head
        if earlier is not None and newest.seq < earlier.seq:
            gone = f"an earlier verification saw {earlier.seq} records, there are {newest.seq}"
            yield Fault(writer, newest.seq + 1, "missing", gone)


def _is_sound(row: Row) -> bool:
    """Whether the columns have their types: SQLite keeps whatever is put into one."""
    texts = (row.writer, row.kind, row.digest, row.sealed)
    return type(row.seq) is int and all(isinstance(text, str) for text in texts)


def _opened(row: Row, seal: Seal) -> Mapping[str, Any] | None:
    """Give what was sealed, where the seal is good; only then is it read."""
    if not _is_sound(row) or seal(row.sealed) != row.digest:
        return None
    try:
        sealed = row.opened()
    except (ValueError, RecursionError):
        return None
    return sealed if isinstance(sealed, dict) else None


def _body(sealed: Mapping[str, Any] | None) -> Mapping[str, Any]:
    body = None if sealed is None else sealed.get("body")
    return body if isinstance(body, dict) else {}


def _columns(row: Row, sealed: Mapping[str, Any]) -> str | None:
    """Say which column does not repeat what was sealed; None where all do."""
    body = sealed.get("body")
    if sealed.get("kind") != row.kind or not isinstance(body, dict):
        return "the column `kind` is not what was sealed"
    wanted: dict[str, Any] = {}
    if row.kind == Kind.DECISION:
        wanted = {name: body.get(name) for name in ("session_id", "tool", "verdict")}
        wanted["decision_id"] = body.get("id")
    elif row.kind == Kind.LABEL:
        wanted = {"decision_id": body.get("decision_id")}
    elif row.kind == Kind.REPORT:
        wanted = {name: body.get(name) for name in ("decision_id", "session_id")}
    if row.kind != Kind.PRUNED or "at" in body:
        wanted["at"] = time_of(row.kind, body)
    for name, value in wanted.items():
        said = column(value) if isinstance(value, str) else value
        if getattr(row, name) != said:
            return f"the column `{name}` is not what was sealed"
    return None


def _newer(sealed: Mapping[str, Any]) -> str | None:
    """Say which version wrote it; None where this one knows it."""
    versions = [(sealed.get("schema_version"), SCHEMA_VERSION)]
    if sealed.get("kind") == Kind.DECISION:
        versions.append((_body(sealed).get("schema_version"), DECISIONS))
    for found, known in versions:
        if type(found) is not int or not 0 < found <= known:
            return f"it has schema_version {json.dumps(found)[:40]}, this abs-shield knows {known}"
    return None


def _named(row: Row) -> str:
    return f"(decision {json.dumps(row.decision_id)})" if row.decision_id else f"({row.kind})"


def _fault(row: Row, code: str, detail: str) -> Fault:
    return Fault(row.writer, row.seq, code, detail)
