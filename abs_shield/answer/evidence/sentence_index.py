"""The evidence as the lexical scorer looks things up in it: sentences, words, pairs, numbers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from calendar import monthrange, weekday
from collections.abc import Iterator, Sequence

from abs_shield.answer.evidence.flatten import flatten
from abs_shield.answer.evidence.letters import runs, squeezed
from abs_shield.answer.evidence.types import Evidence, Passage, Source
from abs_shield.answer.types import Span
from abs_shield.text.months import ENGLISH
from abs_shield.text.names import name_words
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.stem import stem
from abs_shield.text.tokens import Number, Token, tokens

MOST_CHARACTERS = 1_000_000
"""Characters that are indexed; of more, the newest pieces."""
_LONGEST = 80
"""Words of a sentence; a longer one is several."""
_MOST_POSTINGS = 200
"""Sentences kept of a word; one that stands in more finds none of them."""
_LARGEST = 1_000_000
DEED = -1
"""The piece of a sentence that tells of a call."""
_MOST_DEEDS, _LONGEST_DEED = 500, 2_000
_READ = 1_000
_SHORTEST, _ENDING = 4, 3
_WEEKDAYS = [stem(f"{day}day") for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")]
_ISO = re.compile(r"(?<!\d)\d{4}-(0[1-9]|1[0-2])-[0-3]\d(?!\d)")


class Sentence:
    """
    A sentence or a line of the evidence.

    Attributes:
        start: Offset of its first character in its piece.
        end: Offset behind its last character.
        piece: Its piece's place among the indexed ones.
        words: The keys of its words and numbers, in order.
        content: The keys of those that say something, in order.
    """

    __slots__ = ("content", "end", "piece", "start", "words")

    def __init__(self, piece: int, start: int, end: int, words: list[Token]) -> None:
        self.piece, self.start, self.end = piece, start, end
        self.words = tuple(word.key for word in words)
        self.content = tuple(word.key for word in words if word.content or word.figure)


class Index:
    """
    All sentences of the evidence, and what stands in them.

    Attributes:
        pieces: The indexed pieces.
        sentences: Their sentences, in order.
        postings: The sentences of each content word or number, the first 200.
        words: All words and numbers.
        runs: All runs of letters.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.pieces = _newest(evidence)
        self.sentences: list[Sentence] = []
        self.postings: dict[str, list[int]] = {}
        self.words: set[str] = set()
        self.runs: set[str] = set()
        values: set[float] = set()
        for place, piece in enumerate(self.pieces):
            for start, end, words in _sentences(piece):
                self._add(Sentence(place, start, end, words))
                self.runs.update(runs(squeezed(piece.text[start:end])))
                values.update(_numbers(words))
        for words in _deeds(evidence):
            self._add(Sentence(DEED, 0, 0, words))
            values.update(_numbers(words))
        self.words.update(_calendar(self.pieces))
        self._values = sorted(values)

    def _add(self, sentence: Sentence) -> None:
        place = len(self.sentences)
        self.sentences.append(sentence)
        words, content = sentence.words, sentence.content
        for word in dict.fromkeys(content):
            held = self.postings.setdefault(word, [])
            if len(held) < _MOST_POSTINGS:
                held.append(place)
        self.words.update(words)

    def has(self, word: Token) -> bool:
        """Whether a word or a number stands anywhere, a number also more exactly than said."""
        if word.key in self.words:
            return True
        if word.figure is not None:
            return self._holds(word.figure)
        return word.named and word.key.isalpha() and self._begins(word.key)

    def _begins(self, name: str) -> bool:
        """Whether a name only has an ending that the evidence's has not: American of America."""
        least = max(_SHORTEST, len(name) - _ENDING)
        return any(name[:n] in self.words for n in range(least, len(name)))

    def _holds(self, number: Number) -> bool:
        first = bisect_left(self._values, number.value - number.within)
        if first < bisect_right(self._values, number.value + number.within):
            return True
        at = bisect_left(self._values, number.other)
        return self._values[at : at + 1] == [number.other]

    def window(self, place: int) -> set[str]:
        """Give the content of a sentence and its neighbours, of a line and its record's."""
        if self.sentences[place].piece == DEED:
            return set(self.sentences[place].content)
        reach = 4 if self.pieces[self.sentences[place].piece].lines else 1
        near = self.sentences[max(0, place - reach) : place + reach + 1]
        return {word for one in near for word in one.content}

    def is_statement(self, place: int) -> bool:
        """Return whether a sentence is running text that a tool returned or a document has."""
        one = self.sentences[place]
        if one.piece == DEED:
            return False
        piece = self.pieces[one.piece]
        return piece.source is Source.TOOL_RESULT and not piece.lines

    def near(self, places: Sequence[int]) -> str:
        """Give the letters of some sentences, of each the first 1,000 characters."""
        return " ".join(squeezed(self.text(place)[:_READ]) for place in places)

    def text(self, place: int) -> str:
        """Return a sentence as it stands; of a deed, which stands nowhere, nothing."""
        one = self.sentences[place]
        return "" if one.piece == DEED else self.pieces[one.piece].text[one.start : one.end]

    def span(self, place: int) -> Span | None:
        """Give a sentence as a span of its piece; None of a deed, which stands in none."""
        sentence = self.sentences[place]
        if sentence.piece == DEED:
            return None
        piece = self.pieces[sentence.piece]
        start, end = sentence.start, sentence.end
        return Span(piece.id, start, end, piece.text[start:end], _pointer(piece, start))


