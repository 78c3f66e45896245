"""Records that an answer refers to at a place, by the names on the nearest lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from abs_shield.answer.evidence.evidence_value import LONGEST_NAME, KeyPlace
from abs_shield.answer.evidence.record_paths import Steps, is_foreign, record_of, without_indices
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.text.normal_form import normal, words
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.values.figure import DATE, ID, SUMS, Figure
from abs_shield.text.values.figure_reader import unescape_newlines

_LINE = re.compile(r"[^\n]+")
_HEADING = re.compile(
    # bounded: a long line without an end would be tried from each position
    r"[ \t]*(?:#{1,6}[ ]|\*\*.{1,200}\*\*:?[ \t]*$|[^\n]{1,200}:[*_]{0,3}[ \t]*$)"
)
_FIELD = re.compile(r"\d{1,3}[.)][ ]|[*_]{0,3}[A-Z][^:.!?\n]{0,40}:(?![^\s*_])")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_POSSESSIVE = re.compile(r"['\u2019]s\Z")
_COMPARED = re.compile(r"\b(?:vs|versus|compared)\b", re.IGNORECASE)
"""Words of a sentence that has values of two records beside one name."""
_APART = re.compile(r"[:;)]")
"""Characters that separate a value from the next name: "(12 days), Tom (3)"."""
# a sentence has some 200 characters; a line without stops may have a megabyte
_WINDOW = 1_000
"""Characters on either side that are read of a long line or sentence."""
_MOST_VALUES = 200  # a sentence with more is a table in one line
_MOST_WORDS = 200  # the same
# a status or a currency is at all records; a name is at one, or in a few results
_MOST_PLACES = 40
"""Places of one name; a name at more places identifies no record."""
# fields of one item are that many lines below its name; farther up is another item
_REACH = 12
"""Lines above that are searched for a record."""
_LONGEST_NAME = 6  # words: "The Grand Alder Hotel New York"
# "may", "ada" and "art" are names and words
_LEAST_SMALL = 4
"""Fewest letters of a name that may be written in lower case."""

Mention = tuple[int, tuple[KeyPlace, ...]]
"""Offset of a record's name in the answer, and the places of its key in the evidence."""


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    indent: int
    is_item: bool


