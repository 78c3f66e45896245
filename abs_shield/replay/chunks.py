"""Cuts files of any size into chunks of lines, none of which splits a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from abs_shield.replay.file_lines import BadLine, lines
from abs_shield.replay.runs import Run, read_run, session_of
from abs_shield.replay.toolsets import Toolsets

MOST_BYTES = 1 << 20
"""Bytes after which a chunk ends, as soon as its session does."""
MOST_LINES = 1_000
"""Lines after which a chunk ends, as soon as its session does."""


class RawLine(NamedTuple):
    """One line as it stands in its file; *number* counts from 1."""

    path: str
    number: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines that are judged together, in one process; data that pickles."""

    lines: tuple[RawLine | BadLine, ...]

    def __str__(self) -> str:
        (first, start), (last, end) = _place(self.lines[0]), _place(self.lines[-1])
        return f"{first}:{start}-{end}" if first == last else f"{first}:{start} to {last}:{end}"


def raw_lines(
    paths: Iterable[str], *, on_bytes: Callable[[int], object] | None = None
) -> Iterator[RawLine | BadLine]:
    """
    Return the lines of one file after the other, unread.

    Raises:
        OSError: A file cannot be opened or read.
    """
    for path in paths:
        for line in lines(path, on_bytes=on_bytes):
            yield line if isinstance(line, BadLine) else RawLine(path, *line)


def chunks(
    raw: Iterable[RawLine | BadLine], *, most_bytes: int = MOST_BYTES, most_lines: int = MOST_LINES
) -> Iterator[Chunk]:
    """Return chunks of lines; one that is full grows on only while its session does."""
    held: list[RawLine | BadLine] = []
    size = 0
    for line in raw:
        full = size >= most_bytes or len(held) >= most_lines
        if held and full and not _goes_on(held[-1], line):
            yield Chunk(tuple(held))
            held, size = [], 0
        held.append(line)
        size += len(line.data) if isinstance(line, RawLine) else 0
    if held:
        yield Chunk(tuple(held))


def chunk_runs(chunk: Chunk, toolsets: Toolsets) -> Iterator[tuple[Run | BadLine, bool]]:
    """
    Return each run of a chunk, and whether a session begins with it.

    A session lasts as long as the lines that name it follow each other, such as are no runs
    included. A line that names none ends it, and so does one of which that cannot be read.
    """
    current = None
    for line in chunk.lines:
        run = line if isinstance(line, BadLine) else read_run(*line, toolsets)
        session = run.session_id if isinstance(run, Run) else _session(line)
        yield run, session is None or session != current
        current = session


def _goes_on(last: RawLine | BadLine, following: RawLine | BadLine) -> bool:
    session = _session(following)
    return session is not None and session == _session(last)


def _session(line: RawLine | BadLine) -> str | None:
    return None if isinstance(line, BadLine) else session_of(line.data)


def _place(line: RawLine | BadLine) -> tuple[str, int]:
    return (line.path, line.line) if isinstance(line, BadLine) else (line.path, line.number)
