"""
Processes of this machine; a chunk whose worker is killed is tried again.

Each worker has a pipe of its own, so that it is known whose chunk was lost: an executor of the
standard library loses all of them, and says of none which one it was.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from multiprocessing.resource_tracker import ensure_running
from threading import Thread
from typing import Any, TypeVar

from abs_shield.errors import ReplayError
from abs_shield.replay.chunks import Chunk
from abs_shield.replay.engine_job import (
    TRIES,
    Job,
    WorkerPool,
    most_workers,
    pack_job,
    processors,
    run_packed_job,
)
from abs_shield.text.show import escaped, told

P = TypeVar("P")
_AHEAD = 2
"""Chunks a worker that may be judged while an earlier one is waited for."""


def processes(job: Job[P], chunks: Iterable[Chunk], pool: WorkerPool) -> Generator[P, None, None]:
    """
    Do the job in *pool.workers* processes; each is started when there is a chunk for it.

    Raises:
        ReplayError: One chunk killed its worker three times, or there are too many workers.
    """
    count = processors() if pool.workers is None else pool.workers
    if count > most_workers():
        raise ReplayError(f"{count} processes are too many here; ask for {most_workers()} at most")
    workers: list[_Worker] = []
    under_way: deque[_Task] = deque()
    packed_job = pack_job(job)
    try:
        for chunk in chunks:
            under_way.append(_Task(chunk))
            _idle(workers, packed_job, most=count).take(under_way[-1])
            while under_way and (under_way[0].done or len(under_way) > count * _AHEAD):
                yield _first(under_way, workers)
        while under_way:
            yield _first(under_way, workers)
    finally:
        for worker in workers:
            worker.end()


@dataclass(slots=True)
class _Task:
    chunk: Chunk
    tries: int = 0
    result: Callable[[], Any] | None = None

    @property
    def done(self) -> bool:
        return self.result is not None


def _idle(workers: list[_Worker], job: bytes, *, most: int) -> _Worker:
    """Return a worker that has nothing to do, as soon as there is one; a new one up to *most*."""
    while True:
        for worker in workers:
            if worker.task is None:
                return worker
        if len(workers) < most:
            workers.append(_Worker(job))
            continue
        _heard(workers)


def _first(under_way: deque[_Task], workers: list[_Worker]) -> Any:
    """Wait for what comes next in order."""
    while (result := under_way[0].result) is None:
        _heard(workers)
    under_way.popleft()
    return result()


def _heard(workers: list[_Worker]) -> None:
    """Wait until a busy worker says something, or is no more."""
    busy = {worker.pipe: worker for worker in workers if worker.task is not None}
    for pipe in connection.wait(list(busy)):
        busy[pipe].hear()  # type: ignore[index]


class _Worker:
    """One process and the chunk that it has; it is started anew when it dies."""

    def __init__(self, job: bytes) -> None:
        self._job = job
        self.task: _Task | None = None
        self._start()

    def take(self, task: _Task) -> None:
        """Hand it a chunk."""
        self.task = task
        while True:
            try:
                self.pipe.send(task.chunk)
                return
            except OSError:
                self._lost(task)

    def hear(self) -> None:
        """Take its result; where it died, start it anew with the same chunk."""
        task = self.task
        if task is None:
            return
        try:
            fine, result = pickle.loads(self.pipe.recv_bytes())
        except (EOFError, OSError):
            self._lost(task)
            self.take(task)
            return
        self.task = None
        task.result = (lambda: result) if fine else (lambda: _raised(result))

    def end(self) -> None:
        """Stop it, whatever it is at."""
        self.pipe.close()
        self._process.kill()
        self._process.join()

    def _lost(self, task: _Task) -> None:
        task.tries += 1
        if task.tries >= TRIES:
            raise ReplayError(
                f"{task.chunk}: the process that judged these lines was killed {TRIES} times; "
                "is there memory enough for so many `--workers`?"
            )
        self.end()
        self._start()

    def _start(self) -> None:
        # this process has threads, so a worker is no fork of it
        context = get_context("spawn")
        try:
            pipe, other = context.Pipe()
            process = context.Process(target=_work, args=(self._job, other), daemon=True)
            with _deaf(), closing(other):
                process.start()
        except OSError as error:
            told = escaped(error.strerror or str(error))
            raise ReplayError(f"cannot start a process: {told}; ask for fewer workers") from None
        self.pipe, self._process = pipe, process


def _raised(error: Exception) -> Any:
    raise error


@contextmanager
def _deaf() -> Iterator[None]:
    """A process that is started meanwhile never hears Ctrl-C; this one hears it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    ensure_running()  # beginning with a worker, it would let Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(job: bytes, pipe: connection.Connection) -> None:
    """Be a worker: judge one chunk after the other, until there is nobody to tell."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        os.dup2(2, 1)  # what a policy prints is no part of the caller's output
    Thread(target=_follow, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            pipe.send_bytes(_outcome(job, pipe.recv()))


def _outcome(job: bytes, chunk: Chunk) -> bytes:
    try:
        part = run_packed_job(job, chunk)
    except Exception as error:
        return pickle.dumps((False, _portable(error)))
    try:
        return pickle.dumps((True, part))
    except Exception as error:
        return pickle.dumps((False, _named(error)))


def _portable(error: Exception) -> Exception:
    """Return an error that arrives: not every class of them can be pickled and read back."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return _named(error)
    return error


def _named(error: Exception) -> ReplayError:
    return ReplayError(escaped(told(error), limit=300))


def _follow() -> None:
    """End with the parent, also where that was killed."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
