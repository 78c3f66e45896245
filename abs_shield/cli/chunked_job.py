"""Run a job over a command's files in chunks, in order, with the engine of its options."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, redirect_stdout
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import Annotated, NamedTuple, Protocol, TypeVar

import typer

from abs_shield.cli.console import ProgressBar, progress_bar
from abs_shield.cli.usage_errors import BadInput
from abs_shield.replay import BadLine, Chunk, Job, RawLine, Ready, WorkerPool, chunks, raw_lines
from abs_shield.replay.engine_job import most_workers
from abs_shield.replay.engines import outcomes
from abs_shield.replay.session_order import sort_by_session

P = TypeVar("P")
P_co = TypeVar("P_co", covariant=True)


class MovableJob(Job[P_co], Protocol[P_co]):
    """A job that a process in another folder can run."""

    def anywhere(self) -> Job[P_co]:
        """Return the same job for a process that works in another folder."""
        ...


class JobOptions(NamedTuple):
    """
    The engine and options of a job.

    Attributes:
        engine: A name of `ENGINES`.
        workers: The workers, and where they run.
        sort: Whether the runs of a session are brought together first.
        hidden: Whether no bar is shown.
    """

    engine: str
    workers: WorkerPool
    sort: bool = False
    hidden: bool = False


@contextmanager
def run_chunks(
    job: MovableJob[P],
    files: list[str],
    *,
    options: JobOptions,
    doing: str,
    ready: Callable[[Chunk], P] | None = None,
    skipped: int = 0,
) -> Iterator[tuple[Iterator[P], JobProgress]]:
    """
    Yield the results of *job* for each chunk, in order, and the progress of the work.

    A policy's own prints go to the standard error, apart from the command's output.

    Args:
        job: The job; it is prepared here first, so that its errors appear before workers start.
        files: The input.
        options: The engine and its options.
        doing: The description shown in the progress bar.
        ready: The prepared job, if the caller prepared it already.
        skipped: Lines at the beginning that an earlier command processed already.
    """
    if ready is None:
        with redirect_stdout(sys.stderr):
            ready = job.prepare()
    here = Ready(_with_redirected_output(ready))
    # workers of Ray run in another folder, where a policy's relative path means nothing
    there = here if options.engine == "serial" else job.anywhere()
    with progress_bar(
        files, doing="sort" if options.sort else doing, hidden=options.hidden
    ) as shown:
        progress = JobProgress(shown, lines=skipped)
        lines = raw_lines(files, on_bytes=shown.advance if options.sort else progress.read)
        if options.sort:
            lines = progress.count_bytes(
                sort_by_session(lines, on_sorted=partial(shown.restart, doing))
            )
        cut = progress.track_chunks(chunks(islice(lines, skipped, None)))
        # closed also on an error, or workers would go on with queued chunks
        with closing(outcomes(there, cut, engine=options.engine, pool=options.workers)) as results:
            yield progress.track_results(results), progress


class JobProgress:
    """
    Progress up to the last chunk with a result, regardless of how far the input is read ahead.

    Attributes:
        lines: Number of processed lines.
    """

    def __init__(self, progress_bar: ProgressBar, *, lines: int = 0) -> None:
        self.lines = lines
        self._bar = progress_bar
        self._read = 0
        self._under_way: deque[tuple[int, int]] = deque()

    def add_calls(self, calls: int) -> None:
        """Add to the number of calls judged."""
        self._bar.add_calls(calls)

    def read(self, count: int) -> None:
        """Add to the number of bytes read."""
        self._read += count

    def count_bytes(self, lines: Iterable[RawLine | BadLine]) -> Iterator[RawLine | BadLine]:
        """Yield *lines*, and count their bytes as read."""
        for line in lines:
            if isinstance(line, RawLine):
                self.read(len(line.data))
            yield line

    def track_chunks(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Yield *chunks*, and record for each how far the input was read."""
        for chunk in chunks:
            self._under_way.append((len(chunk.lines), self._read))
            yield chunk

    def track_results(self, run_chunks: Iterable[P]) -> Iterator[P]:
        """Yield *parts*, which come in the order of their chunks, and advance with each."""
        for part in run_chunks:
            # the input is read ahead for the workers: only results count as done
            lines, read = self._under_way.popleft()
            self.lines += lines
            self._bar.reach(read)
            yield part


def _with_redirected_output(do: Callable[[Chunk], P]) -> Callable[[Chunk], P]:
    def track_results(chunk: Chunk) -> P:
        with redirect_stdout(sys.stderr):
            return do(chunk)

    return track_results


class EngineName(StrEnum):
    """Names of `ENGINES`, which judge the chunks."""

    SERIAL = "serial"
    PROCESSES = "processes"
    RAY = "ray"


Sort = Annotated[
    bool, typer.Option("--sort", help="Group the runs of each session first, on disk.")
]
Workers = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Judge in N processes; default: in this one.")
]
Engine = Annotated[
    EngineName | None,
    typer.Option(help="Where to judge; default: chosen by --workers and --address."),
]
Address = Annotated[
    str | None,
    typer.Option(help="A Ray cluster, as HOST:PORT, ray://HOST:PORT or auto; implies Ray."),
]


def resolve_engine(
    engine: EngineName | None, *, workers: int | None, address: str | None
) -> tuple[str, WorkerPool]:
    """
    Return the engine and its workers.

    Raises:
        BadInput: The options contradict each other.
    """
    if engine is None:
        several = EngineName.PROCESSES if (workers or 1) > 1 else EngineName.SERIAL
        engine = several if address is None else EngineName.RAY
    if address is not None and engine is not EngineName.RAY:
        raise BadInput(f"`--address` names a Ray cluster; leave it, or `--engine {engine}`, out")
    # an unset variable in a script, as `--address "$RAY"`
    if address == "":
        raise BadInput("`--address` is empty; give HOST:PORT, or `auto`")
    if engine is EngineName.SERIAL and (workers or 1) > 1:
        raise BadInput(f"`--engine serial` is one process; leave it, or `--workers {workers}`, out")
    # each process loads the policy: too many exhaust memory, and the system kills one without a
    # word
    most = most_workers()
    if engine is EngineName.PROCESSES and (workers or 1) > most:
        raise BadInput(f"`--workers {workers}` is too many for this machine; give {most} at most")
    return engine, WorkerPool(workers=workers, address=address)