def _numbers(words: Sequence[Token]) -> Iterator[float]:
    for word in words:
        if word.figure:
            yield word.figure.value
            yield word.figure.other


def index_of(evidence: Evidence) -> Index:
    """Give the index of *evidence*, made once."""
    found: Index = evidence.derived(Index)
    return found


def _deeds(evidence: Evidence) -> Iterator[list[Token]]:
    """What was done, in the words of the calls that did it: the tool's name and its arguments."""
    for deed in (evidence.executed or ())[-_MOST_DEEDS:]:
        if not deed.reads:
            said = " ".join(map(str, name_words(deed.tool)))
            given = flatten(deed.arguments).text.replace("\n", " ") if deed.arguments else ""
            yield tokens(f"{said} {given}"[:_LONGEST_DEED], most=_LONGEST)


def _calendar(pieces: Sequence[Passage]) -> set[str]:
    """The months and the weekdays of days such as 2031-02-03."""
    days = {day[0] for piece in pieces for day in _ISO.finditer(piece.text[:MOST_CHARACTERS])}
    found: set[str] = set()
    for day in days:
        year, month, of_month = map(int, day.split("-"))
        found.add(ENGLISH[month - 1])
        if year and 0 < of_month <= monthrange(year, month)[1]:
            found.add(_WEEKDAYS[weekday(year, month, of_month)])
    return found


def _pointer(piece: Passage, start: int) -> str:
    line = bisect_right(piece.lines, start, key=lambda one: one[0]) - 1
    return piece.lines[line][2] if line >= 0 and start < piece.lines[line][1] else ""


def _newest(evidence: Evidence) -> list[Passage]:
    left = MOST_CHARACTERS
    kept: list[Passage] = []
    for piece in reversed(evidence.pieces):
        left -= len(piece.text)
        kept.append(piece)
        if left <= 0:
            break
    return kept[::-1]


def _sentences(piece: Passage) -> Iterator[tuple[int, int, list[Token]]]:
    """Give the places and the words of a piece's sentences or lines."""
    text = piece.text[:MOST_CHARACTERS]
    spans = ((one[0], one[1]) for one in piece.lines) if piece.lines else sentence_spans(text)
    for start, end in spans:
        words = tokens(text[start:end], most=_LARGEST)
        if piece.lines:
            words = _said(words, text.find(": ", start, end) - start)
        if len(words) <= _LONGEST:
            yield start, end, words
            continue
        for n in range(0, len(words), _LONGEST):
            some = words[n : n + _LONGEST]
            yield start + some[0].start, start + some[-1].end, some


def _said(words: list[Token], path: int) -> list[Token]:
    """The words of ``path: value``; a number of the path counts items and says nothing."""
    return [word for word in words if word.figure is None or word.start > path]
