"""
Engines that judge chunks: in this process, in local processes, or on a Ray cluster.

Every engine runs the same `Job` on the same chunks, and returns the results in their order:

>>> from abs_shield.replay.line_chunks import RawLine
>>> from abs_shield.replay.engine_job import Ready
>>> job = Ready(lambda chunk: len(chunk.lines))  # counts lines; any `Job` fits
>>> chunk = Chunk((RawLine("runs.jsonl", 1, b"{}"), RawLine("runs.jsonl", 2, b"{}")))
>>> list(outcomes(job, [chunk], engine="serial", pool=WorkerPool(workers=2)))
[2]
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TypeVar
from warnings import warn

from abs_shield.errors import ReplayError
from abs_shield.replay.engine_job import Engine, Job, WorkerPool
from abs_shield.replay.line_chunks import Chunk
from abs_shield.replay.process_engine import processes
from abs_shield.replay.ray_engine import ray
from abs_shield.text.nearest import suggest_name

P = TypeVar("P")


def serial(job: Job[P], chunks: Iterable[Chunk], pool: WorkerPool) -> Generator[P, None, None]:
    """Run the job in this process; *pool* is ignored."""
    yield from map(job.prepare(), chunks)


ENGINES: dict[str, Engine] = {"serial": serial, "processes": processes, "ray": ray}
"""Every engine by name; a chunk whose process is killed is tried three times."""


def outcomes(
    job: Job[P],
    chunks: Iterable[Chunk],
    *,
    engine: str = "serial",
    pool: WorkerPool | None = None,
    crew: WorkerPool | None = None,
) -> Generator[P, None, None]:
    """
    Run *job* on each chunk, and yield the results in order, with few chunks in progress.

    Args:
        job: The job.
        chunks: The input; see `abs_shield.replay.line_chunks`.
        engine: A name of `ENGINES`.
        pool: Number and location of the workers; `WorkerPool()` if None.
        crew: Deprecated name of *pool*.

    Raises:
        ReplayError: The engine is unknown or cannot start, or a chunk killed three workers.
    """
    if crew is not None:
        warn("`outcomes(crew=...)` is now `pool=`", DeprecationWarning, stacklevel=2)
        pool = crew
    if engine not in ENGINES:
        hint = suggest_name(engine, ENGINES, otherwise=f"there are {', '.join(ENGINES)}")
        raise ReplayError(f"no engine is named `{engine}`; {hint}")
    return ENGINES[engine](job, chunks, WorkerPool() if pool is None else pool)
