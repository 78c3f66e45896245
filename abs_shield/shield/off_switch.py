"""The switch that tests throw: while it is off, calls run unjudged, and their records say so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from abs_shield.core import Coverage, Outcome
from abs_shield.core.forked import renewed

NOTE = "shield_off"
"""Stands in `Decision.notes` of a call that nobody judged."""

NOT_JUDGED = Coverage(Outcome.UNAVAILABLE, "the shield is off")


class OffSwitch:
    """One for the process, all its threads included; no environment and no policy throws it."""

    __slots__ = ("_depth", "_lock", "off")

    def __init__(self) -> None:
        self.off = False
        self._depth = 0
        self._lock = renewed(Lock())

    @contextmanager
    def switched_off(self) -> Iterator[None]:
        """Stay off until the last such block is left."""
        self._move(1)
        try:
            yield
        finally:
            self._move(-1)

    def _move(self, step: int) -> None:
        with self._lock:
            self._depth += step
            self.off = self._depth > 0


SWITCH = OffSwitch()
