"""Progress bars for long work, on the standard error if that is a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
    track,
)
from rich.text import Text

T = TypeVar("T")


class ProgressBar:
    """A progress bar: bytes read of the input, calls judged, and the time left."""

    def __init__(self, progress: Progress, *, files: Iterable[str], doing: str) -> None:
        files = list(files)
        has_sizes = "-" not in files  # the length of a pipe is unknown
        total = sum(Path(file).stat().st_size for file in files) if has_sizes else None
        self._progress = progress
        self._task = progress.add_task(doing, total=total, calls=0)

    def advance(self, count: int) -> None:
        """Add to the number of bytes read."""
        self._progress.advance(self._task, count)

    def add_calls(self, calls: int) -> None:
        """Add to the number of calls judged."""
        calls += self._progress.tasks[self._task].fields["calls"]
        self._progress.update(self._task, calls=calls)

    def reach(self, count: int) -> None:
        """Set the number of bytes processed from the beginning of the input."""
        self._progress.update(self._task, completed=count)

    def restart(self, doing: str, total: int) -> None:
        """Restart the bar for other work of *total* bytes."""
        self._progress.reset(self._task, description=doing, total=total)


@contextmanager
def progress_bar(
    files: Iterable[str], *, doing: str, hidden: bool = False
) -> Iterator[ProgressBar]:
    """Show a `ProgressBar` while the block runs."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"), BarColumn(), DownloadColumn(), _Rate(),
        TimeRemainingColumn(),
    )  # fmt: skip
    hidden = hidden or not console.is_terminal
    progress = Progress(
        *columns, console=console, transient=True, disable=hidden, redirect_stdout=False
    )
    # before rich 14.3 a disabled bar still writes an empty line at its end
    with nullcontext(progress) if hidden else progress:
        yield ProgressBar(progress, files=files, doing=doing)


def with_progress(items: Iterable[T], *, doing: str, total: int | None) -> Iterator[T]:
    """Yield *items*, and show how many of *total*, if known, have been read."""
    console = Console(stderr=True)
    if not console.is_terminal:  # a disabled bar ends with an empty line before rich 14.3
        yield from items
        return
    yield from track(items, doing, total=total, console=console, transient=True)


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        calls: Any = task.fields["calls"]
        return Text(f"{calls / task.elapsed:,.0f} calls/s" if calls and task.elapsed else "")
