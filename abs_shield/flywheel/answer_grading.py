"""Grading of answers: strict, because accepting a wrong answer would promote a bad version."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from abs_shield.flywheel.cases import HALLUCINATION, EvaluationCase
from abs_shield.flywheel.mutate.canonical_text import normalize_numbers
from abs_shield.text.normal_form import normal
from abs_shield.text.polarity import NEGATORS, without_reply
from abs_shield.text.tokens import HEDGES, is_small
from abs_shield.text.values.date_values import MONTHS
from abs_shield.text.values.figure import (
    DATE,
    MONEY,
    SUMS,
    Figure,
    figures_agree,
    is_negative,
    is_year,
)
from abs_shield.text.values.figure_reader import figures
from abs_shield.text.values.units import units_of

# with the signs inside names: `.NET`, `C++`, `C#`, `v2.1`
_WORD = re.compile(r"\.?\w+(?:[.'\u2019_-]\w+)*(?:\+\+|#)?")
_NAME = re.compile(r"[^\W\d_][\w'\u2019]*")
_CODE = re.compile(r"\w*[a-z0-9]_\w+|\b[a-z]+[A-Z]\w*")
_PERCENT = frozenset({"%", "percent"})
_YES_NO = {"yes": "no", "no": "yes", "true": "false", "false": "true"}
_CHOICE = frozenset("or either alternatively versus vs".split())
# words by which a text mentions the expected answer and rejects it
_DENIALS = NEGATORS | frozenset(
    "wrong false incorrect untrue mistaken former formerly previously unlike except instead rather"
    " doubtful".split()
)
_OPENERS = HEDGES | MONTHS.keys() | frozenset(
    "answer result correct right final currently today here yes monday tuesday wednesday thursday"
    " friday saturday sunday call use name value".split()
)  # fmt: skip
"""Capitalised words that are not names."""
_JOINS = re.compile(r"[,;/&|]|\s-\s|\band\b")
_ITEM = re.compile(r"[^,;.:/&|]*")
_LONGEST_ITEM = 3
"""Maximum number of words of a list item; longer ones are clauses."""
# "more than 5" contains the value 5 and does not state it
_BOUND = re.compile(
    r"\b(?:(?:less|more|fewer|greater|larger|smaller|higher|lower|earlier|later|other) than|over"
    r"|under|above|below|at least|at most|up to|nearly|almost|beyond|exceeds?|exceeded|exceeding"
    r"|before|after|until|between)\s?[^\w\s]{0,3}$"
)
_UNKNOWING = re.compile(
    r"\b(?:(?:do|does|did|can|could|am|is|are|was) ?not|cannot|unable to)\s(?:\w+\s){0,2}?"
    r"(?:know|say|tell|answer|find|verify|confirm|determine|recall|known|sure|certain|available)\b"
    r"|\bunsure\b|\bunknown\b|\bno (?:information|record|records|data|answer|idea)\b"
)
_GUESSES = frozenset(
    "but however though maybe perhaps probably possibly likely presumably guess think believe"
    " suppose assume".split()
)


class _Token(NamedTuple):
    """A word or a value of a normalised text."""

    word: str
    figure: Figure | None
    negative: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Text:
    """A text as it is graded."""

    written: str
    plain: str
    tokens: tuple[_Token, ...]

    @property
    def words(self) -> list[str]:
        return [one.word for one in self.tokens if one.figure is None]

    @property
    def values(self) -> list[_Token]:
        """The values; number words count only if written with digits."""
        return [
            one
            for one in self.tokens
            if one.figure is not None and (not one.figure.soft or one.figure.text[:1].isdigit())
        ]

    def denials(self) -> int:
        return sum(word in _DENIALS or word.endswith("n't") for word in self.words)


def is_right(case: EvaluationCase, answer: str) -> bool:
    """
    Return whether an answer is right: it states the expected answer and nothing else.

    The answer contains the expected words literally, and numbers, amounts, dates and times in any
    form with the same sign, unit and currency. It has no negation, no alternatives, and no other
    value of the kind and no other name except those of the prompt. In case of doubt the answer is
    wrong. In the hallucination part, an answer that only says that it does not know is also right.

    >>> case = EvaluationCase(id="1", prompt="Apple's market cap?", expected="$3.1T")
    >>> is_right(case, "It was 3.1 trillion dollars."), is_right(case, "It was $-3.1T.")
    (True, False)
    """
    prompt, expected, reply = map(_read, (case.prompt, case.expected, answer))
    # only signs, such as `->`: nothing to search for
    if not expected.tokens:
        return expected.plain == reply.plain
    # if the prompt offers the expected answer among others, repeating the others is wrong
    offered = next(_places(prompt, expected), None) is not None
    allowed = _Text("", "", ()) if offered else prompt
    if _states(expected, reply, allowed):
        return True
    return case.part == HALLUCINATION and _abstains(reply, allowed)


# the expected answers and prompts are read for both versions and each part
@lru_cache(maxsize=1 << 13)
def _read(text: str) -> _Text:
    plain = normalize_numbers(normal(text))
    tokens, behind = list[_Token](), 0
    for figure in figures(plain):
        tokens += _words(plain, behind, figure.start)
        tokens.append(
            _Token(figure.text, figure, is_negative(plain, figure), figure.start, figure.end)
        )
        behind = figure.end + _unit_length(plain, figure)
    return _Text(text, plain, (*tokens, *_words(plain, behind, len(plain))))


def _words(plain: str, start: int, end: int) -> Iterator[_Token]:
    for match in _WORD.finditer(plain, start, end):
        word = match[0].replace("\u2019", "'").removesuffix("'s")
        # a sign in words right before a number is part of the value
        if word not in ("minus", "negative") or match.end() + 1 < end:
            yield _Token(word, None, False, *match.span())


def _unit_length(plain: str, figure: Figure) -> int:
    """Return the length of a unit's word after a number, which is a part of the value."""
    if figure.unit not in _PERCENT and not units_of(figure.unit):
        return 0
    behind = re.compile(rf"\s?{re.escape(figure.unit)}\b").match(plain, figure.end)
    return behind.end() - figure.end if behind else 0


