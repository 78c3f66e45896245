"""Flushing of writers when a process exits, and their reset in forked children."""

from __future__ import annotations

import atexit
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Protocol
from weakref import WeakSet

from abs_shield.text.safe_display import describe_exception

logger = logging.getLogger("abs_shield")

# for all writers together: Docker kills a process after 10 s, Kubernetes after 30, systemd after 90
_AT_EXIT_S = 5.0
_SIGNALLED = 128
"""The offset that shells add to the number of the signal that ended a process."""


class ExitWriter(Protocol):
    """A writer that must flush when its process exits."""

    def reset(self) -> None:
        """Start empty in a forked child."""

    def request_close(self) -> None:
        """Ask the writer to write its waiting items, without waiting for it."""

    def close(self, timeout_s: float) -> bool:
        """Write the waiting items and stop; return False if any was lost."""


def close_at_exit(writer: ExitWriter) -> None:
    """Register *writer* to be closed at process exit and reset in forked children."""
    _WRITERS.add(writer)


# weak: a store that a test forgets must not live for ever
_WRITERS: WeakSet[ExitWriter] = WeakSet()


def exit_on_sigterm() -> bool:
    """
    Make SIGTERM exit the process as `sys.exit(143)` does, so that waiting records are written.

    Without a handler, Python terminates on SIGTERM without running `atexit` callbacks. Call this
    in the main thread of a program that has no server with its own shutdown.

    Returns:
        False if the program already has a handler, which is left in place.
    """
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return False
    signal.signal(signal.SIGTERM, _exit)
    return True


def _exit(number: int, frame: object) -> None:
    sys.exit(_SIGNALLED + number)


def _reset_in_child() -> None:
    for writer in list(_WRITERS):
        writer.reset()


def close_at_child_exit() -> None:
    """Register a multiprocessing finalizer in a child process, which runs no `atexit` callbacks."""
    # only if it is loaded already: otherwise this is no multiprocessing child
    util = sys.modules.get("multiprocessing.util")
    process = sys.modules.get("multiprocessing.process")
    if util is None or process is None or process.parent_process() is None:
        return
    if _FINALIZER_OF.get("process") != os.getpid():
        _FINALIZER_OF["process"] = os.getpid()
        util.Finalize(None, _close_all, exitpriority=0)


_FINALIZER_OF: dict[str, int] = {}
"""The process that registered a finalizer: a grandchild needs its own."""


def _close_all() -> None:
    until = time.monotonic() + _AT_EXIT_S
    writers = list(_WRITERS)
    _call_each(writers, lambda writer: writer.request_close())  # so that they write in parallel
    _call_each(writers, lambda writer: writer.close(max(0.0, until - time.monotonic())))


def _call_each(writers: list[ExitWriter], act: Callable[[ExitWriter], object]) -> None:
    """Apply *act* to every writer; an error of one is logged and does not affect the others."""
    for writer in writers:
        try:
            act(writer)
        except Exception as error:
            logger.error(
                "abs_shield's decision log cannot be closed: %s", describe_exception(error)
            )


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_in_child)
atexit.register(_close_all)
