"""Warnings about unreadable lines and interleaved sessions in the input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Self

from abs_shield.cli.line_errors import LineErrors, render_line
from abs_shield.replay import BadLine, SessionStart
from abs_shield.replay.session_order import MOST, SessionKeys


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
