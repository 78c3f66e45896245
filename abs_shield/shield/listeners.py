"""Who else hears of every decision that any Shield of this process records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from abs_shield.core import Decision
from abs_shield.core.forked import renewed

if TYPE_CHECKING:
    from abs_shield.shield.lifecycle import Lifecycle

Listener = Callable[[Decision, "Lifecycle"], None]
"""A callable of a decision and of the lifecycle that made it; it does not raise."""


class Listeners:
    """Those who hear now, oldest first; nearly always nobody."""

    __slots__ = ("_lock", "all")

    def __init__(self) -> None:
        self.all: tuple[Listener, ...] = ()
        self._lock = renewed(Lock())

    @contextmanager
    def listening(self, listener: Listener) -> Iterator[None]:
        """Let *listener* hear of every decision until the block is left."""
        with self._lock:
            self.all = (*self.all, listener)
        try:
            yield
        finally:
            with self._lock:
                self.all = tuple(other for other in self.all if other is not listener)

    def notify(self, decision: Decision, lifecycle: Lifecycle) -> None:
        """Tell everybody of a decision of *lifecycle*."""
        for listener in self.all:
            listener(decision, lifecycle)


LISTENERS = Listeners()
