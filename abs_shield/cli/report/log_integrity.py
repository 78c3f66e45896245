"""Verification of the log behind a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from abs_shield.stores import Fault, Verified, verify
from abs_shield.stores.durable import DurableStore
from abs_shield.stores.places import log_key
from abs_shield.stores.record import Damaged
from abs_shield.text.show import escaped, quantity

_FAULTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Integrity:
    """
    The result of a log's verification.

    Attributes:
        seen: What was verified.
        faults: The first faults.
    """

    seen: Verified
    faults: tuple[Fault, ...]

    @classmethod
    def of(cls, store: DurableStore) -> Self:
        """Verify every record of a log, under the key of ``ABS_SHIELD_LOG_KEY``."""
        seen = Verified()
        faults = verify(store, key=log_key(), into=seen)
        first: list[Fault] = []
        try:
            for fault in faults:
                first += [fault][: _FAULTS - len(first)]
        except Damaged as error:  # pages of the database itself: nothing behind them was verified
            seen.faults += 1
            first = [Fault("", 0, "edited", str(error)), *first][:_FAULTS]
        return cls(seen=seen, faults=tuple(first))

    @property
    def is_intact(self) -> bool:
        """Return whether no fault was found."""
        return not self.seen.faults

    def sentences(self) -> Iterator[str]:
        """Yield what was found: one sentence, or one for each of the first faults as well."""
        records = (
            f"{quantity(self.seen.records, 'record')} in {quantity(self.seen.chains, 'chain')}"
        )
        if self.is_intact:
            yield f"The log is intact: {records}, each as it was written."
            return
        faults = quantity(self.seen.faults, "fault")
        yield f"THE LOG IS NOT INTACT: {faults} in {records}; the figures below may be wrong."
        yield from (escaped(str(fault), limit=300) for fault in self.faults)
        if self.seen.faults > len(self.faults):
            yield "All of them: abs-shield log verify."

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        return {
            "intact": self.is_intact,
            "records": self.seen.records,
            "chains": self.seen.chains,
            "faults": self.seen.faults,
            "first_faults": [fault._asdict() for fault in self.faults],
        }
