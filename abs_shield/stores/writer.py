"""A bounded buffer and the one thread that empties it: a call never waits for a disk."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from threading import Event, RLock, Thread
from typing import Generic, NamedTuple, TypeVar

from abs_shield.stores.ending import end_in_children, ends
from abs_shield.stores.gap import Gap
from abs_shield.stores.record import Entry, Kind
from abs_shield.stores.status import Status
from abs_shield.text.show import told

logger = logging.getLogger("abs_shield")

T = TypeVar("T")

BATCH = 1_000
"""Items written in one transaction, at most."""
EVERY_S = 0.05
"""How long an item waits for others, in seconds."""
_IDLE_ROUNDS = 20
_RESERVE = 256
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 2.0


class Mark(NamedTuple):
    """
    Where somebody waits for what was put before.

    Attributes:
        taken: How many items have to be written.
        reached: Set once they are.
    """

    taken: int
    reached: Event


class Writer(Generic[T]):
    """
    Takes items at once and writes them in batches, in order, from one thread of its own.

    Writing that fails is tried again until it works, with pauses of up to two seconds; meanwhile
    items wait. Once *most* of them wait, further ones are dropped, counted, and a `Gap` is
    written in their place; so is one that cannot be made an entry.

    Args:
        entry: Makes the entry of an item.
        write: Writes a batch and takes what is written off its front, or raises. Both are called
            on the thread alone, or by `close` where there is none.
        most: Items that wait at most.
    """

    def __init__(
        self,
        entry: Callable[[T], Entry],
        write: Callable[[list[Entry]], None],
        *,
        most: int,
    ) -> None:
        self._entry = entry
        self._write = write
        self._most = most
        self._reserve = min(most // 16, _RESERVE)
        self.begin()
        ends(self)

    def begin(self) -> None:
        """Begin with nothing; also in a process that was forked, whose thread is gone."""
        # An item goes from the buffer to the batch under the lock, and from there to the held.
        self._buffer: deque[T | Gap] = deque()
        self._batch: deque[T | Gap] = deque()
        self._held: list[Entry] = []
        self._taken = 0
        self._marks: list[Mark] = []
        self._lock = RLock()
        self._awake = Event()
        self._asleep = True
        self._thread: Thread | None = None
        self._unstarted = False
        self._closing = self._closed = False
        self._left = 0
        self._dropped = 0
        self._error = ""

    @property
    def closed(self) -> bool:
        """Whether it has ended."""
        return self._closed

    @property
    def ended(self) -> bool:
        """Whether it has ended, and writes no last batch either."""
        return self._closed and (self._thread is None or not self._thread.is_alive())

    @property
    def losing(self) -> bool:
        """Whether the next item may be dropped; true a little early, for threads side by side."""
        full = len(self._buffer) >= self._most - self._reserve
        return full or self._closed or self._unstarted

    @property
    def status(self) -> Status:
        """How it is doing."""
        waiting = 0 if self._closed else self._waiting()
        return Status(waiting, self._dropped, self._error)

    # On the caller's thread ----------------------------------------------------------------------

    def put(self, item: T) -> bool:
        """Take *item*; it never waits. False where it was dropped, or may never be written."""
        buffer = self._buffer
        if len(buffer) >= self._most or self._closed:
            self._drop()
            return False
        buffer.append(item)
        if self._asleep:
            self._wake()
        if self._closed:
            self._drop_late()
            return False
        return not self._unstarted

    def flush(self, timeout_s: float) -> bool:
        """Wait until everything that was put before is written; False where it takes longer."""
        with self._lock:
            if self._closed:
                return not self._left
            if not self._waiting():
                return True
            mark = Mark(self._taken + len(self._buffer), Event())
            self._marks.append(mark)
        if self._wake() and mark.reached.wait(timeout_s):
            return True
        with self._lock:
            if mark in self._marks:
                self._marks.remove(mark)
        return mark.reached.is_set()

    def close(self, timeout_s: float) -> bool:
        """
        Write what waits and end; what is not written in time is lost, and said.

        Returns:
            False where anything was ever lost.
        """
        if self._closed:
            return not self._dropped
        self.end_soon()
        self._end(timeout_s)
        with self._lock:
            self._closed = True
            self._left = self._unwritten()
            self._dropped += self._left
            self._buffer.clear()
        self._awake.set()
        if self._left:
            logger.error(
                "abs_shield's decision log ends with %d records not written: %s",
                self._left, self._error or "there was no time",
            )  # fmt: skip
        return not self._dropped

    def end_soon(self) -> None:
        """Have what waits written, and the thread end then."""
        self._closing = True
        if self._thread is not None or self._waiting():
            self._wake()

    def _end(self, timeout_s: float) -> None:
        """Wait for the thread; what came behind its end is written here, as where there is none."""
        until = time.monotonic() + timeout_s
        if self._thread is not None:
            self._thread.join(timeout_s)
            if self._thread.is_alive():
                return
        while self._waiting() and time.monotonic() < until:
            self._take()
            if not self._written():
                return

    def _waiting(self) -> int:
        """Count what is not written, in the order in which it goes on: nothing is missed."""
        return len(self._buffer) + len(self._batch) + len(self._held)

    def _unwritten(self) -> int:
        """Count the items that are not written; what a gap stands for is counted already."""
        put = sum(not isinstance(item, Gap) for item in (*self._buffer, *self._batch))
        return put + sum(entry.kind is not Kind.GAP for entry in self._held)

    def _drop(self) -> None:
        at = time.time()
        reason = "the log was closed" if self._closed else "the buffer was full"
        with self._lock:
            self._dropped += 1
            last = self._buffer[-1] if self._buffer else None
            if isinstance(last, Gap):
                last.more(at)
                return
            self._buffer.append(Gap(at, reason))
        logger.error("abs_shield's decision log drops records: %s", reason)

    def _drop_late(self) -> None:
        """Count what was put while another thread closed."""
        with self._lock:
            late = sum(not isinstance(item, Gap) for item in self._buffer)
            self._buffer.clear()
            self._dropped += late

    def _wake(self) -> bool:
        """Wake the thread; False where none can be started now, then the next item tries again."""
        if self._thread is None:
            with self._lock:
                if self._thread is None and not self._closed and not self._started():
                    return False
        self._asleep = False
        self._awake.set()
        return True

    def _started(self) -> bool:
        end_in_children()
        thread = Thread(target=self._run, name="abs_shield-log", daemon=True)
        try:
            thread.start()
        except Exception as error:  # the machine, or the end of the interpreter, allows no more
            if not self._unstarted:
                logger.warning("abs_shield's decision log waits: %s", error)
            self._unstarted, self._error = True, str(error) or type(error).__name__
            return False
        self._thread, self._unstarted = thread, False
        return True

    # On the writer's thread ----------------------------------------------------------------------

    def _run(self) -> None:
        idle, pause_s = 0, _FIRST_PAUSE_S
        while not self._closed:
            self._take()
            if not (self._held or self._marks):
                if self._closing:
                    return
                idle += 1
                self._rest(idle)
            elif self._written():
                idle, pause_s = 0, _FIRST_PAUSE_S
            else:
                self._awake.wait(pause_s)
                self._awake.clear()
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _take(self) -> None:
        """Take a batch, unless one is held that could not be written yet."""
        if self._held and self._error:
            return
        with self._lock:
            room = BATCH - len(self._held)
            while self._buffer and len(self._batch) < room and not self._closed:
                self._batch.append(self._buffer.popleft())
                self._taken += 1
        while self._batch:
            item = self._batch[0]
            self._held.append(item.entry() if isinstance(item, Gap) else self._made(item))
            self._batch.popleft()

    def _made(self, item: T) -> Entry:
        try:
            return self._entry(item)
        except Exception as error:
            return self.lost(time.time(), told(error))

    def lost(self, at: float, reason: str) -> Entry:
        """Count an item that cannot be written; give what is written in its place."""
        with self._lock:
            self._dropped += 1
        logger.error("abs_shield's decision log lost a record: %s", reason)
        return Gap(at, reason).entry()

    def _written(self) -> bool:
        try:
            if self._held:
                self._write(self._held)
        except Exception as error:
            if not self._error:
                logger.warning("abs_shield's decision log waits: %s", error)
            self._error = str(error) or type(error).__name__
            return False
        if self._error:
            logger.warning("abs_shield's decision log is written again")
            self._error = ""
        self._reach()
        return True

    def _reach(self) -> None:
        with self._lock:
            reached = [mark for mark in self._marks if mark.taken <= self._taken]
            self._marks = [mark for mark in self._marks if mark.taken > self._taken]
        for mark in reached:
            mark.reached.set()

    def _rest(self, idle: int) -> None:
        """Wait a moment for more; after a while until somebody calls."""
        if idle < _IDLE_ROUNDS:
            self._awake.wait(EVERY_S)
        else:
            self._asleep = True
            if not self._buffer and not self._closing:
                self._awake.wait()
            self._asleep = False
        self._awake.clear()
