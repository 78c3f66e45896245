"""Errors in lines of the input, on the standard error: the first few, then a count."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable

from abs_shield.replay.file_lines import BadLine
from abs_shield.text.show import escaped

SHOWN = 5
"""Lines of one file that are shown."""


def render_line(line: BadLine) -> str:
    """Return what is wrong with a line as one line."""
    return escaped(str(line), limit=1_000)


class LineErrors:
    """
    Prints the first complaints about each file, and at the end how many more there are.

    Args:
        noun: The plural word for what is counted.
        told_as: Returns what is printed of a line.

    Attributes:
        count: All of them.
    """

    def __init__(self, noun: str, render: Callable[[BadLine], str] = render_line) -> None:
        self.count = 0
        self._noun = noun
        self._render = render
        self._by_file: Counter[str] = Counter()
        self._next: dict[str, int] = {}

    def add(self, line: BadLine, *, quiet: bool = False) -> None:
        """Count one, and print it unless it is *quiet* or there were enough."""
        self.count += 1
        self._by_file[line.path] += 1
        if self._by_file[line.path] > SHOWN:
            self._next.setdefault(line.path, line.line)
        elif not quiet:
            self._print(line)

    def close(self) -> None:
        """Print for each file how many were not shown."""
        for path, line in self._next.items():
            more = self._by_file[path] - SHOWN
            self._print(BadLine(path, line, f"from here on {more:,} more {self._noun}"))
        self._next.clear()

    def _print(self, line: BadLine) -> None:
        print(self._render(line), file=sys.stderr)
