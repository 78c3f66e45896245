"""The sentences of an output, with each figure replaced by a mark of one character."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from abs_shield.text.citations import citations
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.stem import stem
from abs_shield.text.tokens import keys_of, tokens
from abs_shield.text.values.date_values import MONTHS
from abs_shield.text.values.figure import DATE, ID, MONEY, NUMBER, SUMS, TIME, Figure, is_year
from abs_shield.text.values.figure_reader import figures
from abs_shield.text.values.number_values import NTH

_MOST_CHARACTERS = 100_000
"""Maximum number of characters read; at 16 KB the whole stage may take 160 ms."""
_LONGEST_SENTENCE = 1_000  # 150 words; patterns with gaps take long on more
"""A longer sentence is a table or not prose, and no pattern applies to it."""
_MARKS = {kind: chr(0xE001 + n) for n, kind in enumerate("NPMYDTOIX")}
"""
A private-use character for each kind of figure.

N number, P percentage, M money, Y year, D date, T time, O ordinal, I id; X is a figure that no
relation may use.
"""
_PRIVATE = re.compile("[\ue000-\uf8ff]")  # the marks above, and those of statements of facts
_MARK_OF_KIND = {MONEY: "M", DATE: "D", TIME: "T", ID: "I"}
_PIECES = re.compile(
    r"(?P<omitted>[*`]+|(?<!\w)_+|_+(?!\w))|(?P<blank>\s+)|[^*`_\s]+(?: [^*`_\s]+)*|_+"
)
_PLURAL_LEAST = 4  # "2024 was" and "2024 its" end in s as well
_NO_NOUNS = frozenset("was is has as this its does thus versus plus across".split())
_PEOPLE = frozenset("people children men women items".split())
_CALENDAR = frozenset(map(stem, (*MONTHS, *"monday tuesday wednesday thursday friday".split())))
"""Capitalised words that are not names."""
_PRONOUNS = frozenset({"one", "zero"})
"""Number words that mostly do not count anything: "the old one"."""
_HEDGED = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|ca\.?|c\.|nearly|almost|over"
    r"|under|above|below|some|estimated|(?:more|less|fewer|greater|higher|lower|other|rather)"
    r" than|at (?:least|most)|up to|as (?:many|much|few|little|high|low|long) as|close to|near"
    r"|just (?:over|under|shy of|short of|above|below)|exceed(?:s|ed|ing)?|upwards? of|well over"
    r"|minimum of|maximum of|average of|averaging|typically|usually|generally|every|any)"
    r"(?: an?)?|[~\u2248<>\u2264\u2265\u00b1]|\bno\.?|#) ?$",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"(?:^|[\s(:])[-+\u2212]\Z")
_HEDGED_BEHIND = re.compile(
    r" ?(?:\+|-?ish\b|-?odd\b|plus\b|(?:[a-z]+ ){0,2}or (?:more|so|less|fewer)\b"
    r"|-?(?:thirds?|quarters?|fifths?|sixths?|eighths?|tenths?|halves|half)\b"
    r"|(?:percentage |percent )?(?:-|\u2013)(?:%|percent))",
    re.IGNORECASE,
)
_RANGE_SIGN = re.compile(r" ?[-\u2010-\u2013/\u00d7x] ?|:| : |\u2014")
"""Text between the ends of a range; "costs: " would begin a list instead."""
_OR = re.compile(r" (?:to|or|through|vs\.?|versus) (?:[$\u20ac\u00a3])?")
_FROM = re.compile(r"\bfrom (?:[a-z]+ ){0,2}\Z", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween (?:[a-z]+ ){0,2}\Z", re.IGNORECASE)
_NEGATED = re.compile(
    r"\b(?:not|never|neither|nor|cannot|\w{2,9}n['\u2019]t|without|rather than|instead of)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|would|could|might|suppose|imagine|assuming|hypothetical(?:ly)?|for example|e\.g\.)"
    r"(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, eq=False)
class Sentence:
    """
    One sentence, with a mark of one character for each figure.

    Attributes:
        plain: Its text without emphasis and citations, with single blanks.
        places: Offset in the whole text of each character of `plain`.
        ends: Offset after each of them; for a mark, after its whole figure.
        figures: Its figures in order.
        at: Place in `plain` of each of them.
        start: Offset of its first character in the whole text.
        end: Offset after its last character.
        line: Number of its line in the whole text.
    """

    plain: str
    places: Sequence[int]
    ends: Sequence[int]
    figures: tuple[Figure, ...]
    at: tuple[int, ...]
    start: int
    end: int
    line: int

    @cached_property
    def asserts(self) -> bool:
        """True if it asserts something, without negation, supposition or question."""
        return not (
            self.plain.endswith("?")
            or _NEGATED.search(self.plain) is not None
            or _SUPPOSED.search(self.plain) is not None
        )

    @cached_property
    def names(self) -> frozenset[str]:
        """The stems of its names."""
        return frozenset(one.key for one in tokens(self.plain, most=200) if one.is_name) - _CALENDAR

    def figure(self, match: re.Match[str], name: str) -> Figure | None:
        """Return the figure matched by a group of a form, or None."""
        return None if match[name] is None else self.figure_at(match.start(name))

    def figure_at(self, place: int) -> Figure:
        """Return the figure whose mark is at *place* of `plain`."""
        return self.figures[bisect_left(self.at, place)]

    def marked(self, kinds: str, start: int = 0, end: int | None = None) -> list[Figure]:
        """Return the figures of some kinds between two places of `plain`."""
        marks = {_MARKS[kind] for kind in kinds}
        stop = len(self.plain) if end is None else end
        return [
            figure
            for figure, place in zip(self.figures, self.at, strict=True)
            if start <= place < stop and self.plain[place] in marks
        ]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the offsets in the whole text for two places of `plain`."""
        return self.places[start], self.ends[end - 1]


