"""Sort lines by session on disk, and detect a session that reappears after another one."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager

from abs_shield.core.digest import digest
from abs_shield.errors import ReplayError
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.line_chunks import RawLine
from abs_shield.replay.run_reader import session_of

MOST = 1 << 20
"""Maximum number of sessions that are stored: 16 MB."""


class SessionKeys:
    """
    Stores the 8-byte keys of earlier sessions.

    >>> keys = SessionKeys(most=2)
    >>> keys.add(7), keys.add(8), keys.add(7), keys.full
    (True, True, False, True)
    >>> keys.add(9), keys.add(9)  # nothing is stored beyond the bound
    (True, True)
    """

    def __init__(self, *, most: int = MOST) -> None:
        self._most = most
        self._count = 0
        self._slots = array("Q", bytes(8 * 1024))  # 1,024 slots, a power of two for the mask

    @property
    def full(self) -> bool:
        """True if later sessions are not stored any more."""
        return self._count >= self._most

    def add(self, key: int) -> bool:
        """Store *key*; return whether it is new."""
        key = key or 1  # 0 is an empty slot
        slot = self._slot(key)
        if self._slots[slot] == key:
            return False
        if not self.full:
            self._slots[slot] = key
            self._count += 1
            # half empty, so that a search takes a step or two
            if self._count * 2 > len(self._slots):
                self._grow()
        return True

    def _slot(self, key: int) -> int:
        """Return the slot of *key*, or the empty slot for it."""
        mask = len(self._slots) - 1
        slot = key & mask
        while self._slots[slot] not in (0, key):
            slot = slot + 1 & mask  # the next slot, around the end
        return slot

    def _grow(self) -> None:
        old, self._slots = self._slots, array("Q", bytes(16 * len(self._slots)))
        for key in old:
            if key:
                self._slots[self._slot(key)] = key


_TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -16384;
PRAGMA temp_store = FILE;
CREATE TABLE lines (
  place INTEGER PRIMARY KEY, rank INTEGER, path INTEGER, number INTEGER, data BLOB, reason TEXT
);
CREATE TABLE sessions (key BLOB PRIMARY KEY, rank INTEGER) WITHOUT ROWID;
BEGIN;
"""
_STEPS = 100_000  # an interrupt is noticed within some milliseconds
"""SQLite steps after which it checks for an interrupt."""


def sort_by_session(
    raw: Iterable[RawLine | BadLine], *, on_sorted: Callable[[int], object] | None = None
) -> Iterator[RawLine | BadLine]:
    """
    Yield the lines in the order of their sessions' first lines, stable within a session.

    A line without a session keeps its position. The lines are stored in an unnamed temporary file
    in `TMPDIR`, which is deleted when this ends, also after an error.

    Args:
        raw: Lines in any order.
        on_sorted: Called before the first line with the total number of bytes.

    Raises:
        ReplayError: The disk is full, or no temporary file can be created.
    """
    with _as_replay_error(), closing(sqlite3.connect("", isolation_level=None)) as disk:
        disk.set_progress_handler(lambda: None, _STEPS)  # lets Ctrl-C through
        disk.executescript(_TABLES)
        paths: dict[str, int] = {}
        total = 0
        for place, line in enumerate(raw):
            _store(disk, place, line, paths)
            total += len(line.data) if isinstance(line, RawLine) else 0
        # after the lines, which is quicker than with each line
        disk.execute("CREATE INDEX in_order ON lines (rank, place)")
        if on_sorted is not None:
            on_sorted(total)
        names = list(paths)
        ordered = "SELECT path, number, data, reason FROM lines ORDER BY rank, place"
        for path, number, data, reason in disk.execute(ordered):
            if data is None:
                yield BadLine(names[path], number, reason)
            else:
                yield RawLine(names[path], number, data)


def _store(
    disk: sqlite3.Connection, place: int, line: RawLine | BadLine, paths: dict[str, int]
) -> None:
    path = paths.setdefault(line.path, len(paths))
    if isinstance(line, BadLine):
        record: tuple[object, ...] = (place, place, path, line.line, None, line.reason)
    else:
        record = (place, _rank(disk, place, line), path, line.number, line.data, None)
    disk.execute("INSERT INTO lines VALUES (?, ?, ?, ?, ?, ?)", record)


def _rank(disk: sqlite3.Connection, place: int, line: RawLine) -> int:
    """Return the position of the first line of the same session."""
    session = session_of(line.data)
    if session is None:
        return place
    key = digest(session, size=16)  # 16 bytes, as a collision would join two sessions
    disk.execute("INSERT OR IGNORE INTO sessions VALUES (?, ?)", (key, place))
    (rank,) = disk.execute("SELECT rank FROM sessions WHERE key = ?", (key,)).fetchone()
    return int(rank)


@contextmanager
def _as_replay_error() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if "interrupted" in str(error):  # the progress handler was interrupted
            raise KeyboardInterrupt from None
        raise ReplayError(f"cannot sort: {error}; let TMPDIR name a folder with room") from None
