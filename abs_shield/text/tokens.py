"""The words and numbers of a text with stems and offsets, without citations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from abs_shield.text.sentences import TITLES as SENTENCE_TITLES
from abs_shield.text.stem import LONGEST_WORD, lowered, stem
from abs_shield.text.values.date_values import MONTHS
from abs_shield.text.values.numerals import (
    BEHIND,
    COUNTED,
    DIGITS,
    MYRIADS,
    SCALES,
    SPACED,
    WORDS,
    parse_number_words,
    parse_numeral,
)

_IN_WORDS = rf"(?=[aotfsenhmbz])(?P<words>{WORDS})\b"
_IN_LETTERS = r"[^\W\d_]+(?:['\u2019][^\W\d_]{1,4}(?![^\W\d_]))?"
_TOKEN = re.compile(
    rf"\d{{1,3}}(?: \d{{3}}){{1,6}}(?:[.,]\d{{1,2}})?(?= ?{BEHIND})"
    rf"|{DIGITS}(?![.,'\u2019]?\d)|\d+(?:[.,]\d+){{0,12}}(?![.,]?\d)"
    "|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
    rf"|{_IN_WORDS}|[^\W\d_]+\d[^\W_]*|{_IN_LETTERS}",
    re.IGNORECASE,
)
_ASCII_WORD = re.compile(rf"{_IN_WORDS}|{_IN_LETTERS}", re.IGNORECASE)
"""The tokens of an ASCII text without digits."""
_DIGIT_RUN = re.compile(r"\d+")
_LABEL = re.compile(
    r"\[\^?\d{1,4}(?:[,;\s-]{1,3}\d{1,4}){0,20}\]"
    r"|\(?\b(?:passages?|sources?|documents?|excerpts?|refs?)\s?(?:#|no\. )?\d{1,4}"
    r"(?:(?:,? and |, ?| ?& ?|-)\d{1,4}){0,12}\)?"
    r"|\b(?:options?|steps?|methods?|examples?|items?)\s\d{1,2}\b"
    r"|(?<![\w.,:/$-])\d{1,2}[.)]\s(?=[A-Z*])|\b24/7\b",
    re.IGNORECASE,
)
STOP = frozenset(  # without accents, as words are compared
    "a an the and or but if then than that this these those there here of in on at to from by for "
    "with without about into onto over under between among through during before after above below "
    "up down out off again as is am are was were be been being do does did doing have has had "
    "having will would shall should can could may might must it its it's he she they we you i "
    "me my mine your yours his her hers him them their theirs our ours us who whom whose "
    "which what when "
    "where why how all any both each few more most other some such only own same so too very just "
    "also not no nor never none cannot one ones s t d ll m o re ve y because while until since "
    "hundred hundreds thousand thousands million millions billion billions trillion percent k "
    "pm am however therefore thus hence i'm i've i'll you're he's she's that's there's "
    "they're we're "
    "der die das den dem des und oder ist sind war ein eine einen einem einer nicht mit auf von zu "
    "im in am fur als auch es er sie wir ihr sich le la les un une des du de et ou est sont dans "
    "pour par sur avec ce cette que qui il elle nous vous el los las y o en es son con por para su "
    "se al del lo una uno di che e per con non sono il gli i o a os as um uma do da em no na e "
    "\u0438 \u0432 \u043d\u0430 \u043d\u0435 \u0441 \u043f\u043e \u0434\u043b\u044f "
    "\u044d\u0442\u043e \u7684 \u662f \u4e86 \u5728 \u3067 \u306f \u306e \u3092 \u306b "
    "\u304c".split()
)
HEDGES = frozenset(
    "may might could perhaps possibly probably likely typically usually often generally sometimes "
    "approximately about around roughly nearly almost seem seems appear appears suggest suggests "
    "according based given provided passage passages document documents context text information "
    "mentioned states stated mention mentions note additionally overall summary conclusion "
    "furthermore moreover finally firstly secondly well yes actually really think believe know "
    "guess sure interesting great cool awesome amazing nice lovely wonderful fantastic "
    "excellent perfect fun funny sad crazy true agree wow oh ok okay yeah hi hello thanks "
    "thank sorry glad course "
    "definitely absolutely certainly exactly indeed honestly personally hope guess wonder".split()
)
"""Words about the speaker's attitude rather than the subject."""
TITLES = SENTENCE_TITLES | frozenset("sir dame madam".split())
"""Titles of people; the name after one does not begin a sentence."""
_DAYS = frozenset(
    f"{day}day{s}" for day in "mon tues wednes thurs fri satur sun".split() for s in ("", "s")
) | frozenset("utc gmt".split())
"""Capitalised words that are not names."""
_CLITICS = frozenset("d ll m re s t ve".split())
"""Endings after the apostrophe of a function word: `I'd`, `it'll`."""


