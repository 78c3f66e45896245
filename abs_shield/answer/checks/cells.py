"""The cells of an answer's tables: in which column a figure stands, and what heads the columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

_RULE = frozenset(" \t\r|:-")
_LONGEST_ROW = 2_000

Span = tuple[int, int]


class Cell(NamedTuple):
    """
    One cell of a table.

    Attributes:
        column: Its column, from 0.
        first: Where the row's first cell begins and ends.
        heads: Where the cells of the table's header begin and end, in order.
    """

    column: int
    first: Span
    heads: tuple[Span, ...]


class Cells:
    """
    The tables of one answer; time is linear.

    Args:
        answer: The answer.
        lines: Where its lines begin and end, in order.
    """

    def __init__(self, answer: str, lines: Iterable[Span]) -> None:
        self._answer = answer
        self._heads: dict[int, tuple[Span, ...]] = {}
        self._ends: dict[int, int] = {}
        above: Span = (0, 0)
        heads: tuple[Span, ...] = ()
        for start, end in lines:
            joined = start - above[1] == 1
            if joined and "|" in answer[slice(*above)] and self._is_rule(start, end):
                heads = self._spans(*above)
            elif not joined or answer.find("|", start, end) < 0:
                heads = ()
            elif heads:
                self._heads[start], self._ends[start] = heads, end
            above = start, end

    def at(self, line: int, place: int) -> Cell | None:
        """Give the cell of a place in the line that begins at *line*; None outside of tables."""
        heads = self._heads.get(line)
        if heads is None or place - line > _LONGEST_ROW:
            return None
        row = self._spans(line, self._ends[line])
        column = next((n for n, (start, end) in enumerate(row) if start <= place < end), -1)
        return Cell(column, row[0], heads) if column >= 0 else None

    def _is_rule(self, start: int, end: int) -> bool:
        row = self._answer[start:end]
        return "-" in row and len(row) <= _LONGEST_ROW and _RULE.issuperset(row)

    def _spans(self, start: int, end: int) -> tuple[Span, ...]:
        """Where the cells of a row begin and end; of a very long one the first."""
        row = self._answer[start : min(end, start + _LONGEST_ROW)]
        at = start + row.index("|") + 1 if row.lstrip().startswith("|") else start
        found = []
        for cell in self._answer[at : start + len(row)].rstrip(" \t\r").split("|"):
            found.append((at, at + len(cell)))
            at += len(cell) + 1
        return tuple(found)
