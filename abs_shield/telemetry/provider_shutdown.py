"""Shutdown of an OpenTelemetry provider in a separate thread, so that a caller can time out."""

from __future__ import annotations

from threading import Event, Thread
from typing import Any


class ProviderShutdown:
    """
    A thread that shuts one provider down on request.

    The thread is started on construction: early releases of Python 3.12 start none at exit.
    """

    def __init__(self, provider: Any) -> None:
        self._provider = provider
        self._requested = Event()
        self._finished = Event()
        self._thread = self._start_thread()

    def begin(self) -> None:
        """Start to shut the provider down."""
        self._requested.set()
        if self._thread.is_alive():
            return
        try:
            self._thread = self._start_thread()  # a forked child has only the forking thread
        # no new thread can be started this late: shut down without a time limit
        except RuntimeError:
            self._run()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the shutdown; return whether it finished within *timeout_s* seconds."""
        return self._finished.wait(timeout_s)

    def _start_thread(self) -> Thread:
        thread = Thread(target=self._run, name="abs_shield-shutdown", daemon=True)
        thread.start()
        return thread

    def _run(self) -> None:
        self._requested.wait()
        try:
            self._provider.shutdown()
        # a provider that raises must not make the program wait for the whole time limit
        finally:
            self._finished.set()
