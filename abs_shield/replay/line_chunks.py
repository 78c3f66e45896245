"""Split files of any size into chunks that hold whole sessions, and read their runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from abs_shield.core.digest import digest
from abs_shield.replay.file_lines import BadLine, lines
from abs_shield.replay.run_reader import Run, read_run, session_of
from abs_shield.replay.toolsets import Toolsets
from abs_shield.text.safe_display import shown

MOST_BYTES = 1 << 20
"""Bytes after which a chunk ends, once its session ends; smaller ones cost more to send."""
MOST_LINES = 1_000
"""Lines after which a chunk ends: short runs must reach all workers, too."""


class RawLine(NamedTuple):
    """One line of a file; *number* counts from 1."""

    path: str
    number: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines that are judged together, in one process; picklable."""

    lines: tuple[RawLine | BadLine, ...]

    def __str__(self) -> str:
        (first, start), (last, end) = _position(self.lines[0]), _position(self.lines[-1])
        return f"{first}:{start}-{end}" if first == last else f"{first}:{start} to {last}:{end}"


def raw_lines(
    paths: Iterable[str], *, on_bytes: Callable[[int], object] | None = None
) -> Iterator[RawLine | BadLine]:
    """
    Yield the lines of the files, unparsed.

    Raises:
        OSError: A file cannot be opened or read.
    """
    for path in paths:
        for line in lines(path, on_bytes=on_bytes):
            yield line if isinstance(line, BadLine) else RawLine(path, *line)


def chunks(
    raw: Iterable[RawLine | BadLine], *, most_bytes: int = MOST_BYTES, most_lines: int = MOST_LINES
) -> Iterator[Chunk]:
    """Yield chunks of lines; a full chunk grows only while its session continues."""
    current: list[RawLine | BadLine] = []
    size = 0
    for line in raw:
        full = size >= most_bytes or len(current) >= most_lines
        # a session is judged in one process, as its runs share their state
        if current and full and not _continues_session(current[-1], line):
            yield Chunk(tuple(current))
            current, size = [], 0
        current.append(line)
        size += len(line.data) if isinstance(line, RawLine) else 0
    if current:
        yield Chunk(tuple(current))


def chunk_runs(chunk: Chunk, toolsets: Toolsets) -> Iterator[tuple[Run | BadLine, bool]]:
    """
    Yield each run of a chunk, and whether a session begins with it.

    A session lasts while consecutive lines name it, including lines that are not valid runs. A
    line without a session, or whose session cannot be read, ends it.
    """
    current = None
    for line in chunk.lines:
        run = line if isinstance(line, BadLine) else read_run(*line, toolsets)
        # an invalid run of a session continues it, by the session that its line names
        session = run.session_id if isinstance(run, Run) else _session(line)
        yield run, session is None or session != current
        current = session


def _continues_session(last: RawLine | BadLine, following: RawLine | BadLine) -> bool:
    session = _session(following)
    return session is not None and session == _session(last)


def _session(line: RawLine | BadLine) -> str | None:
    return None if isinstance(line, BadLine) else session_of(line.data)


def _position(line: RawLine | BadLine) -> tuple[str, int]:
    return (line.path, line.line) if isinstance(line, BadLine) else (line.path, line.number)


class SessionStart(NamedTuple):
    """The start of a session; *name* is a printable form of its id, *key* a hash of it."""

    path: str
    line: int
    name: str
    key: int


def readable_runs(
    chunk: Chunk,
    toolsets: Toolsets,
    *,
    notes: list[BadLine | SessionStart],
    forget: Callable[[], object],
) -> Iterator[Run]:
    """
    Yield the runs of a chunk.

    Args:
        chunk: The lines.
        toolsets: The tools of runs that name theirs.
        notes: Receives invalid lines, and the starts of sessions, in order.
        forget: Called before the first run of each session, and before each run without one.
    """
    new = False
    for run, begins in chunk_runs(chunk, toolsets):
        if begins:
            forget()
        new |= begins  # a bad line may be the first of its session
        if isinstance(run, BadLine):
            notes.append(run)
            continue
        if new and run.session_id is not None:
            notes.append(session_start(run, run.session_id))
        new = False
        yield run


def session_start(run: Run, session_id: str) -> SessionStart:
    """Return the start of the session that begins with *run*."""
    # 8 bytes: some 100 million sessions without a likely collision
    key = int.from_bytes(digest(session_id, size=8), "little")
    return SessionStart(run.path, run.line, shown(session_id), key)