# Statements --------------------------------------------------------------------------------------


def _states(expected: _Text, answer: _Text, allowed: _Text) -> bool:
    places = [*_places(answer, expected)]
    return (
        bool(places)
        and _agrees(expected, answer)
        and not _is_choice(expected, answer)
        and not any(_is_listed(answer, place, allowed) for place in places)
        and not any(_is_bound(answer, place) for place in places)
        and not _other_values(expected, answer, allowed)
        and not _other_names(expected, answer, allowed)
    )


def _places(text: _Text, expected: _Text) -> Iterator[tuple[int, int]]:
    """Yield the token ranges in which a text contains the expected answer."""
    n = len(expected.tokens)
    for start in range(len(text.tokens) - n + 1):
        some = text.tokens[start : start + n]
        if all(map(_is_same, expected.tokens, some)):
            yield start, start + n


def _is_same(one: _Token, other: _Token) -> bool:
    if one.figure is None or other.figure is None:
        return one.figure is other.figure and one.word == other.word
    if (one.figure.kind, one.negative) != (other.figure.kind, other.negative):
        return False
    if one.figure.kind in SUMS:
        return one.figure.value == other.figure.value and _is_same_unit(one.figure, other.figure)
    if one.figure.kind == DATE:  # a day without its year does not equal one with a year
        return one.figure.value == other.figure.value
    # in both directions: one of them may omit a part that the other has
    return figures_agree(one.figure, other.figure) and figures_agree(other.figure, one.figure)


def _is_same_unit(expected: Figure, answer: Figure) -> bool:
    if expected.kind == MONEY or {expected.unit, answer.unit} & _PERCENT:
        percent = expected.unit in _PERCENT and answer.unit in _PERCENT
        return percent or expected.unit == answer.unit
    units = units_of(expected.unit)
    return not units or units == units_of(answer.unit)


def _agrees(expected: _Text, answer: _Text) -> bool:
    """Return whether an answer has no more negations than the expected answer."""
    words = [one.word for one in answer.tokens]
    only = expected.tokens[0].word if len(expected.tokens) == 1 else ""
    # "no" is a negation itself, so counting negations fails for it
    if opposite := _YES_NO.get(only):
        stands = only in (words[0], words[-1]) and opposite not in words
        return stands and (only in _DENIALS or not answer.denials())
    reply = _read(without_reply(answer.written))
    return reply.denials() <= expected.denials()


def _is_choice(expected: _Text, answer: _Text) -> bool:
    return any(answer.words.count(word) > expected.words.count(word) for word in _CHOICE)


