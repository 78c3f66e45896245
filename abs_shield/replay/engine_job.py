"""The job that engines run on each chunk of lines, and the pool of workers."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar

from abs_shield.replay.line_chunks import Chunk

TRIES = 3
"""Attempts for a chunk whose process is killed: a lack of memory may pass, a bad line does not."""
MOST_WORKERS = 256
"""Maximum number of local processes, unless there are more processors: each loads the package."""

Part_co = TypeVar("Part_co", covariant=True)
P = TypeVar("P")


class Job(Protocol[Part_co]):
    """
    A job that runs on every chunk: picklable, such as a frozen dataclass of plain fields.

    A process prepares it once. The result for a chunk must depend on that chunk alone, not on
    earlier chunks; it must be picklable, and the caller merges the results in order.
    """

    def prepare(self) -> Callable[[Chunk], Part_co]:
        """Compile what every chunk needs; validators and policies cannot be pickled."""
        ...


@dataclass(frozen=True, slots=True)
class Ready(Generic[P]):
    """A prepared job, for engines that run in this process."""

    do: Callable[[Chunk], P]

    def prepare(self) -> Callable[[Chunk], P]:
        """Return the prepared function."""
        return self.do


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerPool:
    """
    The number and the location of the workers.

    Attributes:
        workers: Number of processes; None for the number of processors.
        address: Address of the Ray cluster; None for a local one.
    """

    workers: int | None = None
    address: str | None = None


class Engine(Protocol):
    """Runs a job on each chunk, and yields the results in the order of the chunks."""

    def __call__(
        self, job: Job[P], chunks: Iterable[Chunk], pool: WorkerPool
    ) -> Generator[P, None, None]: ...


def pack_job(job: Job[Any]) -> bytes:
    """Return a job as bytes that can be sent to other processes."""
    return pickle.dumps(job)


def run_packed_job(job: bytes, chunk: Chunk) -> Any:
    """Run a packed job on one chunk; each process prepares it once."""
    return _prepared(job)(chunk)


# the last job only: a process serves one backtest or replay at a time
@lru_cache(maxsize=1)
def _prepared(job: bytes) -> Callable[[Chunk], Any]:
    unpacked: Job[Any] = pickle.loads(job)
    return unpacked.prepare()


def most_workers() -> int:
    """Return the maximum number of processes that is accepted."""
    return max(MOST_WORKERS, processors())


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # in a container fewer than the machine has
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
