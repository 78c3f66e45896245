"""A switch for tests: while the shield is off, calls run unjudged and are recorded as such."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from abs_shield.core import Coverage, Outcome
from abs_shield.core.fork_safety import renewed

NOTE = "shield_off"
"""Note in `Decision.notes` of a call that was not judged."""

NOT_JUDGED = Coverage(Outcome.UNAVAILABLE, "the shield is off")


class OffSwitch:
    """A process-wide switch for all threads; no environment variable and no policy sets it."""

    __slots__ = ("_depth", "_lock", "off")

    def __init__(self) -> None:
        self.off = False
        self._depth = 0
        self._lock = renewed(Lock())

    @contextmanager
    def switched_off(self) -> Iterator[None]:
        """Turn the shield off until the last such block is left."""
        self._move(1)
        try:
            yield
        finally:
            self._move(-1)

    # Counted, as blocks of several threads or fixtures may overlap.
    def _move(self, step: int) -> None:
        with self._lock:
            self._depth += step
            self.off = self._depth > 0


SWITCH = OffSwitch()
