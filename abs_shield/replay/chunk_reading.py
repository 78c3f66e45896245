"""Read the runs of a chunk in order, and note bad lines and the starts of sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from abs_shield.core.digest import digest
from abs_shield.replay.chunks import Chunk, chunk_runs
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.runs import Run
from abs_shield.replay.toolsets import Toolsets
from abs_shield.text.show import shown


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
