"""
Judge chunks in local processes; a chunk whose worker is killed is tried again.

Each worker has its own pipe, so that a lost chunk is known: an executor of the standard library
loses all chunks when one worker dies, and does not name the one that was lost.
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
from abs_shield.replay.engine_job import (
    TRIES,
    Job,
    WorkerPool,
    most_workers,
    pack_job,
    processors,
    run_packed_job,
)
from abs_shield.replay.line_chunks import Chunk
from abs_shield.text.safe_display import describe_exception, escaped

P = TypeVar("P")
_AHEAD = 2
"""Chunks for each worker that may be in progress: results wait in memory for an earlier one."""


def processes(job: Job[P], chunks: Iterable[Chunk], pool: WorkerPool) -> Generator[P, None, None]:
    """
    Run the job in *pool.workers* processes; each is started when a chunk needs it.

    Raises:
        ReplayError: One chunk killed its worker three times, or there are too many workers.
    """
    count = processors() if pool.workers is None else pool.workers
    if count > most_workers():
        raise ReplayError(f"{count} processes are too many here; ask for {most_workers()} at most")
    workers: list[_Worker] = []
    in_progress: deque[_Task] = deque()
    packed_job = pack_job(job)
    try:
        for chunk in chunks:
            in_progress.append(_Task(chunk))
            _idle_worker(workers, packed_job, most=count).send(in_progress[-1])
            # finished results are passed on before more chunks are read
            while in_progress and (in_progress[0].done or len(in_progress) > count * _AHEAD):
                yield _next_result(in_progress, workers)
        while in_progress:
            yield _next_result(in_progress, workers)
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


def _idle_worker(workers: list[_Worker], job: bytes, *, most: int) -> _Worker:
    """Wait for an idle worker; start a new one if there are fewer than *most*."""
    while True:
        for worker in workers:
            if worker.task is None:
                return worker
        if len(workers) < most:
            workers.append(_Worker(job))
            continue
        _wait_for_results(workers)


def _next_result(in_progress: deque[_Task], workers: list[_Worker]) -> Any:
    """Wait for the next result in order."""
    while (result := in_progress[0].result) is None:
        _wait_for_results(workers)
    in_progress.popleft()
    return result()


def _wait_for_results(workers: list[_Worker]) -> None:
    """Wait until a busy worker sends a result, or dies."""
    busy = {worker.pipe: worker for worker in workers if worker.task is not None}
    for pipe in connection.wait(list(busy)):
        busy[pipe].receive()  # type: ignore[index]


class _Worker:
    """One process and its current chunk; it is restarted when it dies."""

    def __init__(self, job: bytes) -> None:
        self._job = job
        self.task: _Task | None = None
        self._start()

    def send(self, task: _Task) -> None:
        """Send it a chunk."""
        self.task = task
        while True:
            try:
                self.pipe.send(task.chunk)
                return
            except OSError:  # it died while it was idle
                self._restart(task)

    def receive(self) -> None:
        """Receive its result; if it died, restart it with the same chunk."""
        task = self.task
        if task is None:
            return
        try:
            fine, result = pickle.loads(self.pipe.recv_bytes())
        except (EOFError, OSError):  # it was killed while it judged
            self._restart(task)
            self.send(task)
            return
        self.task = None
        # raised when the result is next in order, as in a single process
        task.result = (lambda: result) if fine else (lambda: _raise(result))

    def end(self) -> None:
        """Stop it, even if it is busy."""
        self.pipe.close()
        self._process.kill()  # it may be busy, and has nothing to save
        self._process.join()

    def _restart(self, task: _Task) -> None:
        task.tries += 1
        if task.tries >= TRIES:
            raise ReplayError(
                f"{task.chunk}: the process that judged these lines was killed {TRIES} times; "
                "is there memory enough for so many `--workers`?"
            )
        self.end()
        self._start()

    def _start(self) -> None:
        # spawn: this process has threads, so it must not fork
        context = get_context("spawn")
        try:
            pipe, other = context.Pipe()
            process = context.Process(target=_run_worker, args=(self._job, other), daemon=True)
            with _blocked_interrupts(), closing(other):
                process.start()
        except OSError as error:  # out of processes, memory or file descriptors
            reason = escaped(error.strerror or str(error))
            raise ReplayError(f"cannot start a process: {reason}; ask for fewer workers") from None
        self.pipe, self._process = pipe, process


def _raise(error: Exception) -> Any:
    raise error


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Block SIGINT, so that a process started meanwhile ignores it; this one receives it later."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    ensure_running()  # else it starts with a worker, and unblocks SIGINT
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run_worker(job: bytes, pipe: connection.Connection) -> None:
    """Judge one chunk after the other, until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        os.dup2(2, 1)  # prints of a policy must not mix with the caller's output
    Thread(target=_exit_with_parent, daemon=True).start()
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
    except Exception as error:  # a part with objects of a user's class may not be picklable
        return pickle.dumps((False, _as_replay_error(error)))


def _portable(error: Exception) -> Exception:
    """Return an error that can be pickled: not every class can."""
    try:
        pickle.loads(pickle.dumps(error))  # both ways: some exceptions can be written but not read
    except Exception:
        return _as_replay_error(error)
    return error


def _as_replay_error(error: Exception) -> ReplayError:
    return ReplayError(escaped(describe_exception(error), limit=300))


def _exit_with_parent() -> None:
    """Exit when the parent does, even if it was killed."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)  # without clean-up: nobody reads the results
