"""Consoles of the commands, which never interpret what a model wrote."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import IO, Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from abs_shield.core import Verdict
from abs_shield.text.show import escaped

STYLES = {Verdict.CLEAN: "green", Verdict.SUSPICIOUS: "yellow", Verdict.HALLUCINATED: "bold red"}
"""The colour of each verdict; the word or a sign always stands beside it."""
_WIDTH = 120
_HANGING = 4
"""Characters by which the further lines of a wrapped line are indented."""
_LINE = 400


class PlainConsole(Console):
    """
    A console without markup.

    Args:
        file: Where it prints; None for the standard output.
    """

    def __init__(self, file: IO[str] | None = None) -> None:
        self._wraps = file is None and sys.stdout.isatty()
        width = None if self._wraps else _WIDTH
        super().__init__(file=file, width=width, markup=False, highlight=False, emoji=False)

    def on_broken_pipe(self) -> None:
        """Raise as any file does; rich would end the program with 1."""
        raise BrokenPipeError

    def print_line(self, text: str | Text) -> None:
        """Print a line: a terminal has it wrapped between words, with an indent, a file whole."""
        line = Text(text) if isinstance(text, str) else text
        if not self._wraps:
            self.print(line, soft_wrap=True)
            return
        for one in line.split(allow_blank=True):
            self._print_wrapped(one)

    def _print_wrapped(self, line: Text) -> None:
        indent = len(line.plain) - len(line.plain.lstrip()) + _HANGING
        first, *rest = line.divide(_break_positions(line.plain, self.width, indent=indent))
        for part in (first, *(Text.assemble(" " * indent, one) for one in rest)):
            part.rstrip()
            self.print(part, soft_wrap=True)


def open_console(file: IO[str] | None = None) -> PlainConsole:
    """Return a console for a file, or for the standard output; wide where it is no terminal."""
    return PlainConsole(file)


def safe(text: object, *, style: str = "", limit: int = _LINE) -> Text:
    """Return *text* as one line that a terminal only shows."""
    return Text(escaped(str(text), limit=limit), style=style)


def line(*parts: str | Text) -> Text:
    """Join our own words and safe texts."""
    return Text.assemble(*parts)


def _break_positions(text: str, width: int, *, indent: int) -> Iterator[int]:
    """
    Yield where to break a line between its words; a word wider than *width* stays whole.

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
    """Print *value* as JSON in ASCII, so that nothing in it reaches the terminal raw."""
    print(json.dumps(value, indent=2), file=file)
