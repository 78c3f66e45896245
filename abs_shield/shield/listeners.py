"""Process-wide listeners, called with every decision that any Shield records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from abs_shield.core import Decision
from abs_shield.core.fork_safety import renewed

if TYPE_CHECKING:
    from abs_shield.shield.lifecycle import Lifecycle

Listener = Callable[[Decision, "Lifecycle"], None]
"""A callable of a decision and the lifecycle that made it; it must not raise."""


class Listeners:
    """The current listeners, oldest first; nearly always empty."""

    __slots__ = ("_lock", "all")

    def __init__(self) -> None:
        self.all: tuple[Listener, ...] = ()
        self._lock = renewed(Lock())

    @contextmanager
    def listen(self, listener: Listener) -> Iterator[None]:
        """Return a context manager that calls *listener* with every decision."""
        with self._lock:
            # A new tuple, because another thread may iterate over the old one.
            self.all = (*self.all, listener)
        try:
            yield
        finally:
            with self._lock:
                self.all = tuple(other for other in self.all if other is not listener)

    def notify(self, decision: Decision, lifecycle: Lifecycle) -> None:
        """Call every listener with a decision of *lifecycle*."""
        for listener in self.all:
            listener(decision, lifecycle)


LISTENERS = Listeners()
