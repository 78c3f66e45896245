"""What the commands print with: consoles that never interpret what a model wrote."""

from __future__ import annotations

import json
import sys
from typing import IO, Any

from rich.console import Console
from rich.text import Text

from abs_shield.core import Verdict
from abs_shield.text.show import escaped

STYLES = {Verdict.CLEAN: "green", Verdict.SUSPICIOUS: "yellow", Verdict.HALLUCINATED: "bold red"}
"""The colour of each verdict; the word or a sign always stands beside it."""
_WIDTH = 120
_LINE = 400


class _Screen(Console):
    def on_broken_pipe(self) -> None:
        """Say that nobody reads on, as any file does; rich would end the program with 1."""
        raise BrokenPipeError


def screen(file: IO[str] | None = None) -> Console:
    """
    Give a file, or the standard output, as a console without markup; wide where it is no terminal.
    """
    width = None if file is None and sys.stdout.isatty() else _WIDTH
    return _Screen(file=file, width=width, markup=False, highlight=False, emoji=False)


def safe(text: object, *, style: str = "", limit: int = _LINE) -> Text:
    """Give *text* as one line that a terminal only shows."""
    return Text(escaped(str(text), limit=limit), style=style)


def line(*parts: str | Text) -> Text:
    """Join our own words and safe texts."""
    return Text.assemble(*parts)


def counted(count: int, noun: str) -> str:
    """
    Return a number of things in words.

    >>> counted(1, "run"), counted(1200, "call")
    ('1 run', '1,200 calls')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def print_json(value: Any, *, file: IO[str] | None = None) -> None:
    """Print *value* as JSON in ASCII, so that nothing in it reaches the terminal raw."""
    print(json.dumps(value, indent=2), file=file)
