"""How much of the files a command has read, while it reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress(
    what: str, files: Sequence[str], *, hidden: bool = False
) -> Iterator[Callable[[int], None]]:
    """Show it on the standard error, where that is a terminal; told of bytes as they are read."""
    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    disabled = hidden or not console.is_terminal
    total = None if "-" in files else sum(Path(file).stat().st_size for file in files)
    with Progress(
        *columns, console=console, transient=True, disable=disabled, redirect_stdout=False
    ) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)
