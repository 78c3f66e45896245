"""A text that is a table, as records: CSV, tabs, semicolons, a table of Markdown."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

MOST_CELLS = 15_000
"""Cells of one table; a larger one stays a text."""
_LONGEST = 1_000_000
_MOST_COLUMNS = 200
_FEWEST = 2
_SEPARATORS = "\t|;,"
_SIGNS = r"[\w/%()#.$\u20ac\u00a3\u00b0-]"
_NAME = re.compile(rf"[^\W\d]{_SIGNS}{{0,39}}(?:[ ]{_SIGNS}{{1,20}}){{0,4}}")
"""A column's header: at most five short words."""
_CODE = re.compile(r"\d{3}|[.]$")
_RULE = re.compile(r"[\s|:+=-]{3,4000}")
_COUNT = re.compile(r"0|-?[1-9]\d{0,14}")
_VALUE = re.compile(r"[^\w\s]{0,3}[ ]?\d|\S{0,60}\d\S{0,60}$")
"""A cell that begins with a digit, or is one word with one."""
_DIGIT = re.compile(r"\d")

Rows = Sequence[Sequence[str]]


def tabled(text: str) -> list[dict[str, Any]] | None:
    r"""
    Give the rows of a table, each as an object by the names of its columns; None of other text.

    A header of short words, then rows of equally many cells, one of them a figure. Whole numbers
    are numbers, other cells stay as they are written.

    >>> tabled("id,total\nO-1,54.20\nO-2,7")
    [{'id': 'O-1', 'total': '54.20'}, {'id': 'O-2', 'total': 7}]
    >>> tabled("Dear Mia, hello\nIt costs 5, or 6") is None
    True
    """
    if len(text) > _LONGEST or _DIGIT.search(text) is None:
        return None
    lines = [line for line in islice(text.splitlines(), MOST_CELLS) if line and not line.isspace()]
    if len(lines) < _FEWEST:
        return None
    for separator in sorted(_SEPARATORS, key=lines[0].count, reverse=True):
        rows = _rows(lines, separator) if separator in lines[0] else None
        if rows is not None and _is_table(rows):
            head = rows[0]
            return [dict(zip(head, map(_cell, row), strict=True)) for row in rows[1:]]
    return None


def _rows(lines: Sequence[str], separator: str) -> Rows | None:
    """The cells of all lines; None where they are not equally many, or too many."""
    if separator == "|":
        lines = [_inside(line) for line in lines if not _RULE.fullmatch(line)]
    rows: list[list[str]] = []
    try:
        for row in csv.reader(lines, delimiter=separator, skipinitialspace=True):
            rows.append([cell.strip() for cell in row])
            if len(row) != len(rows[0]) or len(rows) * len(row) > MOST_CELLS:
                return None
    except csv.Error:
        return None
    return rows


def _inside(line: str) -> str:
    line = line.strip()
    return line.removeprefix("|").removesuffix("|")


def _is_table(rows: Rows) -> bool:
    head, *below = rows
    if not below or not _FEWEST <= len(head) <= _MOST_COLUMNS or len(set(head)) < len(head):
        return False
    if not all(_NAME.fullmatch(name) and not _CODE.search(name) for name in head):
        return False
    return any(all(map(_VALUE.match, column)) for column in zip(*below, strict=True))


def _cell(text: str) -> Any:
    return int(text) if _COUNT.fullmatch(text) else text