@dataclass(frozen=True, eq=False)
class Reading:
    """
    A text, split into sentences for guardrails and consistency checks.

    Attributes:
        text: The text, up to the maximum length.
        sentences: Its sentences in order.
    """

    text: str
    sentences: tuple[Sentence, ...]

    @cached_property
    def paragraphs(self) -> tuple[tuple[Sentence, ...], ...]:
        """The sentences of each line."""
        paragraphs: dict[int, list[Sentence]] = {}
        for sentence in self.sentences:
            paragraphs.setdefault(sentence.line, []).append(sentence)
        return tuple(map(tuple, paragraphs.values()))


# the sentences of a few outputs, each compared with many facts
@lru_cache(maxsize=1_024)
def sentence_keys(sentence: str) -> tuple[str, ...]:
    """Return the stems and numbers of a sentence; cached for facts and constraints."""
    return tuple(keys_of(sentence))


# several stages read the same output; more would keep outputs in memory
@lru_cache(maxsize=4)
def read_text(text: str) -> Reading:
    """
    Read a text for guardrails and consistency checks, in linear time.

    >>> sentence = read_text("Sales rose **10%** to $50M [1].").sentences[0]
    >>> [figure.text for figure in sentence.marked("PM")]
    ['10%', '$50M']
    """
    text = text[:_MOST_CHARACTERS]
    return Reading(text, tuple(_sentences(text)))


def unread(text: str) -> str:
    """Return why a text is not read completely; empty if it is."""
    if len(text) <= _MOST_CHARACTERS:
        return ""
    return f"only the first {_MOST_CHARACTERS:,} of {len(text):,} characters are read"


def form(pattern: str, *, exactly: bool = False) -> re.Pattern[str]:
    """
    Compile a pattern for `Sentence.plain`.

    `<name:NM>` is a figure of the kinds N or M in a group; `<NM>` is one without a group;
    `{words}` is up to five words, as few as possible, each after a blank.
    """
    pattern = pattern.replace("{words}", rf"(?: {_WORD}){{0,5}}?")
    pattern = re.sub(r"<(\w+):([A-Z]+)>", lambda m: f"(?P<{m[1]}>{_class(m[2])})", pattern)
    pattern = re.sub(r"(?<![?P])<([A-Z]+)>", lambda m: _class(m[1]), pattern)
    return re.compile(pattern, re.NOFLAG if exactly else re.IGNORECASE)


_WORD = r"[^\W\d_][\w'\u2019&/-]{0,30}"


def _class(kinds: str) -> str:
    return "[" + "".join(_MARKS[kind] for kind in kinds) + "]"


def _sentences(text: str) -> Iterator[Sentence]:
    matches = figures(text)
    cited = [(one.start, one.end) for one in citations(text)]
    first = next_cited = line = behind = 0
    for start, end in sentence_spans(text):
        line += text.count("\n", behind, start)
        behind = start
        inside: list[tuple[int, int, Figure | None]] = []
        while first < len(matches) and matches[first].start < end:
            # a figure across two sentences belongs to neither
            if matches[first].start >= start and matches[first].end <= end:
                inside.append((matches[first].start, matches[first].end, matches[first]))
            first += 1
        while next_cited < len(cited) and cited[next_cited][0] < end:
            inside.append((*cited[next_cited], None))
            next_cited += 1
        if end - start <= _LONGEST_SENTENCE:
            yield _Builder(text, start).build(sorted(inside, key=lambda one: one[:2]), end, line)


