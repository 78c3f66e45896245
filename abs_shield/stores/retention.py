"""Selection of expired records: the first ones of each chain, verified before deletion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from abs_shield.stores.chain_verification import ChainCheck, ChainFault, Verified, pruned_ends
from abs_shield.stores.expiry_rule import last_expired
from abs_shield.stores.log_tables import Ledger, PositionedRow, Query
from abs_shield.stores.sealed_record import Head, Seal, sealed_time


@dataclass(frozen=True, slots=True, kw_only=True)
class PruningPlan:
    """
    The plan of a pruning.

    Attributes:
        ends: The last record to delete, for each chain with expired records.
        chains: Chain to ``{seq, digest}`` of its last deleted record, earlier prunings included:
            the content of the pruning's own record.
        refused: The first fault of each chain that is not pruned because it has one.
    """

    ends: list[Head] = field(default_factory=list)
    chains: dict[str, dict[str, Any]] = field(default_factory=dict)
    refused: list[ChainFault] = field(default_factory=list)


def plan_pruning(ledger: Ledger, seal: Seal, *, before: float, now: float) -> PruningPlan:
    """Plan the deletion of each chain's expired records, and verify every one of them."""
    plan, earlier = PruningPlan(), pruned_ends(ledger, seal)
    check = ChainCheck(seal, earlier, Verified())
    for writer in ledger.writers():
        faults: list[ChainFault] = []
        with closing(ledger.positioned_rows(Query(writer=writer), order="seq")) as rows:
            end = last_expired(
                _read_sealed(rows, check, Head(writer), faults), before=before, now=now
            )
        if faults:
            plan.refused.append(faults[0])
        elif end is not None:
            plan.ends.append(end)
    # earlier prunings are repeated, because their own records may be pruned this time
    last = {writer: max(heads) for writer, heads in earlier.items()}
    last |= {end.writer: (end.seq, end.digest) for end in plan.ends}
    plan.chains.update({writer: {"seq": s, "digest": d} for writer, (s, d) in last.items()})
    return plan


def _read_sealed(
    rows: Iterable[PositionedRow], check: ChainCheck, last: Head, faults: list[ChainFault]
) -> Iterator[tuple[float, Head]]:
    """Yield each record's sealed time and head, up to the first record with a fault."""
    place = None
    for positioned in rows:
        faults.extend(check.check_record(positioned, last, previous_place=place))
        if faults:
            return
        row, place = positioned.row, positioned.place
        last = Head(row.writer, row.seq, row.digest)
        yield sealed_time(row.kind, row.parse_sealed()["body"]), last
