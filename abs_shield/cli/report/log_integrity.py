"""Verification of the log that a report is based on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from abs_shield.stores import ChainFault, Verified, verify
from abs_shield.stores.durable import DurableStore
from abs_shield.stores.sealed_record import Damaged
from abs_shield.stores.store_address import log_key
from abs_shield.text.safe_display import escaped, quantity

_FAULTS = 3  # examples; `abs-shield log verify` lists them


@dataclass(frozen=True, slots=True, kw_only=True)
class LogIntegrity:
    """
    The result of a log's verification.

    Attributes:
        verified: The counts of the verification.
        faults: The first faults.
    """

    verified: Verified
    faults: tuple[ChainFault, ...]

    @classmethod
    def of(cls, store: DurableStore) -> Self:
        """Verify every record of a log, under the key of ``ABS_SHIELD_LOG_KEY``."""
        verified = Verified()
        faults = verify(store, key=log_key(), into=verified)
        first: list[ChainFault] = []
        try:
            for fault in faults:
                first += [fault][: _FAULTS - len(first)]
        except Damaged as error:  # damaged pages: later records are unverified
            verified.faults += 1
            first = [ChainFault("", 0, "edited", str(error)), *first][:_FAULTS]
        return cls(verified=verified, faults=tuple(first))

    @property
    def is_intact(self) -> bool:
        """Return whether the log has no fault."""
        return not self.verified.faults

    def sentences(self) -> Iterator[str]:
        """Yield the result as sentences, with one for each of the first faults."""
        chains = quantity(self.verified.chains, "chain")
        records = f"{quantity(self.verified.records, 'record')} in {chains}"
        if self.is_intact:
            yield f"The log is intact: {records}, each as it was written."
            return
        faults = quantity(self.verified.faults, "fault")
        yield f"THE LOG IS NOT INTACT: {faults} in {records}; the figures below may be wrong."
        yield from (escaped(str(fault), limit=300) for fault in self.faults)
        if self.verified.faults > len(self.faults):
            yield "All of them: abs-shield log verify."

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        return {
            "intact": self.is_intact,
            "records": self.verified.records,
            "chains": self.verified.chains,
            "faults": self.verified.faults,
            "first_faults": [fault._asdict() for fault in self.faults],
        }