class Number(NamedTuple):
    """
    A number of a text.

    Attributes:
        value: The number; 1.2 million is 1,200,000.
        within: Half a unit of its last digit, the largest rounding error.
        other: Its other reading, such as 1000 for ``1.000``; the same value if there is none.
    """

    value: float
    within: float
    other: float


class Token(NamedTuple):
    """
    A word or a number of a text.

    Attributes:
        key: Its form for comparison: the word's stem, or the number's value.
        start: Offset of its first character in the text.
        end: Offset after its last character.
        figure: Its number; None for words.
        content: Whether it is a content word: not a function word, a hedge or a number.
        counts: Whether it is a small number word, such as ``two``.
        is_name: Whether it is written as a name or an id.
    """

    key: str
    start: int
    end: int
    figure: Number | None
    content: bool
    counts: bool
    is_name: bool


def tokens(text: str, *, most: int) -> list[Token]:
    """
    Return the first *most* words and numbers of *text*, in order; time is linear.

    >>> [t.key for t in tokens("Flights cost $1,200 [2] in 2024-05.", most=99)]
    ['flight', 'cost', '1200', 'in', '2024', '5']
    """
    result: list[Token] = []
    # Spaces of the same length, so that offsets are unchanged.
    # Each label has a digit, and a search for one takes a fraction of the time.
    has_digit = _DIGIT_RUN.search(text) is not None
    masked = _LABEL.sub(lambda cited: " " * len(cited[0]), text) if has_digit else text
    form = _TOKEN if has_digit or not text.isascii() else _ASCII_WORD
    behind = 0
    for match in form.finditer(masked):
        start, end = match.span()
        if start < behind:  # the scale of a number: "1.2 million"
            continue
        written = match[0]
        # Most words end here, without the slower reading below.
        if written.isalpha() and len(written) <= LONGEST_WORD and not match["words"]:
            key, content, may_be_name, is_month = _word(written)
            if not is_month:
                is_name = may_be_name and bool(result) and not _opens(masked, result[-1], start)
                result.append(Token(key, start, end, None, content, False, is_name))
                behind = end
                if len(result) >= most:
                    break
                continue
        first = not result or _opens(masked, result[-1], start)
        result.extend(_read(match, masked, first))
        if result:  # characters such as "²" are digits, but not numbers
            behind = result[-1].end
        if len(result) >= most:
            break
    return result[:most]


def keys_of(text: str, *, most: int = 2_000) -> list[str]:
    """
    Return the stems of content words and the numbers of *text*, in order.

    >>> keys_of("The towers were painted in 1889."), keys_of("東京")
    (['tower', 'paint', '1889'], ['東', '京'])
    """
    return [one.key for one in tokens(text, most=most) if one.content or one.figure]


def _opens(text: str, last: Token, start: int) -> bool:
    """Return whether the word at *start*, after *last*, begins a sentence or a quotation."""
    between = text[last.end : start].strip()
    if between == "." and lowered(text[last.start : last.end]) in TITLES:
        return False
    return between[-1:] in _OPENS


_OPENS = frozenset('.!?:\u3002"\u201c(*')
_SCALE = re.compile(rf"\s?(?:([a-zA-Z]{{1,9}})(?![^\W\d_])|([{MYRIADS}]))")
_DIGITS = re.compile(SPACED)
_LONGEST_NUMBER = 15  # digits with separators: longer ones are codes, and floats are exact up to 15


def _read(match: re.Match[str], text: str, first: bool) -> Iterator[Token]:
    written = match[0]
    start, end = match.span()
    if written[0].isdigit():
        yield from _numbers(written, start, text)
        return
    if match["words"] and (number := _in_words(match["words"], start)):
        yield number
        return
    lower = lowered(written)
    if not lower.isalpha() and any(map(str.isdigit, lower)):
        yield _code(written, start)
        return
    if _is_month(written, lower, text, start, end):
        yield Token(MONTHS[lower], start, end, None, True, False, not first)
        return
    key, content, may_be_name, _ = _word(written)
    yield Token(key, start, end, None, content, False, may_be_name and not first)


