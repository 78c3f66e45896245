"""The newest of several records about one subject, by their seals."""

from __future__ import annotations

from typing import Generic, TypeVar

from abs_shield.stores.sealed_record import SealedRow

T = TypeVar("T")


class NewestRecord(Generic[T]):
    """
    The newest of several records about one subject, by their sealed order.

    Within one chain it is the record with the highest number. No seal orders several chains: there
    it is the chain whose own last record has the latest time; at equal times, the one added last.
    """

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: dict[str, tuple[int, float, T]] = {}

    def add(self, row: SealedRow, value: T, *, at: float) -> None:
        """Add the value of a record that could be read."""
        sealed = row.parse_sealed()
        writer, seq = str(sealed["writer"]), int(sealed["seq"])
        previous = self._last.get(writer)
        # the sealed number, not the place in the table, which is not sealed
        if previous is None or previous[0] <= seq:
            self._last[writer] = (seq, at, value)

    @property
    def value(self) -> T | None:
        """The newest value; None if none was added."""
        if not self._last:
            return None
        # `max` returns the first of equals, hence reversed: the one added last
        return max(reversed(self._last.values()), key=lambda last: last[1])[2]