class RecordScope:
    """
    The lines of an answer, and the records that they name.

    Args:
        answer: The answer.
        values: Its values, in order.
        index: The values of the evidence.
    """

    def __init__(self, answer: str, values: list[Figure], index: ValueIndex) -> None:
        self._answer = answer = unescape_newlines(answer)  # a model may write `\n` for a line break
        self._index = index
        self._values = values
        self._starts = [one.start for one in values]
        self._ids = [one for one in values if _may_name(one)]
        self._id_starts = [one.start for one in self._ids]
        self._lines = [_line(answer, *match.span()) for match in _LINE.finditer(answer)]
        self._line_starts = [line.start for line in self._lines]
        # cached, as each value asks for its sentence and mentions again
        self._sentences: dict[int, list[tuple[int, int]]] = {}
        self._mention_cache: dict[tuple[int, int], tuple[Mention, ...]] = {}

    # Lines and sentences -------------------------------------------------------------------------

    def line(self, at: int) -> tuple[int, int]:
        """Return the line at an offset, or the part of it that is near."""
        line = self._line_at(at)
        return max(line.start, at - _WINDOW), min(line.end, at + _WINDOW)

    def sentence(self, at: int) -> tuple[int, int]:
        """Return the sentence at an offset, or the part of it that is near."""
        line = self._line_at(at)
        spans = self._sentences_of(line)
        near = bisect_right(spans, (at, len(self._answer))) - 1
        start, end = spans[near] if near >= 0 else (line.start, line.end)
        return max(start, at - _WINDOW), min(end, at + _WINDOW)

    def _line_at(self, at: int) -> _Line:
        place = bisect_right(self._line_starts, at) - 1
        return self._lines[place] if place >= 0 else _Line(0, len(self._answer), 0, False)

    def _sentences_of(self, line: _Line) -> list[tuple[int, int]]:
        spans = self._sentences.get(line.start)
        if spans is None:
            inside = sentence_spans(self._answer[line.start : line.end])
            spans = [(line.start + start, line.start + end) for start, end in inside]
            self._sentences[line.start] = spans
        return spans

    def values_in(self, start: int, end: int) -> list[Figure]:
        """Return the values between two offsets, at most 200."""
        first = bisect_right(self._starts, start - 1)
        return self._values[first : min(bisect_right(self._starts, end - 1), first + _MOST_VALUES)]

    # Records -------------------------------------------------------------------------------------

    def keys_between(self, start: int, end: int) -> tuple[KeyPlace, ...]:
        """Return the places of the keys that a part of the answer names."""
        mentions = self._mentions(start, min(end, start + _WINDOW))
        return tuple(place for _, places in mentions for place in places)

    def records(self, value: Figure) -> tuple[KeyPlace, ...]:
        """
        Return the places of the keys of the records meant at a value.

        They are in its own sentence; else in its line; else in the nearest line above, unless
        that is a sibling item with its own value of that kind. Keys in headings above are added.
        """
        return self.paired(value) or self._records(value.start, value.kind)

    def _records(self, at: int, kind: str) -> tuple[KeyPlace, ...]:
        place = bisect_right(self._line_starts, at) - 1
        if place < 0:
            return ()
        own = self._lines[place]
        near = self._near(at, own)
        heads: list[KeyPlace] = []
        indent, below = own.indent, own
        for line in reversed(self._lines[max(0, place - _REACH) : place]):
            if not own.is_item and "\n\n" in self._answer[line.end : below.start]:
                break  # a paragraph is by itself
            below = line
            if line.indent > indent or (line.indent == indent < own.indent):
                continue  # another branch of the list
            keys = self.keys_between(line.start, line.end)
            if line.indent < indent:
                indent = line.indent
                heads += keys
            elif not near and not (line.is_item and self._has(kind, line)):
                near = keys
        return (*near, *heads)

    def paired(self, value: Figure) -> tuple[KeyPlace, ...]:
        """
        Return the record of a value, if its sentence has equally many values for each key.

        They follow the keys, or precede them: "$349 for Alder and $587 for Birch".
        """
        start, end = self.sentence(value.start)
        mentions = self._record_changes(value, start, end)
        if len(mentions) < 2 or _COMPARED.search(self._answer, start, end):
            return ()
        starts = [at for at, _ in mentions]
        counts = [0] * (len(starts) + 1)
        ends = [start] * (len(starts) + 1)
        for one in self.values_in(start, end):
            part = bisect_right(starts, one.start)
            counts[part] += one.kind == value.kind
            ends[part] = max(ends[part], one.end)
        place = bisect_right(starts, value.start)
        # "three people: Mara (12), Tom (3)"
        if place and ":" in self._answer[ends[0] : starts[0]]:
            counts[0] = 0
        if not counts[0] and counts[1] and len({*counts[1:]}) == 1:
            return mentions[place - 1][1]
        if not counts[-1] and counts[0] and len({*counts[:-1]}) == 1:
            gaps = zip(ends, starts, strict=False)
            if not any(_APART.search(self._answer, *gap) for gap in gaps):
                return mentions[place][1]
        return ()

    def nearest(self, value: Figure) -> tuple[KeyPlace, ...]:
        """Return the places of the last key before a value in its sentence, else in its line."""
        for start in (self.sentence(value.start)[0], self.line(value.start)[0]):
            if mentions := self._mentions(start, value.start):
                return mentions[-1][1]
        return ()

    def names_in(self, start: int, end: int) -> list[Mention]:
        """Return the names of one record each in a part of the answer."""
        return [one for one in self._names_in(start, end) if _is_key(one[1])]

    def subject(self, value: Figure) -> tuple[KeyPlace, ...]:
        """Return the record named before a value in its sentence, if no other is named."""
        start, end = self.sentence(value.start)
        mentions = self._record_changes(value, start, end)
        if not mentions:
            return self._records(value.start, value.kind)
        (at, places), *others = mentions
        return () if others or at > value.start else places

    def belongs_to_record(self, value: Figure) -> bool:
        """
        Return whether a value is stated as the record's own.

        This holds in a list item, and if its sentence names one record, before the value, and has
        no other value of that kind.
        """
        if self._line_at(value.start).is_item or self.paired(value):
            return True
        start, end = self.sentence(value.start)
        alike = [one for one in self.values_in(start, end) if one.kind == value.kind]
        mentions = self._mentions(start, end)
        return len(alike) == 1 and bool(mentions) and mentions[0][0] < value.start

    def _record_changes(self, value: Figure, start: int, end: int) -> list[Mention]:
        """
        Return where a sentence changes to another record, by keys of another kind than the value.
        """
        mentions = self._mentions(start, end)
        if not mentions and value.kind in SUMS:
            mentions = self._days(start, end)
        keys = [
            (at, places)
            for at, places in mentions
            # a key of the value's own kind is a value, too: two dates
            if self._kind(at) != value.kind and _is_key(places)
        ]
        first = [None, *(_records_of(places) for _, places in keys)]
        return [one for n, one in enumerate(keys) if first[n] != first[n + 1]]

    def _days(self, start: int, end: int) -> tuple[Mention, ...]:
        """Return the dates in a part of the answer that are dates of records."""
        days = (one for one in self.values_in(start, end) if one.kind == DATE)
        matches = ((day.start, self._index.find(day)) for day in days)
        return tuple(
            (at, tuple(KeyPlace(one.piece, one.steps) for one in some if one.is_result))
            for at, some in matches
        )

    def _kind(self, at: int) -> str:
        """Return the kind of the value at an offset; empty for a word."""
        place = bisect_right(self._starts, at) - 1
        return self._values[place].kind if place >= 0 and self._starts[place] == at else ""

    def _near(self, at: int, line: _Line) -> tuple[KeyPlace, ...]:
        """Return the keys of the sentence at an offset; those before it in the line come first."""
        start, end = self.sentence(at)
        before = self.keys_between(start, at)
        if before:
            return (*before, *self.keys_between(at, end))
        behind = min(line.end, at + _WINDOW) if line.is_item else end
        return (
            *self.keys_between(at, behind),
            *self.keys_between(max(line.start, at - _WINDOW), start),
        )

    def _has(self, kind: str, line: _Line) -> bool:
        return any(one.kind == kind for one in self.values_in(line.start, line.end))

    def _mentions(self, start: int, end: int) -> tuple[Mention, ...]:
        mentions = self._mention_cache.get((start, end))
        if mentions is None:
            # ids first: a name in the same sentence may be a part of the record's text
            mentions = self._ids_in(start, end) or self._names_in(start, end)
            self._mention_cache[start, end] = mentions
        return mentions

    def _ids_in(self, start: int, end: int) -> tuple[Mention, ...]:
        first = bisect_right(self._id_starts, start - 1)
        some = self._ids[first : bisect_right(self._id_starts, end - 1)]
        # a long number may be the id of a record: "order 10442"
        keys = ((one.start, str(one.value) if one.kind == ID else one.text) for one in some)
        mentions = ((at, tuple(self._index.ids.get(key, ())[:_MOST_PLACES])) for at, key in keys)
        return tuple(mention for mention in mentions if mention[1])

    def _is_beside(self, word: str, mentions: list[Mention]) -> bool:
        """Return whether a lower-case word names a record beside one named before."""
        places = (
            self._index.names.places.get(word, ()) if mentions and len(word) >= _LEAST_SMALL else ()
        )
        if len(places) != 1 or not _is_key(tuple(places)):
            return False
        field = places[0].piece, without_indices(places[0].steps)
        return any(
            field == (one.piece, without_indices(one.steps)) for _, some in mentions for one in some
        )

    def _names_in(self, start: int, end: int) -> tuple[Mention, ...]:
        first = self._index.names.beginnings
        if not first:
            return ()
        tokens = [*islice(_WORD.finditer(self._answer, start, end), _MOST_WORDS)]
        plain = [_plain(_POSSESSIVE.sub("", word[0])) for word in tokens]
        mentions: list[Mention] = []
        behind = 0
        for n, word in enumerate(tokens):
            if n < behind or plain[n].partition(" ")[0] not in first:
                continue
            # in lower case one word is no name, unless records beside it are named so
            least = 1 if word[0][0].isupper() or self._is_beside(plain[n], mentions) else 2
            # the longest name first: "New York Hotel" before "New York"
            for length in range(min(_LONGEST_NAME, len(tokens) - n), least - 1, -1):
                name = " ".join(plain[n : n + length])
                if length == 1:  # Tom, if only one name begins with it
                    name = self._index.names.first_words.get(name) or name
                else:  # Stena Spirit, if only one name ends so: MV Stena Spirit
                    name = self._index.names.shortened_names.get(name) or name
                places = self._index.names.places.get(name, ())
                if 0 < len(places) <= _MOST_PLACES:
                    mentions.append((word.start(), tuple(replace(at, name=name) for at in places)))
                    behind = n + length
                    break
        return tuple(mentions)


