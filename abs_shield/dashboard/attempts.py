"""A limit on wrong tokens: so many from one address, then it has to wait."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

MOST_WRONG = 10
"""Wrong tokens from one address within `WAIT_S` seconds."""
WAIT_S = 60.0
"""How long an address waits after the last of them, in seconds."""
_MOST_ADDRESSES = 10_000
"""Addresses that are counted at the same time; the one that was longest quiet is forgotten."""


class LoginAttempts:
    """
    Counts wrong tokens by the address of the visitor.

    Args:
        now: Gives the time in seconds; it never goes back.
    """

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def wait_s(self, address: str) -> int:
        """Return how many seconds an address has to wait before the next token; 0 for none."""
        wrong, last = self._wrong.get(address, (0, 0.0))
        left = last + WAIT_S - self._now()
        return max(0, math.ceil(left)) if wrong >= MOST_WRONG else 0

    def add_wrong(self, address: str) -> None:
        """Count a wrong token."""
        wrong, last = self._wrong.pop(address, (0, 0.0))
        wrong = wrong + 1 if self._now() - last < WAIT_S else 1
        self._wrong[address] = wrong, self._now()
        if len(self._wrong) > _MOST_ADDRESSES:
            self._wrong.popitem(last=False)

    def forget(self, address: str) -> None:
        """Begin anew after a right token."""
        self._wrong.pop(address, None)
