"""Errors in lines of the input, printed on the standard error: the first few, then a count."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable

from abs_shield.replay.file_lines import BadLine
from abs_shield.text.safe_display import escaped

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
