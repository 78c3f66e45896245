"""Background work on outputs after they are sent: a bounded queue and its threads."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Condition, Thread, current_thread
from typing import Generic, TypeVar

from abs_shield.stores.process_exit import close_at_exit

logger = logging.getLogger("abs_shield")

T = TypeVar("T")

_IDLE_S = 5.0
"""Seconds without work after which a thread ends, so that an unused pipeline has none."""


class BackgroundQueue(Generic[T]):
    """
    Processes items in background threads, in order.

    Once *most* items wait, further ones are dropped and counted. At process exit, waiting items are
    processed within five seconds; the rest is dropped, counted and logged. An unhandled signal ends
    a process without that: see `exit_on_sigterm`.

    Args:
        work: Processes one item; an error is logged and does not affect other items.
        most: Maximum number of waiting items.
        threads: Number of items processed in parallel.

    Attributes:
        dropped: Number of dropped items.
    """

    def __init__(self, work: Callable[[T], None], *, most: int, threads: int) -> None:
        self._work = work
        self._most = most
        self._count = threads
        self.reset()
        close_at_exit(self)

    def reset(self) -> None:
        """Start empty; also called in a forked child, which has no threads."""
        self.dropped = 0
        self._queue: Queue[T] = Queue(self._most)
        self._open = 0
        self._changed = Condition()
        self._threads: list[Thread] = []
        self._closed = False

    @property
    def waiting(self) -> int:
        """Number of unfinished items."""
        return self._open

    def put(self, item: T) -> bool:
        """Add an item; return False if it was dropped."""
        with self._changed:
            if self._closed:
                return self._drop("the pipeline is closed")
            try:
                self._queue.put_nowait(item)
            except Full:
                return self._drop(f"the queue of {self._most:,} items is full")
            self._open += 1
            # no more threads than items: an idle one costs memory
            if len(self._threads) < min(self._count, self._open):
                # a daemon, because a judge that hangs must not keep the process alive
                thread = Thread(target=self._run, name="abs_shield-quality", daemon=True)
                self._threads.append(thread)
                thread.start()
        return True

    def flush(self, timeout_s: float) -> bool:
        """Wait until all items are done; return False on timeout."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._open, timeout_s)

    def request_close(self) -> None:
        """Accept no further items."""
        with self._changed:
            self._closed = True

    def close(self, timeout_s: float) -> bool:
        """Process the waiting items and stop; return False if any was dropped on timeout."""
        self.request_close()
        return self.drain(timeout_s)

    def drain(self, timeout_s: float) -> bool:
        """Process the waiting items; return False if any was dropped on timeout."""
        if self.flush(timeout_s):
            return True
        with self._changed, suppress(Empty):
            # the item in work counts as dropped, too: its result is no longer awaited
            left, self._open = self._open, 0
            self.dropped += left
            while True:
                self._queue.get_nowait()
        logger.warning("quality: %d checks in the background were not done in time", left)
        return False

    def _drop(self, reason: str) -> bool:
        self.dropped += 1
        if self.dropped & (self.dropped - 1) == 0:  # logs only the 1st, 2nd, 4th, 8th, ...
            logger.warning(
                "quality: a check in the background was dropped, %d so far: %s",
                self.dropped, reason,
            )  # fmt: skip
        return False

    def _run(self) -> None:
        queue = self._queue
        while True:
            try:
                item = queue.get(timeout=_IDLE_S)
            except Empty:
                with self._changed:
                    # under the lock, because an item may have been added since the timeout
                    if queue.empty():
                        self._threads.remove(current_thread())
                        return
                continue
            try:
                self._work(item)
            except BaseException as error:  # `SystemExit` would end the thread silently
                logger.error("quality: a check in the background failed: %s", type(error).__name__)
            with self._changed:
                # not after `drain` or in a forked child, where the count began anew
                if self._queue is queue and self._open:
                    self._open -= 1
                    self._changed.notify_all()
