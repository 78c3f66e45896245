"""A limit on wrong tokens per address."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

MOST_WRONG = 10  # room for typing errors
"""Allowed wrong tokens from one address within `WAIT_S` seconds."""
WAIT_S = 60.0  # 10 guesses a minute find no token of ten letters in a lifetime
"""Seconds that an address has to wait after the last of them."""
_MOST_ADDRESSES = 10_000
"""Maximum number of tracked addresses; the least recent one is evicted."""


class LoginAttempts:
    """
    Counts wrong tokens by the visitor's address.

    Args:
        now: Returns a monotonic time in seconds.
    """

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def wait_s(self, address: str) -> int:
        """Return the seconds that an address has to wait before its next attempt; 0 for none."""
        wrong, last = self._wrong.get(address, (0, 0.0))
        remaining = last + WAIT_S - self._now()
        return max(0, math.ceil(remaining)) if wrong >= MOST_WRONG else 0

    def add_wrong(self, address: str) -> None:
        """Count a wrong token."""
        wrong, last = self._wrong.pop(address, (0, 0.0))
        # a typing error of an hour ago does not count
        wrong = wrong + 1 if self._now() - last < WAIT_S else 1
        self._wrong[address] = wrong, self._now()
        if len(self._wrong) > _MOST_ADDRESSES:
            self._wrong.popitem(last=False)

    def forget(self, address: str) -> None:
        """Reset the count after a right token."""
        self._wrong.pop(address, None)
