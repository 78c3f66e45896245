"""Reads the runs of a chunk in order, and notes what whoever asked for it has to be told."""

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
    """Where a session begins; *name* is what may be shown of its id, *key* a hash of it."""

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
    Return the runs of a chunk.

    Args:
        chunk: Its lines.
        toolsets: The tools of runs that name theirs.
        notes: Takes in order the lines that are no runs, and the sessions that begin.
        forget: Called before the first run of each session, and before each that stands alone.
    """
    new = False
    for run, begins in chunk_runs(chunk, toolsets):
        if begins:
            forget()
        new |= begins
        if isinstance(run, BadLine):
            notes.append(run)
            continue
        if new and run.session_id is not None:
            notes.append(session_start(run, run.session_id))
        new = False
        yield run


def session_start(run: Run, session_id: str) -> SessionStart:
    """Return where a session begins: with *run*."""
    key = int.from_bytes(digest(session_id, size=8), "little")
    return SessionStart(run.path, run.line, shown(session_id), key)
