"""A cache bounded by weight and by time since the last use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

Key = TypeVar("Key")
Entry = TypeVar("Entry")
_AT, _WEIGHT, _ENTRY = range(3)


class Bounded(Generic[Key, Entry]):
    """
    A cache of the most recently used entries; the longest unused one is dropped first.

    Args:
        make: Creates the entry of a new key.
        most: Largest total weight; the last used entry is retained regardless of its weight.
        ttl_s: Seconds after its last use until an entry is dropped.
    """

    def __init__(self, make: Callable[[], Entry], *, most: int, ttl_s: float) -> None:
        self._make = make
        self._most = most
        self._ttl_s = ttl_s
        self._weight = 0
        self._entries: OrderedDict[Key, list[Any]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def items(self) -> Iterator[tuple[Key, Entry]]:
        """Return every key with its entry, longest unused first."""
        return ((key, entry[_ENTRY]) for key, entry in self._entries.items())

    def get(self, key: Key, at: float) -> Entry | None:
        """Return the entry of a key; None if there is none, or it has expired."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if at - entry[_AT] > self._ttl_s:
            self.forget(key)
            return None
        return entry[_ENTRY]  # type: ignore[no-any-return]

    def used(self, key: Key, at: float, *, weight: int = 1, most: int = 1) -> Entry:
        """
        Return the entry of a key, created if there is none, and mark it as the newest.

        Args:
            key: The key.
            at: The current time, in seconds.
            weight: Weight that this use adds to the entry.
            most: Largest weight of the entry, which drops its own oldest items.
        """
        entry = self._entries.get(key)
        if entry is None or at - entry[_AT] > self._ttl_s:
            return self._added(key, at, weight)
        entry[_AT] = at
        self._entries.move_to_end(key)
        # An entry that is full drops an item for each new one, so its weight stays.
        if entry[_WEIGHT] < most:
            added = min(weight, most - entry[_WEIGHT])
            entry[_WEIGHT] += added
            self._weight += added
            self._make_room()
        return entry[_ENTRY]  # type: ignore[no-any-return]

    def _added(self, key: Key, at: float, weight: int) -> Entry:
        self.forget(key)
        held = self._make()
        self._entries[key] = [at, weight, held]
        self._weight += weight
        self._make_room()
        return held

    def _make_room(self) -> None:
        # The last entry is in use and is retained even if it alone exceeds the limit.
        while self._weight > self._most and len(self._entries) > 1:
            self.forget(next(iter(self._entries)))

    def forget(self, key: Key) -> None:
        """Drop one key."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._weight -= entry[_WEIGHT]

    def forget_all(self, matches: Callable[[Key], bool]) -> None:
        """Drop every key that *matches*."""
        for key in [key for key in self._entries if matches(key)]:
            self.forget(key)
