"""A bounded buffer that one background thread writes out, so that calls never wait for a disk."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from threading import Event, RLock, Thread
from typing import Generic, NamedTuple, TypeVar

from abs_shield.stores.process_exit import close_at_child_exit, close_at_exit
from abs_shield.stores.sealed_record import LogGap, RecordKind, StoreEntry
from abs_shield.stores.store_status import StoreStatus
from abs_shield.text.safe_display import describe_exception, quantity

logger = logging.getLogger("abs_shield")

T = TypeVar("T")

BATCH = 1_000  # one commit for so many; more would hold the write lock for long
"""Maximum number of items written in one transaction."""
EVERY_S = 0.05  # a crash loses no more than this; shorter, each decision is a commit
"""Seconds that an item waits for others."""
_IDLE_ROUNDS = 20  # one second of empty rounds; then the thread sleeps and costs nothing
_RESERVE = 256  # threads that may pass the check of `losing` before the first of them appends
# short at first, for a lock that another process holds; long later, to spare a server that is down
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 2.0


class FlushMark(NamedTuple):
    """
    A caller of `flush` that waits.

    Attributes:
        taken: The number of items that must be written.
        reached: Set once they are.
    """

    taken: int
    reached: Event


class BatchWriter(Generic[T]):
    """
    Accepts items without waiting and writes them in batches, in order, on a background thread.

    A failed write is retried until it succeeds, with pauses of up to two seconds; meanwhile
    items wait. Once *most* of them wait, further ones are dropped and counted, and a `LogGap` is
    written in their place; the same happens to an item that cannot be serialised.

    Args:
        entry: Builds the entry of an item.
        write: Writes a batch and removes written entries from its front, or raises. Both are
            called on the thread only, or by `close` if no thread runs.
        most: Maximum number of waiting items.
    """

    def __init__(
        self,
        entry: Callable[[T], StoreEntry],
        write: Callable[[list[StoreEntry]], None],
        *,
        most: int,
    ) -> None:
        self._entry = entry
        self._write = write
        self._most = most
        # a small buffer must not count as full from the start
        self._reserve = min(most // 16, _RESERVE)
        self.reset()
        close_at_exit(self)

    def reset(self) -> None:
        """Start empty; also called in a forked child, which has no thread."""
        # An item moves from the buffer to the batch under the lock, and from there to the entries.
        self._buffer: deque[T | LogGap] = deque()
        self._batch: deque[T | LogGap] = deque()
        self._entries: list[StoreEntry] = []
        self._taken = 0
        self._marks: list[FlushMark] = []
        self._lock = RLock()
        self._awake = Event()
        self._asleep = True
        self._thread: Thread | None = None
        self._unstarted = False
        self._closing = self._closed = False
        self._lost_at_close = 0
        self._dropped = 0
        self._error = ""

    @property
    def closed(self) -> bool:
        """True once it was closed."""
        return self._closed

    @property
    def ended(self) -> bool:
        """True once it was closed and its last batch is finished."""
        return self._closed and (self._thread is None or not self._thread.is_alive())

    @property
    def losing(self) -> bool:
        """True if the next item may be dropped; true slightly early, for concurrent threads."""
        # without the lock, because every call reads this
        full = len(self._buffer) >= self._most - self._reserve
        return full or self._closed or self._unstarted

    @property
    def status(self) -> StoreStatus:
        """The current status."""
        waiting = 0 if self._closed else self._waiting()
        return StoreStatus(waiting, self._dropped, self._error)

    # On the caller's thread ----------------------------------------------------------------------

    def put(self, item: T) -> bool:
        """Add *item* without waiting; return False if it was dropped or may never be written."""
        buffer = self._buffer
        # no lock: appending to a deque is atomic, and a call must never wait for the writer
        if len(buffer) >= self._most or self._closed:
            self._drop()
            return False
        buffer.append(item)
        if self._asleep:
            self._wake()
        if self._closed:
            self._drop_late()
            return False
        # the item waits, but a process that can start no thread may end before it is written
        return not self._unstarted

    def flush(self, timeout_s: float) -> bool:
        """Wait until all items added so far are written; return False on timeout."""
        with self._lock:
            if self._closed:
                return not self._lost_at_close
            # nothing to wait for, so the thread is not woken
            if not self._waiting():
                return True
            mark = FlushMark(self._taken + len(self._buffer), Event())
            self._marks.append(mark)
        if self._wake() and mark.reached.wait(timeout_s):
            return True
        with self._lock:
            if mark in self._marks:
                self._marks.remove(mark)
        return mark.reached.is_set()  # it may have been reached just after the timeout

    def close(self, timeout_s: float) -> bool:
        """
        Write the waiting items and stop; items not written in time are lost, and logged.

        Returns:
            False if any item was ever lost.
        """
        if self._closed:
            return not self._dropped
        self.request_close()
        self._finish(timeout_s)
        with self._lock:
            self._closed = True
            self._lost_at_close = self._unwritten()
            self._dropped += self._lost_at_close
            self._buffer.clear()
        self._awake.set()
        if self._lost_at_close:
            logger.error(
                "abs_shield's decision log was closed with %s: %s",
                quantity(self._lost_at_close, "unwritten record"), self._error or "timeout",
            )  # fmt: skip
        return not self._dropped

    def request_close(self) -> None:
        """Ask the thread to write the waiting items and then stop."""
        self._closing = True
        if self._thread is not None or self._waiting():
            self._wake()

    def _finish(self, timeout_s: float) -> None:
        """Wait for the thread, then write here what is left, or everything if no thread runs."""
        until = time.monotonic() + timeout_s
        if self._thread is not None:
            self._thread.join(timeout_s)
            # it still uses the connection, so nothing can be written here
            if self._thread.is_alive():
                return
        while self._waiting() and time.monotonic() < until:
            self._take_batch()
            if not self._write_entries():
                return

    def _waiting(self) -> int:
        """Count unwritten items, in the order in which they move, so that none is missed."""
        return len(self._buffer) + len(self._batch) + len(self._entries)

    def _unwritten(self) -> int:
        """Count the unwritten items without gaps, whose items are counted already."""
        put = sum(not isinstance(item, LogGap) for item in (*self._buffer, *self._batch))
        return put + sum(entry.kind is not RecordKind.GAP for entry in self._entries)

    def _drop(self) -> None:
        at = time.time()
        reason = "the log was closed" if self._closed else "the buffer was full"
        with self._lock:
            self._dropped += 1
            last = self._buffer[-1] if self._buffer else None
            # one record for the whole stretch: a full buffer must not grow with every loss
            if isinstance(last, LogGap):
                last.more(at)
                return
            self._buffer.append(LogGap(at, reason))
        logger.error("abs_shield's decision log drops records: %s", reason)

    def _drop_late(self) -> None:
        """Count items that were added while another thread closed."""
        with self._lock:
            late = sum(not isinstance(item, LogGap) for item in self._buffer)
            self._buffer.clear()
            self._dropped += late

    def _wake(self) -> bool:
        """Wake the thread; return False if none can be started now; the next item retries."""
        if self._thread is None:
            with self._lock:
                if self._thread is None and not self._closed and not self._start_thread():
                    return False
        self._asleep = False
        self._awake.set()
        return True

    def _start_thread(self) -> bool:
        close_at_child_exit()
        thread = Thread(target=self._run, name="abs_shield-log", daemon=True)
        try:
            thread.start()
        except Exception as error:  # out of threads, or the interpreter shuts down
            if not self._unstarted:  # one warning, not one per call
                logger.warning("abs_shield's decision log cannot start its thread: %s", error)
            self._unstarted, self._error = True, str(error) or type(error).__name__
            return False
        self._thread, self._unstarted = thread, False
        return True

    # On the writer's thread ----------------------------------------------------------------------

    def _run(self) -> None:
        idle, pause_s = 0, _FIRST_PAUSE_S
        while not self._closed:
            self._take_batch()
            if not (self._entries or self._marks):
                if self._closing:  # only here, where nothing waits
                    return
                idle += 1
                self._wait_for_items(idle)
            elif self._write_entries():
                idle, pause_s = 0, _FIRST_PAUSE_S
            else:
                self._awake.wait(pause_s)
                self._awake.clear()
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _take_batch(self) -> None:
        """Take a batch, unless the last one still could not be written."""
        # a failed batch is retried unchanged: `_commit` compares its head to detect a commit whose
        # reply was lost
        if self._entries and self._error:
            return
        with self._lock:
            room = BATCH - len(self._entries)
            while self._buffer and len(self._batch) < room and not self._closed:
                self._batch.append(self._buffer.popleft())
                self._taken += 1
        while self._batch:
            item = self._batch[0]
            self._entries.append(
                item.entry() if isinstance(item, LogGap) else self._build_entry(item)
            )
            # only after it was added, so that `_waiting` on another thread never misses the item
            self._batch.popleft()

    def _build_entry(self, item: T) -> StoreEntry:
        try:
            return self._entry(item)
        except Exception as error:
            return self.record_loss(time.time(), describe_exception(error))

    def record_loss(self, at: float, reason: str) -> StoreEntry:
        """Count an item that cannot be written; return the gap that is written in its place."""
        with self._lock:
            self._dropped += 1
        logger.error("abs_shield's decision log lost a record: %s", reason)
        return LogGap(at, reason).entry()

    def _write_entries(self) -> bool:
        try:
            if self._entries:
                self._write(self._entries)
        except Exception as error:
            if not self._error:  # one warning per outage, not one per retry
                logger.warning("abs_shield's decision log cannot be written: %s", error)
            self._error = str(error) or type(error).__name__
            return False
        if self._error:
            logger.warning("abs_shield's decision log is written again")
            self._error = ""
        self._notify_waiters()
        return True

    def _notify_waiters(self) -> None:
        with self._lock:
            reached = [mark for mark in self._marks if mark.taken <= self._taken]
            self._marks = [mark for mark in self._marks if mark.taken > self._taken]
        for mark in reached:
            mark.reached.set()

    def _wait_for_items(self, idle: int) -> None:
        """Wait a short time for more items; after several empty rounds, until the next item."""
        if idle < _IDLE_ROUNDS:
            self._awake.wait(EVERY_S)
        else:
            self._asleep = True
            # checked once `_asleep` is set: from then on an added item wakes the thread
            if not self._buffer and not self._closing:
                self._awake.wait()
            self._asleep = False
        self._awake.clear()
