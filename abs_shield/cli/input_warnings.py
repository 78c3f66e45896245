"""Errors and warnings about the input: unreadable lines, interleaved sessions, no lines."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Self

import typer

from abs_shield.cli.usage_errors import BadInput
from abs_shield.replay import SessionStart
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.session_order import MOST, SessionKeys
from abs_shield.text.safe_display import escaped

AllowEmpty = Annotated[bool, typer.Option("--allow-empty", help="Accept an empty input.")]


def require_input(count: int, *, noun: str, files: Sequence[str], allowed: bool) -> None:
    """
    Raise if an input is empty, so that a broken export does not pass for a good one.

    Args:
        count: Number of entries read.
        noun: The singular noun for an entry.
        files: The input files.
        allowed: Whether ``--allow-empty`` is set.

    Raises:
        BadInput: The input is empty, and that is not allowed.
    """
    if not count and not allowed:
        source = files[0] if len(files) == 1 else f"{len(files)} files"
        source = "<stdin>" if source == "-" else source
        raise BadInput(
            f"{source}: no {noun} was read; give another file, or `--allow-empty` if that is right"
        )


SHOWN = 5
"""Maximum number of errors shown for one file: in a wrong file, every line is one."""


def render_line(line: BadLine) -> str:
    """Return the error of a line as one line of text."""
    return escaped(str(line), limit=1_000)


class LineErrors:
    """
    Printer of the first errors of each file, and of the number of further ones.

    Args:
        noun: The plural noun for the counted lines.
        render: Returns the text printed for an error.

    Attributes:
        count: Number of all errors.
    """

    def __init__(self, noun: str, render: Callable[[BadLine], str] = render_line) -> None:
        self.count = 0
        self._noun = noun
        self._render = render
        self._by_file: Counter[str] = Counter()
        self._next: dict[str, int] = {}

    def add(self, line: BadLine, *, quiet: bool = False) -> None:
        """Count an error, and print it unless *quiet* or after the first few of its file."""
        self.count += 1
        self._by_file[line.path] += 1
        if self._by_file[line.path] > SHOWN:
            self._next.setdefault(line.path, line.line)
        elif not quiet:
            self._print(line)

    def close(self) -> None:
        """Print the number of errors not shown for each file."""
        for path, line in self._next.items():
            more = self._by_file[path] - SHOWN
            self._print(BadLine(path, line, f"from here on {more:,} more {self._noun}"))
        self._next.clear()

    def _print(self, line: BadLine) -> None:
        print(self._render(line), file=sys.stderr)


class InputWarnings:
    """
    Printer of warnings about the input: five per file on the standard error, then a count.

    Args:
        render: Returns the text printed for a warning.
    """

    def __init__(self, render: Callable[[BadLine], str] = render_line) -> None:
        self._render = render
        self._bad = LineErrors("lines that cannot be read", render)
        self._returned = LineErrors(
            "sessions that continue after another one began; use --sort", render
        )
        self._sessions = SessionKeys()

    @property
    def bad_lines(self) -> int:
        """Number of lines that could not be read."""
        return self._bad.count

    @property
    def returned(self) -> int:
        """Number of times a session returned after another began."""
        return self._returned.count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._bad.close()
        self._returned.close()

    def add_bad_line(self, line: BadLine) -> None:
        """Report a line that could not be read."""
        self._bad.add(line)

    def add_notes(self, notes: Iterable[BadLine | SessionStart], *, quiet: bool = False) -> None:
        """Report the notes of the next chunk, unless an interrupted run already did (*quiet*)."""
        for one in notes:
            if isinstance(one, BadLine):
                self._bad.add(one, quiet=quiet)
            elif not self._is_first(one, quiet=quiet):
                message = f"session {one.name} continues after another one began; use --sort"
                self._returned.add(BadLine(one.path, one.line, message), quiet=quiet)

    def _is_first(self, begun: SessionStart, *, quiet: bool) -> bool:
        bounded = self._sessions.full
        first = self._sessions.add(begun.key)
        # once, when the limit is reached
        if self._sessions.full and not bounded and not quiet:
            full = (
                f"only the first {MOST:,} sessions are checked for this order; use --sort if unsure"
            )
            print(self._render(BadLine(begun.path, begun.line, full)), file=sys.stderr)
        return first
