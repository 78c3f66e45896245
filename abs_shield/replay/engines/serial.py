"""Judge one chunk after the other, in this process."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TypeVar

from abs_shield.replay.chunks import Chunk
from abs_shield.replay.engine_job import Job, WorkerPool

P = TypeVar("P")


def serial(job: Job[P], chunks: Iterable[Chunk], pool: WorkerPool) -> Generator[P, None, None]:
    """Run the job in this process; *pool* is ignored."""
    yield from map(job.prepare(), chunks)