def _is_listed(answer: _Text, place: tuple[int, int], allowed: _Text) -> bool:
    """Return whether the expected answer is an item of a list with other items."""
    first, last = answer.tokens[place[0]], answer.tokens[place[1] - 1]
    allowed_words = {*allowed.words}
    behind = _JOINS.match(answer.plain, _blank(answer.plain, last.end))
    before = answer.plain[: first.start].rstrip()
    joined = re.search(r"(?:[,;/&|]|\s-|\band)$", before)
    items = [_ITEM.match(answer.plain, behind.end())] if behind else []
    neighbours = [item[0] for item in items if item] + (
        [re.split(r"[,;.:/&|]", before[: joined.start()])[-1]] if joined else []
    )
    return any(_is_item(item, allowed_words) for item in neighbours)


def _is_bound(answer: _Text, place: tuple[int, int]) -> bool:
    """Return whether a value is only a bound: "less than 5"."""
    first = answer.tokens[place[0]]
    return first.figure is not None and _BOUND.search(answer.plain[: first.start]) is not None


def _blank(plain: str, at: int) -> int:
    """Return the position after blanks and quotes; the blank before a dash is not skipped."""
    while plain[at : at + 1] in ("'", '"', "`", "*", ")") or (
        plain[at : at + 1] == " " and plain[at + 1 : at + 2] != "-"
    ):
        at += 1
    return at


def _is_item(text: str, allowed_words: set[str]) -> bool:
    words = [match[0] for match in _WORD.finditer(text)]
    first = words[0] if words else ""
    is_word = bool(first) and not is_small(first) and first not in _OPENERS
    return is_word and len(words) <= _LONGEST_ITEM and not {*words} <= allowed_words


def _other_values(expected: _Text, answer: _Text, allowed: _Text) -> bool:
    """Return whether an answer has an unexpected value of an expected kind."""
    wanted = [one for one in expected.tokens if one.figure is not None]
    kinds = {_group(one) for one in wanted}
    years = any(is_year(one.figure) for one in wanted if one.figure is not None)
    return any(
        _group(one) in kinds
        # a year is mostly context: "in 2024 it was 5"
        and not (one.figure is not None and is_year(one.figure) and not years)
        and not _is_among(one, [*wanted, *allowed.values])
        for one in answer.values
    )


def _group(token: _Token) -> str:
    kind = "" if token.figure is None else token.figure.kind
    return "sum" if kind in SUMS else kind


def _is_among(one: _Token, allowed: Iterable[_Token]) -> bool:
    return any(_is_same(other, one) for other in allowed)


def _other_names(expected: _Text, answer: _Text, allowed: _Text) -> bool:
    """Return whether the answer has another name than the expected one."""
    if all(one.figure is not None for one in expected.tokens):
        return False
    if any(map(str.isupper, expected.written)):
        return bool(_names(answer, expected, allowed))
    return bool(_codes(answer, expected, allowed))


def _names(answer: _Text, *allowed: _Text) -> set[str]:
    """Return capitalised words that do not occur in *allowed*, without months, days and openers."""
    capitalized = {_bare(name) for name in _NAME.findall(answer.written) if name[:1].isupper()}
    acronyms = {_bare(name) for name in _NAME.findall(answer.written) if name.isupper()}
    words = {word for text in allowed for word in _NAME.findall(text.plain)}
    return {
        name
        for name in capitalized - acronyms - {_bare(word) for word in words}
        if not is_small(name) and name not in _OPENERS
    }


def _codes(answer: _Text, *allowed: _Text) -> set[str]:
    """Return the identifiers that do not occur in *allowed*."""
    words = {word for text in allowed for word in text.words}
    return {code.lower() for code in _CODE.findall(answer.written)} - words


def _bare(name: str) -> str:
    return normal(name).replace("\u2019", "'").removesuffix("'s").strip("'")


def _abstains(answer: _Text, allowed: _Text) -> bool:
    """Return whether an answer makes no claim: it is empty, or says that it does not know."""
    if not answer.tokens:
        return True
    plain = re.sub(r"n['\u2019]t\b", " not", answer.plain)
    return (
        _UNKNOWING.search(plain) is not None
        and not _GUESSES & {*answer.words}  # "I do not know, but perhaps 5" makes a claim
        and all(_is_among(one, allowed.values) for one in answer.values)
        and not _names(answer, allowed)
        and not _codes(answer, allowed)
    )
