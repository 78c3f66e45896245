"""Detect a session that reappears after another one, with a few bytes per session."""

from __future__ import annotations

from array import array

MOST = 1 << 20
"""Maximum number of sessions that are stored: 16 MB."""


class SessionKeys:
    """
    Stores the 8-byte keys of earlier sessions.

    >>> keys = SessionKeys(most=2)
    >>> keys.add(7), keys.add(8), keys.add(7), keys.full
    (True, True, False, True)
    >>> keys.add(9), keys.add(9)  # nothing is stored beyond the bound
    (True, True)
    """

    def __init__(self, *, most: int = MOST) -> None:
        self._most = most
        self._count = 0
        self._slots = array("Q", bytes(8 * 1024))  # 1,024 slots, a power of two for the mask

    @property
    def full(self) -> bool:
        """True if later sessions are not stored any more."""
        return self._count >= self._most

    def add(self, key: int) -> bool:
        """Store *key*; return whether it is new."""
        key = key or 1  # 0 is an empty slot
        slot = self._slot(key)
        if self._slots[slot] == key:
            return False
        if not self.full:
            self._slots[slot] = key
            self._count += 1
            # half empty, so that a search takes a step or two
            if self._count * 2 > len(self._slots):
                self._grow()
        return True

    def _slot(self, key: int) -> int:
        """Return the slot of *key*, or the empty slot for it."""
        mask = len(self._slots) - 1
        slot = key & mask
        while self._slots[slot] not in (0, key):
            slot = slot + 1 & mask  # the next slot, around the end
        return slot

    def _grow(self) -> None:
        old, self._slots = self._slots, array("Q", bytes(16 * len(self._slots)))
        for key in old:
            if key:
                self._slots[self._slot(key)] = key
