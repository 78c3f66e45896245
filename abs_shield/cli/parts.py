"""What is made of a command's files, part by part in their order, by whatever engine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stdout
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from abs_shield.cli.bar import Bar, bar
from abs_shield.replay import Chunk, Crew, Job, Ready, chunks, raw_lines
from abs_shield.replay.engines import outcomes
from abs_shield.replay.together import together

P = TypeVar("P")
P_co = TypeVar("P_co", covariant=True)


class MovableJob(Job[P_co], Protocol[P_co]):
    """A job that another process can do, wherever that works."""

    def anywhere(self) -> Job[P_co]:
        """Give the same job for a process that works in another folder."""
        ...


class Way(NamedTuple):
    """
    How the work is done.

    Attributes:
        engine: A name of `ENGINES`.
        crew: How many work, and where.
        sort: Whether the runs of a session are brought together first.
        hidden: Whether no bar is shown.
    """

    engine: str
    crew: Crew
    sort: bool = False
    hidden: bool = False


@contextmanager
def parts(
    job: MovableJob[P],
    files: list[str],
    *,
    way: Way,
    doing: str,
    ready: Callable[[Chunk], P] | None = None,
) -> Iterator[tuple[Iterator[P], Bar]]:
    """
    Give what *job* makes of each chunk, in order, and the bar that wants to know of it.

    What a policy prints meanwhile goes to the standard error: it is no part of the output.

    Args:
        job: What is done; what is wrong with it is said before anybody is started.
        files: The input.
        way: How it is done.
        doing: Its word for the bar.
        ready: What it is prepared to in this process, where that is done already.
    """
    if ready is None:
        with redirect_stdout(sys.stderr):
            ready = job.prepare()
    here = Ready(_aside(ready))
    there = here if way.engine == "serial" else job.anywhere()
    with bar(files, doing="sort" if way.sort else doing, hidden=way.hidden) as told:
        lines = raw_lines(files, on_bytes=told.advance)
        if way.sort:
            lines = told.over(together(lines, on_sorted=partial(told.again, doing)))
        with closing(outcomes(there, chunks(lines), engine=way.engine, crew=way.crew)) as made:
            yield made, told


def _aside(do: Callable[[Chunk], P]) -> Callable[[Chunk], P]:
    def done(chunk: Chunk) -> P:
        with redirect_stdout(sys.stderr):
            return do(chunk)

    return done
