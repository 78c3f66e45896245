"""Which records are old enough to go: the first ones of a chain, sealed as they were written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from abs_shield.stores.chains import Check, Fault, Verified, vouched
from abs_shield.stores.ledger import Ledger, Placed, Query
from abs_shield.stores.oldest import oldest
from abs_shield.stores.record import Head, Seal, time_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """
    What a pruning does.

    Attributes:
        ends: The last record to be deleted of each chain that loses some.
        chains: Chain to ``{seq, digest}`` of the last record that is gone then, earlier prunings
            included: what the record of the pruning says.
        refused: The first fault of each chain that keeps everything, as it cannot be trusted.
    """

    ends: list[Head] = field(default_factory=list)
    chains: dict[str, dict[str, Any]] = field(default_factory=dict)
    refused: list[Fault] = field(default_factory=list)


def planned(ledger: Ledger, seal: Seal, *, before: float, now: float) -> Plan:
    """Look at every chain's first records, and verify each that is to go."""
    plan, known = Plan(), vouched(ledger, seal)
    check = Check(seal, known, Verified())
    for writer in ledger.writers():
        faults: list[Fault] = []
        with closing(ledger.placed(Query(writer=writer), order="seq")) as rows:
            end = oldest(_sealed(rows, check, Head(writer), faults), before=before, now=now)
        if faults:
            plan.refused.append(faults[0])
        elif end is not None:
            plan.ends.append(end)
    gone = {writer: max(heads) for writer, heads in known.items()}
    gone |= {end.writer: (end.seq, end.digest) for end in plan.ends}
    plan.chains.update({writer: {"seq": s, "digest": d} for writer, (s, d) in gone.items()})
    return plan


def _sealed(
    rows: Iterable[Placed], check: Check, last: Head, faults: list[Fault]
) -> Iterator[tuple[float, Head]]:
    """Give each record's sealed time, and itself, up to the first one that has a fault."""
    place = None
    for placed in rows:
        faults.extend(check.record(placed, last, behind=place))
        if faults:
            return
        row, place = placed.row, placed.place
        last = Head(row.writer, row.seq, row.digest)
        yield time_of(row.kind, row.opened()["body"]), last
