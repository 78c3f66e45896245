"""Keeps the newest things by key, within a weight, for a time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

Key = TypeVar("Key")
Held = TypeVar("Held")
_AT, _WEIGHT, _HELD = range(3)


class Bounded(Generic[Key, Held]):
    """
    What was used last, by key; the longest unused is forgotten first.

    Args:
        make: Makes what a new key holds.
        most: The weight that is held in all; what was used last is held whatever it weighs.
        ttl_s: Seconds after its last use in which a key is forgotten.
    """

    def __init__(self, make: Callable[[], Held], *, most: int, ttl_s: float) -> None:
        self._make = make
        self._most = most
        self._ttl_s = ttl_s
        self._weight = 0
        self._held: OrderedDict[Key, list[Any]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def items(self) -> Iterator[tuple[Key, Held]]:
        """Return every key and what it holds, longest unused first."""
        return ((key, entry[_HELD]) for key, entry in self._held.items())

    def get(self, key: Key, at: float) -> Held | None:
        """Return what a key holds; None where it holds nothing, or was not used for too long."""
        entry = self._held.get(key)
        if entry is None:
            return None
        if at - entry[_AT] > self._ttl_s:
            self.forget(key)
            return None
        return entry[_HELD]  # type: ignore[no-any-return]

    def used(self, key: Key, at: float, *, weight: int = 1, most: int = 1) -> Held:
        """
        Return what a key holds, made where it held nothing, and mark it as the newest.

        Args:
            key: The key.
            at: Now, in seconds.
            weight: What this use adds to what the key holds.
            most: What the key can hold at most: it drops its own oldest by itself.
        """
        entry = self._held.get(key)
        if entry is None or at - entry[_AT] > self._ttl_s:
            return self._added(key, at, weight)
        entry[_AT] = at
        self._held.move_to_end(key)
        if entry[_WEIGHT] < most:
            added = min(weight, most - entry[_WEIGHT])
            entry[_WEIGHT] += added
            self._weight += added
            self._make_room()
        return entry[_HELD]  # type: ignore[no-any-return]

    def _added(self, key: Key, at: float, weight: int) -> Held:
        self.forget(key)
        held = self._make()
        self._held[key] = [at, weight, held]
        self._weight += weight
        self._make_room()
        return held

    def _make_room(self) -> None:
        while self._weight > self._most and len(self._held) > 1:
            self.forget(next(iter(self._held)))

    def forget(self, key: Key) -> None:
        """Forget one key."""
        entry = self._held.pop(key, None)
        if entry is not None:
            self._weight -= entry[_WEIGHT]

    def forget_all(self, matches: Callable[[Key], bool]) -> None:
        """Forget every key that *matches*."""
        for key in [key for key in self._held if matches(key)]:
            self.forget(key)
