"""What writes until its process ends, and begins anew in a process that was forked."""

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

from abs_shield.text.show import told

logger = logging.getLogger("abs_shield")

_AT_EXIT_S = 5.0
_SIGNALLED = 128
"""What a shell adds to the number of the signal that ended a process."""


class Ending(Protocol):
    """What has something to write when its process ends."""

    def begin(self) -> None:
        """Begin with nothing, in a process that was forked."""

    def end_soon(self) -> None:
        """Have what waits written."""

    def close(self, timeout_s: float) -> bool:
        """Write what waits and end; False where anything was lost."""


def ends(writer: Ending) -> None:
    """Have *writer* begin anew in forked children, and close when the process ends."""
    _ENDING.add(writer)


_ENDING: WeakSet[Ending] = WeakSet()


def exit_on_sigterm() -> bool:
    """
    Have SIGTERM end the process as `sys.exit(143)` does, so that what waits is written.

    Without a handler Python ends at once on SIGTERM, and runs nothing of `atexit`. Call it in the
    main thread of a program that has no server with a shutdown of its own.

    Returns:
        False where the program has a handler of its own, which is left as it is.
    """
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return False
    signal.signal(signal.SIGTERM, _exit)
    return True


def _exit(number: int, frame: object) -> None:
    sys.exit(_SIGNALLED + number)


def _in_child() -> None:
    for writer in list(_ENDING):
        writer.begin()


def end_in_children() -> None:
    """A child of multiprocessing leaves without `atexit`: its own finalizers write what waits."""
    util = sys.modules.get("multiprocessing.util")
    process = sys.modules.get("multiprocessing.process")
    if util is None or process is None or process.parent_process() is None:
        return
    if _ENDS.get("process") != os.getpid():
        _ENDS["process"] = os.getpid()
        util.Finalize(None, _at_exit, exitpriority=0)


_ENDS: dict[str, int] = {}


def _at_exit() -> None:
    until = time.monotonic() + _AT_EXIT_S
    writers = list(_ENDING)
    _each(writers, lambda writer: writer.end_soon())  # they write side by side
    _each(writers, lambda writer: writer.close(max(0.0, until - time.monotonic())))


def _each(writers: list[Ending], act: Callable[[Ending], object]) -> None:
    """Act on every writer; one that fails keeps no other from its turn."""
    for writer in writers:
        try:
            act(writer)
        except Exception as error:
            logger.error("abs_shield's decision log cannot be closed: %s", told(error))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
atexit.register(_at_exit)
