"""Ends a provider in a thread of its own, so that nobody waits longer for it than they will."""

from __future__ import annotations

from threading import Event, Thread
from typing import Any


class ProviderShutdown:
    """
    Shuts one provider down when it is told to.

    Its thread is started at once and waits: early releases of Python 3.12 start none at exit.
    """

    def __init__(self, provider: Any) -> None:
        self._provider = provider
        self._due = Event()
        self._over = Event()
        self._thread = self._started()

    def begin(self) -> None:
        """Start to shut the provider down."""
        self._due.set()
        if self._thread.is_alive():
            return
        try:
            self._thread = self._started()  # a fork keeps no thread but the one that forked
        except RuntimeError:
            self._run()

    def over(self, timeout_s: float) -> bool:
        """Wait at most so long; whether the provider is shut down."""
        return self._over.wait(timeout_s)

    def _started(self) -> Thread:
        thread = Thread(target=self._run, name="abs_shield-shutdown", daemon=True)
        thread.start()
        return thread

    def _run(self) -> None:
        self._due.wait()
        try:
            self._provider.shutdown()
        finally:
            self._over.set()
