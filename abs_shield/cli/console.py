"""Consoles of the commands, which print a model's texts without interpreting them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any, TypeVar

from rich.cells import cell_len
from rich.console import Console, RenderableType
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

from abs_shield.core import Verdict
from abs_shield.text.safe_display import escaped

STYLES = {Verdict.CLEAN: "green", Verdict.SUSPICIOUS: "yellow", Verdict.HALLUCINATED: "bold red"}
"""The colour of each verdict; the word or a sign always accompanies it."""
_WIDTH = 120  # without a terminal: logs and CI pages show about so much without wrapping
_HANGING = 4  # distinct from the indent of 2 of nested lines
"""Indent of the continuation lines of a wrapped line, in characters."""
_LINE = 400  # a few lines of a terminal; a model's text may have thousands of characters


class PlainConsole(Console):
    """
    A console without markup.

    Args:
        file: The file to print to; None for the standard output.
    """

    def __init__(self, file: IO[str] | None = None) -> None:
        self._wraps = file is None and sys.stdout.isatty()
        width = None if self._wraps else _WIDTH
        super().__init__(file=file, width=width, markup=False, highlight=False, emoji=False)

    def on_broken_pipe(self) -> None:
        """Raise `BrokenPipeError`; rich would exit the program with 1."""
        raise BrokenPipeError

    def print_line(self, text: str | Text) -> None:
        """Print a line: wrapped between words with an indent on a terminal, unwrapped to a file."""
        line = Text(text) if isinstance(text, str) else text
        if not self._wraps:
            # a file or a pipe gets whole lines, so that `grep` finds them
            self.print(line, soft_wrap=True)
            return
        for one in line.split(allow_blank=True):
            self._print_wrapped(one)

    def print_report(self, parts: Iterable[RenderableType]) -> None:
        """Print the parts of a report: each text as a line, and tables as they are."""
        for part in parts:
            if isinstance(part, Text):
                self.print_line(part)
            else:
                self.print(part)

    def _print_wrapped(self, line: Text) -> None:
        indent = len(line.plain) - len(line.plain.lstrip()) + _HANGING
        first, *rest = line.divide(_break_positions(line.plain, self.width, indent=indent))
        for part in (first, *(Text.assemble(" " * indent, one) for one in rest)):
            part.rstrip()
            self.print(part, soft_wrap=True)


def open_console(file: IO[str] | None = None) -> PlainConsole:
    """Return a console for a file or the standard output; 120 columns wide without a terminal."""
    return PlainConsole(file)


def safe(text: object, *, style: str = "", limit: int = _LINE) -> Text:
    """Return *text* as one line with control characters escaped."""
    return Text(escaped(str(text), limit=limit), style=style)


def line(*parts: str | Text) -> Text:
    """Join literal words and escaped texts."""
    return Text.assemble(*parts)


def _break_positions(text: str, width: int, *, indent: int) -> Iterator[int]:
    """
    Yield the positions at which to break a line between words; long words stay whole.

    >>> [*_break_positions("label 45b6 hallucinated", 14, indent=4)]
    [11]
    """
    used = 0
    for word in re.finditer(r"\s*\S+", text):
        size = cell_len(word[0])
        if used and used + size > width:
            begin = word.end() - len(word[0].lstrip())
            yield begin
            used, size = indent, cell_len(text[begin : word.end()])
        used += size


def print_json(value: Any, *, file: IO[str] | None = None) -> None:
    """Print *value* as JSON in ASCII, so that no control character reaches the terminal."""
    print(json.dumps(value, indent=2), file=file)


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
