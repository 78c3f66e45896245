"""Whether a decision log is still as it was written: every seal, every link, every end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from abs_shield.stores.durable import DurableStore
from abs_shield.stores.ledger import Ledger, Query
from abs_shield.stores.record import Head, Kind, Row, Seal, column


class Fault(NamedTuple):
    """
    Something that is not as it was written.

    Attributes:
        writer: The chain.
        seq: The place in it.
        code: ``edited``, ``missing``, ``inserted``, ``reordered`` or ``unsealed``.
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
    earlier verification in another place, still name them.

    Args:
        store: The log.
        key: The key under which it was sealed; None for a log without one.
        heads: Heads of an earlier verification.
        into: Counts what is looked at.
    """
    seen = Verified() if into is None else into
    seal = Seal(key)
    with store.snapshot() as ledger:
        check = _Check(seal, _vouched(ledger, seal), seen)
        known = {str(head.writer): head for head in ledger.all_heads()}
        for fault in _faults(ledger, check, known, dict(heads or {})):
            seen.faults += 1
            yield fault


def _faults(
    ledger: Ledger, check: _Check, known: dict[str, Head], earlier: dict[str, Head]
) -> Iterator[Fault]:
    chains = groupby(ledger.rows(Query(), order="writer, seq"), key=_writer)
    for writer, rows in chains:
        yield from check.chain(writer, rows, known.pop(writer, None), earlier.pop(writer, None))
    for writer, head in known.items():
        yield from check.chain(writer, iter(()), head, earlier.pop(writer, None))
    for head in earlier.values():
        yield Fault(head.writer, head.seq, "missing", "the whole chain is gone")


def _writer(row: Row) -> str:
    return str(row.writer)


def _vouched(ledger: Ledger, seal: Seal) -> dict[str, set[tuple[int, str]]]:
    """Chain to the last deleted records that retention vouches for, under a good seal."""
    vouched: dict[str, set[tuple[int, str]]] = {}
    for row in ledger.rows(Query(kind=Kind.PRUNED)):
        chains = _body(_opened(row, seal)).get("chains")
        for writer, last in chains.items() if isinstance(chains, dict) else ():
            if isinstance(last, dict) and isinstance(last.get("seq"), int):
                vouched.setdefault(writer, set()).add((last["seq"], str(last.get("digest"))))
    return vouched


class _Check:
    """Checks chains, one after the other."""

    def __init__(
        self, seal: Seal, vouched: Mapping[str, set[tuple[int, str]]], seen: Verified
    ) -> None:
        self._seal = seal
        self._vouched = vouched
        self._seen = seen

    def chain(
        self, writer: str, rows: Iterator[Row], head: Head | None, earlier: Head | None
    ) -> Iterator[Fault]:
        """Give the faults of one chain; *earlier* is its head of another time."""
        seen = self._seen
        seen.chains += 1
        last = Head(writer)
        begins = True
        for row in rows:
            seen.records += 1
            if not _is_sound(row):
                yield Fault(writer, last.seq + 1, "edited", "a column holds what no writer writes")
                continue
            yield from self._record(row, last, begins=begins)
            if earlier is not None and row.seq == earlier.seq and row.digest != earlier.digest:
                yield Fault(writer, row.seq, "edited", "an earlier verification saw another record")
            last, begins = Head(writer, row.seq, row.digest), False
        if head is not None and not (isinstance(head.seq, int) and isinstance(head.digest, str)):
            yield Fault(writer, last.seq, "edited", "the chain's head holds what no writer writes")
            head = last
        seen.heads[writer] = head or last
        yield from self._end(last, head, earlier, empty=begins)

    def _record(self, row: Row, last: Head, *, begins: bool) -> Iterator[Fault]:
        sealed = _opened(row, self._seal)
        if sealed is None:
            yield self._unlike(row)
            return
        stands = sealed.get("writer"), sealed.get("seq")
        if stands != (row.writer, row.seq):
            yield _fault(row, "reordered", f"record {stands[1]} of chain {stands[0]} stands here")
            return
        if (told := _columns(row, sealed)) is not None:
            yield _fault(row, "edited", told)
        if row.kind == Kind.GAP and isinstance(dropped := _body(sealed).get("dropped"), int):
            self._seen.dropped += dropped
        previous = sealed.get("previous")
        if begins and row.seq > 1:
            if (row.seq - 1, previous) in self._vouched.get(row.writer, ()):
                self._seen.pruned += 1
            else:
                yield _fault(row, "missing", f"records 1 to {row.seq - 1} before it are gone")
        elif row.seq > last.seq + 1:
            gone = f"records {last.seq + 1} to {row.seq - 1} before it are gone"
            yield _fault(row, "missing", gone)
        elif previous != last.digest:
            yield _fault(row, "inserted", "it does not follow the record before it")

    def _unlike(self, row: Row) -> Fault:
        if self._seal.keyed and _opened(row, Seal()) is not None:
            return _fault(row, "unsealed", "it is sealed without the key")
        hint = "" if self._seal.keyed else ", or it needs a key,"
        return _fault(row, "edited", f"its digest is another{hint} {_named(row)}")

    def _end(
        self, last: Head, head: Head | None, earlier: Head | None, *, empty: bool
    ) -> Iterator[Fault]:
        writer = last.writer
        vouched = self._vouched.get(writer, set())
        if head is None:
            yield Fault(writer, last.seq, "missing", "the chain's head is gone")
        elif head.seq > last.seq and (head.seq, head.digest) not in vouched:
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
        wanted = {name: body.get(name) for name in ("session_id", "tool", "verdict", "at")}
        wanted["decision_id"] = body.get("id")
    elif row.kind == Kind.LABEL:
        wanted = {"decision_id": body.get("decision_id"), "at": body.get("at")}
    for name, value in wanted.items():
        said = column(value) if isinstance(value, str) else value
        if getattr(row, name) != said:
            return f"the column `{name}` is not what was sealed"
    return None


def _named(row: Row) -> str:
    return f"(decision {json.dumps(row.decision_id)})" if row.decision_id else f"({row.kind})"


def _fault(row: Row, code: str, detail: str) -> Fault:
    return Fault(row.writer, row.seq, code, detail)
