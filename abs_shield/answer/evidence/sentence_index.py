"""Index of the evidence for the lexical scorer: sentences, words, n-grams and numbers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from calendar import monthrange, weekday
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain

from abs_shield.answer.claim_types import Span
from abs_shield.answer.evidence.evidence_passages import Evidence, Passage, PassageSource
from abs_shield.answer.evidence.result_lines import flatten
from abs_shield.text.identifier_words import name_words
from abs_shield.text.months import ENGLISH
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.stem import stem
from abs_shield.text.tokens import Number, Token, tokens

_WORD = re.compile(r"\w+")
_WIDE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)
# four letters keep most stems; a word of Chinese or Thai has about two, without blanks
_RUN, _WIDE_RUN = 4, 2


def squeeze(text: str) -> str:
    """Return the words of *text* in lower case, separated by single blanks."""
    return " ".join(_WORD.findall(text.lower()))


def ngrams(text: str) -> list[str]:
    """
    Return all n-grams of a squeezed text: of four characters, in wide scripts of two.

    >>> ngrams("red hat"), ngrams("\u4e2d\u6587\u5b57")
    (['red ', 'ed h', 'd ha', ' hat'], ['\u4e2d\u6587', '\u6587\u5b57'])
    """
    if text.isascii() or _WIDE.search(text) is None:
        return _ngrams(text, _RUN)
    ngrams = [run for wide in _WIDE.findall(text) for run in _ngrams(wide, _WIDE_RUN)]
    return ngrams + [run for rest in _WIDE.split(text) for run in _ngrams(rest, _RUN)]


def _ngrams(text: str, size: int) -> list[str]:
    return [text[n : n + size] for n in range(len(text) - size + 1)]


MOST_CHARACTERS = 1_000_000
"""Characters that are indexed, some 400 pages; of longer evidence the newest passages."""
_LONGEST = 80
"""Words of a sentence; a longer one is split, as it would share words with any claim."""
_MOST_POSTINGS = 200
"""Sentences stored for a word: the first ones; a word of more sentences identifies none."""
_LARGEST = 1_000_000  # words; no sentence has more, as at most a million characters are read
CALL_PIECE = -1
"""The piece of a sentence that describes a call."""
# the last actions of a long run, with the first arguments of each
_MOST_CALLS, _LONGEST_CALL = 500, 2_000
_READ = 1_000  # a sentence; data without stops would make each claim as slow as all of it
_SHORTEST, _ENDING = 4, 3  # "America" to "American"; a shorter name is the beginning of many words
_WEEKDAYS = [stem(f"{day}day") for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")]
_ISO = re.compile(r"(?<!\d)\d{4}-(0[1-9]|1[0-2])-[0-3]\d(?!\d)")


class IndexedSentence:
    """
    A sentence or a line of the evidence.

    Attributes:
        start: Offset of its first character in its passage.
        end: Offset after its last character.
        piece: The position of its passage in the index.
        words: The keys of its words and numbers, in order.
        content: The keys of its content words and numbers, in order.
    """

    __slots__ = ("content", "end", "piece", "start", "words")

    def __init__(self, piece: int, start: int, end: int, words: list[Token]) -> None:
        self.piece, self.start, self.end = piece, start, end
        self.words = tuple(word.key for word in words)
        self.content = tuple(word.key for word in words if word.content or word.figure)


class SentenceIndex:
    """
    All sentences of the evidence, with their words, numbers and n-grams.

    Attributes:
        pieces: The indexed passages.
        sentences: Their sentences, in order.
        postings: The sentences of each content word or number, the first 200.
        words: All words and numbers.
        is_text: Whether all passages are running text, and none is data.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.pieces = _newest(evidence)
        self.sentences: list[IndexedSentence] = []
        self.postings: dict[str, list[int]] = {}
        self.words: set[str] = set()
        self.is_text = not any(piece.lines for piece in self.pieces)
        values: set[float] = set()
        for place, piece in enumerate(self.pieces):
            for start, end, words in _sentences(piece):
                self._add(IndexedSentence(place, start, end, words))
                values.update(_numbers(words))
        for words in _call_sentences(evidence):
            self._add(IndexedSentence(CALL_PIECE, 0, 0, words))
            values.update(_numbers(words))
        # so that "in March" is found for a date in digits
        self.words.update(_calendar(self.pieces))
        self._values = sorted(values)

    def _add(self, sentence: IndexedSentence) -> None:
        place = len(self.sentences)
        self.sentences.append(sentence)
        words, content = sentence.words, sentence.content
        for word in dict.fromkeys(content):
            places = self.postings.setdefault(word, [])
            if len(places) < _MOST_POSTINGS:
                places.append(place)
        self.words.update(words)

    @cached_property
    def ngrams(self) -> frozenset[str]:
        """All character n-grams of the sentences; collected when a score first needs them."""
        texts = map(self.text, range(len(self.sentences)))
        return frozenset(chain.from_iterable(ngrams(squeeze(text)) for text in texts))

    def has(self, word: Token) -> bool:
        """Return whether a word or number occurs, a number also in a more precise form."""
        if word.key in self.words:
            return True
        if word.figure is not None:
            return self._has_number(word.figure)
        return word.is_name and word.key.isalpha() and self._extends_word(word.key)

    def _extends_word(self, name: str) -> bool:
        """
        Return whether a name only adds an ending to one of the evidence: American for America.
        """
        least = max(_SHORTEST, len(name) - _ENDING)
        return any(name[:n] in self.words for n in range(least, len(name)))

    def _has_number(self, number: Number) -> bool:
        first = bisect_left(self._values, number.value - number.within)
        if first < bisect_right(self._values, number.value + number.within):
            return True
        at = bisect_left(self._values, number.other)  # also as a percentage of a share
        return self._values[at : at + 1] == [number.other]

    def window(self, place: int) -> set[str]:
        """Return the content words of a sentence and its neighbours, of a line and its record."""
        if self.sentences[place].piece == CALL_PIECE:
            return set(self.sentences[place].content)
        # a record has some nine fields; sentences refer to their neighbours
        reach = 4 if self.pieces[self.sentences[place].piece].lines else 1
        near = self.sentences[max(0, place - reach) : place + reach + 1]
        return {word for one in near for word in one.content}

    def is_statement(self, place: int) -> bool:
        """Return whether a sentence is running text of a tool result or a document."""
        one = self.sentences[place]
        if one.piece == CALL_PIECE:
            return False
        piece = self.pieces[one.piece]
        return piece.source is PassageSource.TOOL_RESULT and not piece.lines

    def near(self, places: Sequence[int]) -> str:
        """Return the squeezed text of some sentences, the first 1,000 characters of each."""
        return " ".join(squeeze(self.text(place)[:_READ]) for place in places)

    def text(self, place: int) -> str:
        """Return the text of a sentence; empty for a description of a call."""
        one = self.sentences[place]
        return "" if one.piece == CALL_PIECE else self.pieces[one.piece].text[one.start : one.end]

    def span(self, place: int) -> Span | None:
        """Return a sentence as a span of its passage; None for a description of a call."""
        sentence = self.sentences[place]
        if sentence.piece == CALL_PIECE:
            return None
        piece = self.pieces[sentence.piece]
        start, end = sentence.start, sentence.end
        return Span(piece.id, start, end, piece.text[start:end], _pointer(piece, start))


