"""Rows of running text: of lists, tables, comma-separated values and parallel sentences."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from abs_shield.answer.evidence.record_paths import field_of, names_measure
from abs_shield.text.sentences import sentence_spans

_ITEM = re.compile(r"^(?:[-*\u2022][ ]|\|)", re.MULTILINE)
_RULE = frozenset(" \t\r:|+-")
"""The characters of the line below a table's header."""
_LABELLED = re.compile(
    r"[ \t]*(?:[-*\u2022][ ]+)?\**(?P<label>[^\W\d_][^:\n]{0,58}?)"
    r"[ ]?:[ \t]+[^\w\n-]{0,3}-?\d[\d.,]*\s*\S{0,8}"
)
_FIELD = re.compile(r"[ \t]*(?P<field>[A-Za-z_][\w -]{0,40}):[ \t]+\S")
_ENTRY = re.compile(rf"-[ ]{_FIELD.pattern}[^\n]*\n[ ]+\w")
_WORD = r"[^\W\d_a-z][\w'\u2019-]{0,30}"
_STATEMENT = re.compile(
    rf"(?P<name>{_WORD}(?:[ ]{_WORD}){{0,3}})[ ](?P<said>.*)",
    re.DOTALL,
)
"""A sentence that begins with a name."""
_NUMBER = re.compile(r"\d[\d.,]*(?<![.,])")
_LONGEST_PROSE = _LONGEST_ROW = 4_000  # parallel sentences are short; a row of more is no record
_SEPARATORS = ",\t;"
_MOST_LINES = 200
"""Lines of one row whose names are read; a longer item is a document."""
_MOST_ROWS = 20_000  # as many as the lines of a result
_LEAST_ROWS = 2  # a single row may be any sentence


@dataclass(frozen=True, slots=True)
class TextRows:
    """
    The rows of a text.

    Attributes:
        starts: The offset of each row, in order; empty for prose.
        names: The possible names of each row.
        columns: The names of the columns of a table.
        separator: The separator of a row's cells; empty if there is none.
        labelled: Whether each row is a name, a colon and a number.
        is_table: Whether each value has a name, and is not in the words of an item.
    """

    starts: list[int]
    names: list[tuple[str, ...]]
    columns: tuple[str, ...] = ()
    separator: str = ""
    labelled: bool = False
    is_table: bool = False

    def row(self, at: int) -> int:
        """Return the number of the row at an offset, from 1; 0 before the first."""
        return bisect_right(self.starts, at)

    def field(self, text: str, at: int) -> str:
        """Return the field of the value at an offset: its column, or the label before its colon."""
        if self.labelled:
            return ""
        row = self.row(at)
        if self.columns and row:
            start = self.starts[row - 1]
            if at - start > _LONGEST_ROW:
                return ""
            column = text.count(self.separator, start, at)
            return self.columns[column] if column < len(self.columns) else ""
        return field_of(text, at)


PROSE = TextRows([], [])


def rows(text: str) -> TextRows:
    """
    Return the rows of *text*, none for prose, in linear time.

    >>> rows("name,price\\nAlder,349\\nBirch,587").names
    [('Alder', '349'), ('Birch', '587')]
    >>> rows("Alder: 349\\nBirch: 587").names, rows("Alder costs 349.").starts
    ([('Alder',), ('Birch',)], [])
    """
    return next((parsed for form in _FORMS if (parsed := form(text))), PROSE)


def _items(text: str) -> TextRows | None:
    """Return the items of a list, or the rows of a table with bars."""
    starts = [item.start() for item in islice(_ITEM.finditer(text), _MOST_ROWS)]
    if len(starts) < _LEAST_ROWS:
        return None
    ends = [*starts[1:], len(text)]
    several = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    columns: tuple[str, ...] = ()
    if several[0][0] == "|" and "-" in several[1] and _RULE.issuperset(several[1].rstrip("\n")):
        columns = _cells(several[0].strip(), "|")
    if _are_records(several):
        return TextRows(starts, [tuple(_values_of(one)) for one in several], is_table=True)
    # neither the header nor the line below it names a record
    names = [() if columns and n < 2 else tuple(_names_of(one)) for n, one in enumerate(several)]
    return TextRows(starts, names, columns, "|", is_table=bool(columns))


