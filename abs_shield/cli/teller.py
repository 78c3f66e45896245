"""Tells of lines that cannot be read and of sessions that come back, and counts them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from abs_shield.replay import BadLine, Begun
from abs_shield.replay.returned import MOST, SessionKeys
from abs_shield.text.show import escaped


def plainly(line: BadLine) -> str:
    """Give what is wrong with a line as one line."""
    return escaped(str(line), limit=1_000)


class Teller:
    """
    Tells, on the standard error, what is wrong with the input.

    Args:
        told_as: Gives what is printed of a line.

    Attributes:
        bad_lines: How many lines could not be read.
        returned: How often a session came back after another began.
    """

    def __init__(self, told_as: Callable[[BadLine], str] = plainly) -> None:
        self.bad_lines = 0
        self.returned = 0
        self._told_as = told_as
        self._sessions = SessionKeys()

    def bad(self, line: BadLine) -> None:
        """Tell of a line that could not be read."""
        self.bad_lines += 1
        self._tell(line)

    def hear(self, told: Iterable[BadLine | Begun]) -> None:
        """Take what stood in the next chunk."""
        for one in told:
            if isinstance(one, BadLine):
                self.bad(one)
            elif not self._first(one):
                self.returned += 1
                again = f"session {one.name} stood earlier in the input; use --sort"
                self._tell(BadLine(one.path, one.line, again))

    def _first(self, begun: Begun) -> bool:
        bounded = self._sessions.full
        first = self._sessions.add(begun.key)
        if self._sessions.full and not bounded:
            full = f"the {MOST:,}th session; of later ones none is noticed to come back"
            self._tell(BadLine(begun.path, begun.line, full))
        return first

    def _tell(self, line: BadLine) -> None:
        print(self._told_as(line), file=sys.stderr)
