"""Which record an answer speaks of at a place: the one that the nearest line names."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from abs_shield.answer.checks.cells import Cells
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.answer.evidence.values import LONGEST_NAME, Place
from abs_shield.text.normal import normal, words
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.values.figure import ID, SUMS, Figure
from abs_shield.text.values.plain import unescaped

_LINE = re.compile(r"[^\n]+")
_HEADING = re.compile(
    r"[ \t]*(?:#{1,6}[ ]|\*\*.{1,200}\*\*:?[ \t]*$|[^\n]{1,200}:[*_]{0,3}[ \t]*$)"
)
_FIELD = re.compile(r"\d{1,3}[.)][ ]|[*_]{0,3}[A-Z][^:.!?\n]{0,40}:(?![^\s*_])")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_WINDOW = 1_000
"""Characters on either side that are looked at, in a line or a sentence that long."""
_MOST_SEEN = 200
_REACH = 12
"""Lines above in which a record is looked for."""
_MOST_COLUMNS = 20
_RESPECTIVE = re.compile(r"\b(?:respective|in that order|vice versa)", re.IGNORECASE)
_MOST_PLACES = 40
"""Places of one name; what stands in more names no record."""
_LONGEST_NAME = 6


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    indent: int
    listed: bool


class Scope:
    """
    The lines of an answer, and the records that they name.

    Args:
        answer: The answer.
        figures: Its figures, in order.
        known: The evidence.
    """

    def __init__(self, answer: str, figures: list[Figure], known: ValueIndex) -> None:
        answer = self._answer = unescaped(answer)
        self._known = known
        self._all = figures
        self._all_starts = [one.start for one in figures]
        self._ids = [one for one in figures if _may_name(one)]
        self._starts = [one.start for one in self._ids]
        self._lines = [_line(answer, *found.span()) for found in _LINE.finditer(answer)]
        self._line_starts = [line.start for line in self._lines]
        self._cells = Cells(answer, ((line.start, line.end) for line in self._lines))
        self._spans: dict[int, list[tuple[int, int]]] = {}
        self._made: dict[tuple[int, int], tuple[Place, ...]] = {}

    def around(self, at: int) -> tuple[int, int]:
        """Give the start and end of the line that holds the place *at*, or of what is near it."""
        line = self._line_at(at)
        return max(line.start, at - _WINDOW), min(line.end, at + _WINDOW)

    def sentence(self, at: int) -> tuple[int, int]:
        """Give the start and end of the sentence that holds the place *at*, or of what is near."""
        line = self._line_at(at)
        spans = self._sentences_of(line)
        near = bisect_right(spans, (at, len(self._answer))) - 1
        start, end = spans[near] if near >= 0 else (line.start, line.end)
        return max(start, at - _WINDOW), min(end, at + _WINDOW)

    def _line_at(self, at: int) -> _Line:
        place = bisect_right(self._line_starts, at) - 1
        return self._lines[place] if place >= 0 else _Line(0, len(self._answer), 0, False)

    def _sentences_of(self, line: _Line) -> list[tuple[int, int]]:
        spans = self._spans.get(line.start)
        if spans is None:
            inside = sentence_spans(self._answer[line.start : line.end])
            spans = [(line.start + start, line.start + end) for start, end in inside]
            self._spans[line.start] = spans
        return spans

    def records(self, figure: Figure) -> tuple[Place, ...]:
        """
        Give where the keys stand that say of which records the answer speaks at a figure.

        Those of its own sentence; else of its line; else of the nearest line above, unless that is
        an item beside it with a figure of that kind of its own. To these come those of the
        headings over it.
        """
        return self._records(figure.start, figure.kind)

    def above(self, at: int) -> tuple[Place, ...]:
        """Give the same at a place where no figure stands."""
        return self._records(at, "")

    def _records(self, at: int, kind: str) -> tuple[Place, ...]:
        place = bisect_right(self._line_starts, at) - 1
        if place < 0:
            return ()
        own = self._lines[place]
        heading = self._column(own.start, at)
        if heading is not None:
            return heading
        near = self._paired(at, kind) or self._near(at, own)
        heads: list[Place] = []
        indent, below = own.indent, own
        for line in reversed(self._lines[max(0, place - _REACH) : place]):
            if not own.listed and "\n\n" in self._answer[line.end : below.start]:
                break  # a paragraph stands by itself
            below = line
            if line.indent > indent or (line.indent == indent < own.indent):
                continue  # another branch of the list
            keys = self._keys(line.start, min(line.end, line.start + _WINDOW))
            if line.indent < indent:
                indent = line.indent
                heads += keys
            elif not near and not (line.listed and self._has(kind, line)):
                near = keys
        return (*near, *heads)

    def named(self, start: int, end: int) -> tuple[Place, ...]:
        """Give where the keys stand that a stretch of the answer names."""
        return self._keys(start, min(end, start + _WINDOW))

    def _column(self, line: int, at: int) -> tuple[Place, ...] | None:
        """The record that heads the column of a cell; None where no columns are records."""
        cell = self._cells.at(line, at)
        if cell is None or cell.column == 0:
            return None
        heads = [self._keys(*head) for head in cell.heads[1:_MOST_COLUMNS]]
        if len({*heads} - {()}) < 2 or self._ids_in(*cell.first):
            return None
        return heads[cell.column - 1] if cell.column <= len(heads) else ()

    def _paired(self, at: int, kind: str) -> tuple[Place, ...]:
        """The record before a figure, in a sentence that has as many of its kind after each."""
        start, end = self.sentence(at)
        first = bisect_right(self._all_starts, start - 1)
        some = self._all[first : min(bisect_right(self._all_starts, end - 1), first + _MOST_SEEN)]
        counts: list[int] = []
        named: tuple[Place, ...] = ()
        own: tuple[Place, ...] = ()
        for one in some:
            places = self._ids_in(one.start, one.start + 1) if one.kind != kind else ()
            if places and places != named:
                named = places
                counts.append(0)
            elif one.kind == kind:
                if not counts:
                    return ()
                counts[-1] += 1
                own = named if one.start == at else own
        paired = len(counts) > 1 and len({*counts}) == 1
        return own if paired and not _RESPECTIVE.search(self._answer, start, end) else ()

    def _near(self, at: int, line: _Line) -> tuple[Place, ...]:
        """The keys of a place's sentence; those before it in the line, where none stands before."""
        start, end = self.sentence(at)
        before = self._keys(start, at)
        if before:
            return (*before, *self._keys(at, end))
        behind = min(line.end, at + _WINDOW) if line.listed else end
        return (*self._keys(at, behind), *self._keys(max(line.start, at - _WINDOW), start))

    def _has(self, kind: str, line: _Line) -> bool:
        first = bisect_right(self._all_starts, line.start - 1)
        behind = bisect_right(self._all_starts, line.end - 1)
        return any(one.kind == kind for one in self._all[first : min(behind, first + _MOST_SEEN)])

    def _keys(self, start: int, end: int) -> tuple[Place, ...]:
        made = self._made.get((start, end))
        if made is None:
            made = self._made[start, end] = self._ids_in(start, end) or self._names_in(start, end)
        return made

    def _ids_in(self, start: int, end: int) -> tuple[Place, ...]:
        first = bisect_right(self._starts, start - 1)
        some = self._ids[first : bisect_right(self._starts, end - 1)]
        found: list[Place] = []
        for one in some:
            key = str(one.value) if one.kind == ID else one.text
            places = self._known.ids.get(key, ())
            found += places[:_MOST_PLACES]
        return tuple(found)

    def _names_in(self, start: int, end: int) -> tuple[Place, ...]:
        first = self._known.first_words
        if not first:
            return ()
        said = [match[0] for match in islice(_WORD.finditer(self._answer, start, end), 200)]
        plain = [_plain(word) for word in said]
        found: list[Place] = []
        behind = 0
        for n, word in enumerate(said):
            if n < behind or plain[n].partition(" ")[0] not in first:
                continue
            least = 1 if word[0].isupper() else 2
            for length in range(min(_LONGEST_NAME, len(said) - n), least - 1, -1):
                places = self._known.names.get(" ".join(plain[n : n + length]), ())
                if 0 < len(places) <= _MOST_PLACES:
                    name = " ".join(plain[n : n + length])
                    found += (replace(place, name=name) for place in places)
                    behind = n + length
                    break
        return tuple(found)


def _plain(word: str) -> str:
    """A word as names have it; nothing of one that is longer than any name."""
    return _plain_of(word) if len(word) <= LONGEST_NAME else ""


@lru_cache(maxsize=1 << 14)
def _plain_of(word: str) -> str:
    return " ".join(words(normal(word)))


def _may_name(figure: Figure) -> bool:
    return figure.kind == ID or (figure.kind in SUMS and len(figure.text) > 3)


def _line(answer: str, start: int, end: int) -> _Line:
    text = answer[start:end]
    stripped = text.lstrip(" \t>")
    bullet = stripped[:1] in "-*\u2022+" and stripped[1:2] in (" ", "\t")
    indent = len(text) - len(stripped) + (1 if bullet else 0)
    heading = not bullet and _HEADING.match(text) is not None
    listed = bullet or indent > 0 or _FIELD.match(stripped) is not None
    return _Line(start, end, -1 if heading else indent, listed)
