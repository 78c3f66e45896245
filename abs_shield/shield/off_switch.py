"""A switch for tests; while the Shield is off, calls run unjudged and are recorded as such."""

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
    """A process-wide switch; it cannot be set by an environment variable or a policy."""

    __slots__ = ("_depth", "_lock", "off")

    def __init__(self) -> None:
        self.off = False
        self._depth = 0
        self._lock = renewed(Lock())

    @contextmanager
    def turn_off(self) -> Iterator[None]:
        """Return a context manager that turns the Shield off until the last such block is left."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    # Counted, because blocks of several threads or fixtures may overlap.
    def _count(self, step: int) -> None:
        with self._lock:
            self._depth += step
            self.off = self._depth > 0


SWITCH = OffSwitch()