def _are_records(items: list[str]) -> bool:
    """Return whether all items begin with the same field, as in a YAML list of objects."""
    # all or none, so that prose with one colon is no record
    fields = {match["field"] if (match := _ENTRY.match(item)) else "" for item in items}
    return len(fields) == 1 and "" not in fields


def _values_of(item: str) -> Iterator[str]:
    """Yield the field values of a YAML object, without continued lines of text."""
    first, *lines = islice(item.splitlines(), _MOST_LINES)
    width = len(lines[0]) - len(lines[0].lstrip())
    for line in (first, *lines):
        if line is first or len(line) - len(line.lstrip()) == width:
            yield line.partition(": ")[2].strip("'\"*_ ")


def _names_of(row: str) -> Iterator[str]:
    for line in islice(row.splitlines(), _MOST_LINES):
        if line[:1] == "|":
            yield from _cells(line, "|")
            continue
        yield line.partition(": ")[2].strip("'\"*_ ")


def _parse_separated(text: str) -> TextRows | None:
    """Return the rows of comma-separated values below a header."""
    lines = [*_lines(text)]
    if len(lines) <= _LEAST_ROWS:
        return None
    header = lines[0][1]
    separator = max(_SEPARATORS, key=header.count)
    count = header.count(separator)
    # a header has no digits, a first row of data usually has
    if not count or any(map(str.isdigit, header)):
        return None
    if any(line.count(separator) != count for _, line in lines):  # a comma of prose occurs unevenly
        return None
    below = lines[1:]
    names = [_cells(line, separator) for _, line in below]
    starts, columns = [start for start, _ in below], _cells(header, separator)
    return TextRows(starts, names, columns, separator, is_table=True)


def _parse_labelled(text: str) -> TextRows | None:
    """Return the rows of a text that has only lines of a name and a number: ``Alder: 349``."""
    lines = [(start, _LABELLED.fullmatch(line.rstrip())) for start, line in _lines(text)]
    if len(lines) < _LEAST_ROWS or not all(match for _, match in lines):
        return None
    names: list[tuple[str, ...]] = [(match["label"],) for _, match in lines if match]
    if any(names_measure(label) for (label,) in names):
        return None  # the fields of one record: its price, its deposit
    return TextRows([start for start, _ in lines], names, labelled=True, is_table=True)


def _paragraphs(text: str) -> TextRows | None:
    """Return the paragraphs of ``field: value`` lines that all begin with the same field."""
    starts: list[int] = []
    first, blank = "", True
    for start, line in _lines(text, blanks=True):
        if not line.strip():
            blank = True
            continue
        match = _FIELD.match(line)
        if match is None or (blank and first and match["field"] != first):
            return None
        if blank:
            first = match["field"]
            starts.append(start)
        blank = False
    if len(starts) < _LEAST_ROWS:
        return None
    ends = [*starts[1:], len(text)]
    names = [tuple(_names_of(text[a:b])) for a, b in zip(starts, ends, strict=True)]
    return TextRows(starts, names, is_table=True)


def _parallel(text: str) -> TextRows | None:
    """Return sentences that state the same about several subjects: ``Alder has 85 rooms. ...``."""
    if len(text) > _LONGEST_PROSE:
        return None
    starts: list[int] = []
    names: list[tuple[str, ...]] = []
    statements: set[str] = set()
    for start, end in sentence_spans(text):
        match = _STATEMENT.match(text, start, end)
        if match is None or _NUMBER.search(match["said"]) is None:
            return None
        starts.append(start)
        names.append((match["name"],))
        statements.add(_NUMBER.sub("0", match["said"]).rstrip(" ."))
    if len(starts) < _LEAST_ROWS or len(statements) > 1 or len({*names}) < len(names):
        return None
    return TextRows(starts, names, is_table=True)


# strict forms first: a labelled list would also be items or prose
_FORMS: tuple[Callable[[str], TextRows | None], ...] = (
    _parse_labelled,
    _items,
    _parse_separated,
    _paragraphs,
    _parallel,
)


def _lines(text: str, *, blanks: bool = False) -> Iterator[tuple[int, str]]:
    """Yield each line with its offset; blank lines only with *blanks*."""
    at = 0
    for line in islice(text.split("\n"), _MOST_ROWS):
        if blanks or line.strip():
            yield at, line
        at += len(line) + 1


def _cells(line: str, separator: str) -> tuple[str, ...]:
    return tuple(cell.strip(" \"'*_\t\r") for cell in line.split(separator))
