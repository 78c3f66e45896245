"""What is done with each chunk of lines, and by how many: what jobs and engines both know."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar

from abs_shield.replay.chunks import Chunk

TRIES = 3
"""How often a chunk is tried where the process that has it is killed."""
MOST_WORKERS = 256
"""Processes of this machine that may work for one command; more only for more processors."""

Part_co = TypeVar("Part_co", covariant=True)
P = TypeVar("P")


class Job(Protocol[Part_co]):
    """
    What is done with every chunk: data that pickles, such as a frozen dataclass of plain fields.

    A process prepares it once. What it then gives for a chunk is a function of that chunk alone,
    whatever chunks the process has had before; it pickles, and the caller merges it in order.
    """

    def prepare(self) -> Callable[[Chunk], Part_co]:
        """Compile what every chunk needs; validators and policies do not pickle."""
        ...


@dataclass(frozen=True, slots=True)
class Ready(Generic[P]):
    """A job that is prepared already: for engines that work in this process."""

    do: Callable[[Chunk], P]

    def prepare(self) -> Callable[[Chunk], P]:
        """Return what was prepared."""
        return self.do


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerPool:
    """
    Who works.

    Attributes:
        workers: Processes; None for as many as there are processors.
        address: Where the Ray cluster is; None for one of its own on this machine.
    """

    workers: int | None = None
    address: str | None = None


class Engine(Protocol):
    """Gives what a job makes of each chunk, in the order of the chunks."""

    def __call__(
        self, job: Job[P], chunks: Iterable[Chunk], pool: WorkerPool
    ) -> Generator[P, None, None]: ...


def pack_job(job: Job[Any]) -> bytes:
    """Return a job as the bytes that travel to other processes."""
    return pickle.dumps(job)


def run_packed_job(job: bytes, chunk: Chunk) -> Any:
    """Do a packed job with one chunk; it is prepared the first time in each process."""
    return _prepared(job)(chunk)


@lru_cache(maxsize=1)
def _prepared(job: bytes) -> Callable[[Chunk], Any]:
    unpacked: Job[Any] = pickle.loads(job)
    return unpacked.prepare()


def most_workers() -> int:
    """Return the number of processes beyond which asking for more is a mistake."""
    return max(MOST_WORKERS, processors())


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
