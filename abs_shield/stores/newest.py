"""Which of several records about one thing is the newest, by what was sealed."""

from __future__ import annotations

from typing import Generic, TypeVar

from abs_shield.stores.record import Row

T = TypeVar("T")


class Newest(Generic[T]):
    """
    The newest of the values added.

    Of one chain it is the last, by its number in it. Of several chains, which no seal puts in an
    order, it is the one whose own last value has the latest time; then the one added last.
    """

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: dict[str, tuple[int, float, T]] = {}

    def add(self, row: Row, value: T, *, at: float) -> None:
        """Add the value of a record that could be read."""
        sealed = row.opened()
        writer, seq = str(sealed["writer"]), int(sealed["seq"])
        known = self._last.get(writer)
        if known is None or known[0] <= seq:
            self._last[writer] = (seq, at, value)

    @property
    def value(self) -> T | None:
        """The newest; None where none was added."""
        if not self._last:
            return None
        return max(reversed(self._last.values()), key=lambda last: last[1])[2]