def _word(written: str) -> tuple[str, bool, bool, bool]:
    """
    Return the properties of a word that do not depend on its place.

    They are its stem, whether it is a content word, whether it is a name unless it begins a
    sentence, and whether it may be a month.
    """
    return _remembered(written) if len(written) <= LONGEST_WORD else _read_word(written)


def _read_word(written: str) -> tuple[str, bool, bool, bool]:
    lower = lowered(written)
    content = not is_small(lower) and lower not in HEDGES and lower not in TITLES
    is_name = content and written[0].isupper() and lower not in _DAYS
    return stem(lower), content, is_name, lower in MONTHS


# Cached: a text has few different words; about 30,000 are a large text.
_remembered = lru_cache(maxsize=1 << 15)(_read_word)


def is_small(word: str) -> bool:
    """
    Return whether a lower-case word is a function word, which nearly every text has.

    >>> is_small("the"), is_small("i'd"), is_small("isn't"), is_small("mia's")
    (True, True, True, False)
    """
    head, _, tail = word.partition("'")
    return word in STOP or "n't" in word or (tail in _CLITICS and head in STOP)


@lru_cache(maxsize=1 << 12)
def _key(value: float) -> str:
    # Twelve digits hide rounding errors of floats: 0.1 + 0.2 is 0.3.
    return f"{value:.12g}"


_DAY_BEFORE = re.compile(r"\d(?:st|nd|rd|th)?[\s.,/-]{1,2}$")
_DAY_BEHIND = re.compile(r"[\s.,/'-]{0,2}\d")


def _is_month(written: str, lower: str, text: str, start: int, end: int) -> bool:
    """Return whether a word is a month; `APR`, `MAR` and the like only beside a day or a year."""
    if lower not in MONTHS or not written[0].isupper():
        return False
    if MONTHS[lower] == lower or not written.isupper():
        return True
    before = _DAY_BEFORE.search(text, max(0, start - 6), start)  # a day and its ending: "20th, "
    return before is not None or _DAY_BEHIND.match(text, end) is not None


def _in_words(written: str, start: int) -> Token | None:
    """Return a number in words as a token; None for one, and for a scale without a number."""
    value = parse_number_words(written)
    if value == 1 or written.casefold() in SCALES:  # "one" is mostly a pronoun
        return None
    end = start + len(written)
    step = 1 if value == value.to_integral_value() else 0.1
    return _numeral(
        Number(float(value), step / 2, float(value)), start, end, counts=value <= COUNTED
    )


def _numbers(written: str, start: int, text: str) -> Iterator[Token]:
    end = start + len(written)
    # A space, a word of at most nine letters, and the character after it.
    scaled = _SCALE.match(text, end, end + 12)
    word = (scaled[1] or scaled[2]) if scaled else ""
    scale = word if word.casefold() in SCALES else ""
    value = _number(written, scale)
    if value is not None:
        yield _numeral(value, start, scaled.end() if scaled and scale else end)
        return
    for piece in _DIGIT_RUN.finditer(written):
        left, right = start + piece.start(), start + piece.end()
        value = _number(piece[0])
        if value is None:
            yield _code(piece[0], left)
        else:
            yield _numeral(value, left, right)


@lru_cache(maxsize=1 << 12)
def _number(digits: str, scale: str = "") -> Number | None:
    """Return the number of *digits* times its scale; None for versions, addresses and codes."""
    if len(digits) > _LONGEST_NUMBER or _DIGITS.fullmatch(digits) is None:
        return None
    read = parse_numeral(digits, scale)
    return Number(float(read.values[0]), float(read.step) / 2, float(read.values[-1]))


def _code(written: str, start: int) -> Token:
    """Return the token of an id, or of digits too long for a number, with its text as key."""
    key = lowered(written[:LONGEST_WORD])
    return Token(key, start, start + len(written), None, True, False, True)


def _numeral(value: Number, start: int, end: int, *, counts: bool = False) -> Token:
    return Token(_key(value.value), start, end, value, False, counts, False)