def _numbers(words: Sequence[Token]) -> Iterator[float]:
    for word in words:
        if word.figure:
            yield word.figure.value
            yield word.figure.other


def index_of(evidence: Evidence) -> SentenceIndex:
    """Return the index of *evidence*, built once."""
    index: SentenceIndex = evidence.derived(SentenceIndex)
    return index


def _call_sentences(evidence: Evidence) -> Iterator[list[Token]]:
    """Yield the words of each executed action: the tool's name and its arguments."""
    for action in (evidence.executed or ())[-_MOST_CALLS:]:
        if not action.reads:
            name = " ".join(map(str, name_words(action.tool)))
            arguments = (
                flatten(action.arguments).text.replace("\n", " ") if action.arguments else ""
            )
            yield tokens(f"{name} {arguments}"[:_LONGEST_CALL], most=_LONGEST)


def _calendar(pieces: Sequence[Passage]) -> set[str]:
    """Return the names of the months and weekdays of dates such as 2031-02-03."""
    days = {day[0] for piece in pieces for day in _ISO.finditer(piece.text[:MOST_CHARACTERS])}
    names: set[str] = set()
    for day in days:
        year, month, of_month = map(int, day.split("-"))
        names.add(ENGLISH[month - 1])
        if year and 0 < of_month <= monthrange(year, month)[1]:  # day 31 of a damaged date
            names.add(_WEEKDAYS[weekday(year, month, of_month)])
    return names


def _pointer(piece: Passage, start: int) -> str:
    line = bisect_right(piece.lines, start, key=lambda one: one[0]) - 1
    return piece.lines[line][2] if line >= 0 and start < piece.lines[line][1] else ""


def _newest(evidence: Evidence) -> list[Passage]:
    left = MOST_CHARACTERS
    passages: list[Passage] = []
    for piece in reversed(evidence.pieces):
        left -= len(piece.text)
        passages.append(piece)
        if left <= 0:
            break
    return passages[::-1]


def _sentences(piece: Passage) -> Iterator[tuple[int, int, list[Token]]]:
    """Yield the offsets and the words of a passage's sentences or lines."""
    text = piece.text[:MOST_CHARACTERS]
    spans = ((one[0], one[1]) for one in piece.lines) if piece.lines else sentence_spans(text)
    for start, end in spans:
        words = tokens(text[start:end], most=_LARGEST)
        if piece.lines:
            # `flights[3]` has no 3 that an answer could mean
            words = _without_path_numbers(words, text.find(": ", start, end) - start)
        if len(words) <= _LONGEST:
            yield start, end, words
            continue
        for n in range(0, len(words), _LONGEST):
            some = words[n : n + _LONGEST]
            yield start + some[0].start, start + some[-1].end, some


def _without_path_numbers(words: list[Token], path: int) -> list[Token]:
    """Return the words of a ``path: value`` line without the path's numbers, which are indices."""
    return [word for word in words if word.figure is None or word.start > path]