class _Builder:
    """Builds a sentence from its parts."""

    def __init__(self, text: str, start: int) -> None:
        self.text, self.start = text, start
        self.plain: list[str] = []
        self.places: list[int] = []
        self.ends: list[int] = []
        self.figures: list[Figure] = []
        self.at: list[int] = []

    def build(self, inside: list[tuple[int, int, Figure | None]], end: int, line: int) -> Sentence:
        """Return the sentence that ends at *end*, with its figures and citations *inside*."""
        behind = self.start
        for begin, stop, figure in inside:
            if begin < behind:  # inside the part before
                continue
            self._add_words(behind, begin)
            if figure is not None:
                self.figures.append(figure)
                self.at.append(len(self.plain))
                self._add(_MARKS["X"], begin, stop)
            behind = stop
        self._add_words(behind, end)
        unmarked = "".join(self.plain)
        ranged = _find_ranges(unmarked, self.figures, self.at)
        for figure, place in zip(self.figures, self.at, strict=True):
            if place not in ranged:
                self.plain[place] = _MARKS[_mark_of(figure, unmarked, place)]
        return Sentence(
            "".join(self.plain), self.places, self.ends, tuple(self.figures), tuple(self.at),
            self.start, end, line,
        )  # fmt: skip

    def _add(self, character: str, start: int, end: int) -> None:
        self.plain.append(character)
        self.places.append(start)
        self.ends.append(end)

    def _add_words(self, start: int, end: int) -> None:
        written = self.text[start:end]
        if not written.isascii():
            # a text must not contain marks of its own
            written = _PRIVATE.sub(" ", written)
        for piece in _PIECES.finditer(written):
            if piece.lastgroup == "omitted":
                continue
            at = start + piece.start()
            if piece.lastgroup == "blank":
                if self.plain and self.plain[-1] != " ":
                    self._add(" ", at, start + piece.end())
                continue
            self.plain.extend(piece[0])
            self.places.extend(range(at, at + len(piece[0])))
            self.ends.extend(range(at + 1, at + len(piece[0]) + 1))


def _mark_of(figure: Figure, plain: str, place: int) -> str:
    """Return the kind of a figure; X if its value is not exact or not one."""
    # windows as long as the longest hedge, so that a long sentence stays linear
    before, behind = plain[max(0, place - 40) : place], plain[place + 1 : place + 30]
    if figure.unit == NTH:
        return "O"
    if _HEDGED.search(before) or _HEDGED_BEHIND.match(behind):
        return "X"
    if figure.kind in SUMS and (figure.text[0] in "-+\u2212" or _SIGNED.search(before)):
        return "X"
    if figure.kind != NUMBER:
        return _MARK_OF_KIND.get(figure.kind, "X")
    if figure.text.casefold() in _PRONOUNS:
        return "X"
    if figure.unit == "%":
        return "P"
    return "X" if figure.unit == "s" else "Y" if _says_year(figure) else "N"


def _find_ranges(plain: str, figures: Sequence[Figure], at: Sequence[int]) -> set[int]:
    """Return the places of numbers that are part of a range, a fraction or a score."""
    places: set[int] = set()
    for n, (one, other) in enumerate(pairwise(figures)):
        if one.kind != other.kind or one.kind not in SUMS or (is_year(one) and is_year(other)):
            continue
        between = plain[at[n] + 1 : at[n + 1]]
        # 40 characters: enough for "from" or "between" and the two words that may follow it
        before = plain[max(0, at[n] - 40) : at[n]]
        alike = (one.unit == "%") == (other.unit == "%")
        years = is_year(one) or is_year(other)
        either = not years and _OR.fullmatch(between) and not _FROM.search(before)
        bounds = between == " and " and _BETWEEN.search(before)
        if _RANGE_SIGN.fullmatch(between) or (alike and (either or bounds)):
            places |= {at[n], at[n + 1]}
    return places


def _says_year(figure: Figure) -> bool:
    unit = figure.unit
    counted = unit in _PEOPLE or (
        unit.endswith("s") and len(unit) >= _PLURAL_LEAST and unit not in _NO_NOUNS
    )
    return is_year(figure) and not counted
