"""Consoles of the commands, which print a model's texts without interpreting them."""

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