def _is_key(places: tuple[KeyPlace, ...]) -> bool:
    """Return whether a name identifies one record of a list, unlike a status or a currency."""
    first = {place.piece: place.steps for place in reversed(places)}
    return bool(places) and not any(is_foreign(first[at.piece], at.steps) for at in places)


def _records_of(places: tuple[KeyPlace, ...]) -> frozenset[tuple[int, Steps]]:
    return frozenset((place.piece, record_of(place.steps)) for place in places)


def _plain(word: str) -> str:
    """Return a word in the normal form of names; empty if it is longer than any name."""
    return _plain_of(word) if len(word) <= LONGEST_NAME else ""


# 16,384 words, some 2 MB: answers and evidence repeat theirs
@lru_cache(maxsize=1 << 14)
def _plain_of(word: str) -> str:
    return " ".join(words(normal(word)))


def _may_name(value: Figure) -> bool:
    return value.kind == ID or (value.kind in SUMS and len(value.text) > 3)


def _line(answer: str, start: int, end: int) -> _Line:
    text = answer[start:end]
    stripped = text.lstrip(" \t>")  # quotes of markdown
    bullet = stripped[:1] in "-*\u2022+" and stripped[1:2] in (" ", "\t")
    indent = len(text) - len(stripped) + (1 if bullet else 0)
    heading = not bullet and _HEADING.match(text) is not None  # a heading is above all items
    is_item = bullet or indent > 0 or stripped[:1] == "|" or _FIELD.match(stripped) is not None
    return _Line(start, end, -1 if heading else indent, is_item)
