"""Extraction of every figure of a text: numbers, money, dates, times and ids."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter

from abs_shield.text.citations import citations
from abs_shield.text.values.date_values import (
    DATES,
    MAYBE_MONTH,
    MONTH,
    TIMES,
    TIMES_IN_DIGITS,
    day_of,
    time_of,
)
from abs_shield.text.values.figure import (
    TIME,
    Figure,
    Figures,
    Minute,
    Value,
)
from abs_shield.text.values.number_values import (
    SIGNS,
    duration_of,
    id_of,
    list_number_of,
    money_of,
    number_of,
    ordinal_of,
    percent_of,
    range_of,
    scaled_number_of,
    token_of,
    words_of,
)
from abs_shield.text.values.numerals import (
    ALONE,
    BEFORE,
    BEHIND,
    CODES,
    CUED,
    DIGITS,
    DURATION,
    EMAIL,
    END,
    FILE,
    HOST,
    MARKS,
    PHONE,
    SCALE,
    SHORT_DURATION,
    SPACED,
    TOKEN,
    URL,
    WORDS,
)  # fmt: skip

# No form matches this character; offsets are unchanged.
_GONE = "\x00"
_RUN = re.compile(r"\d[\d.]{0,40},[\d.,]*\d")
_NUMBER = re.compile(DIGITS)
_ONE = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)*")


def unescape_newlines(text: str) -> str:
    r"""
    Return *text* with escaped line ends as real ones; offsets are unchanged.

    >>> unescape_newlines(r"one\ntwo").splitlines()
    ['one ', 'two']
    """
    return text.replace("\\n", " \n") if "\\n" in text else text


def separate_numbers(text: str) -> str:
    """
    Return *text* with a semicolon for each comma between two numbers; offsets are unchanged.

    >>> separate_numbers("3,54.20 and 0.31,127.88"), separate_numbers("1,200.50 and 12,5")
    ('3;54.20 and 0.31;127.88', '1,200.50 and 12,5')
    """
    return _RUN.sub(_separate, text) if "," in text else text


def _separate(run: re.Match[str]) -> str:
    text = run[0]
    if _NUMBER.fullmatch(text):
        return text
    pieces, behind = [], 0
    for one in _ONE.finditer(text):
        between = text[behind : one.start()]
        pieces += [";" if between == "," else between, one[0]]
        behind = one.end()
    return "".join((*pieces, text[behind:]))


def blank_spans(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the text with *spans* blanked, so that no form matches in them."""
    if not spans:
        return text
    pieces, behind = [], 0
    for start, end in spans:
        start = max(start, behind)
        pieces += [text[behind:start], _GONE * (end - start)]
        behind = max(end, behind)
    return "".join((*pieces, text[behind:]))


class _AsciiCharacters(dict[int, str]):
    """A translation of digits, hyphens, colons and spaces to ASCII, one for one."""

    def __missing__(self, code: int) -> str:
        digit = unicodedata.decimal(chr(code), None)
        plain = chr(code) if digit is None else str(digit)
        if len(self) < 1 << 16:  # characters: a text of rare ones must not fill the memory
            self[code] = plain
        return plain


PLAIN = _AsciiCharacters(
    {
        ord(variant): plain
        for plain, several in {
            "-": "\u2010\u2011\u2012\u2013\u2212", ":": "\uff1a\u2236", "'": "\u2019",
            "$": "\uff04", "%": "\uff05", ".": "\uff0e", ",": "\uff0c", "+": "\uff0b",
        }.items()
        for variant in several
    }
)  # fmt: skip


_LIST_NUMBER = re.compile(
    rf"^[ \t>*_#-]{{0,20}}\(?(\d{{1,3}})[.)](?=[\s*_])(?![ ]{MONTH}[ ]\d{{4}})",
    re.MULTILINE | re.IGNORECASE,
)
_SIGNED_OR_DIGIT = re.compile(r"[\d@]")
_DOTTED = re.compile(r"\.(?<=\w\.)\w")
_WORDED = re.compile(
    r"\b(?=[aotfsenhmbzq])(?:noon\b|midnight\b|half[ -]|quarter[ ]"
    rf"|an?[ ](?:hour|day|week|month|year|quarter)\b|{WORDS}\b)",
    re.IGNORECASE,
)
_CAPITALS = re.compile(r"[A-Z][A-Z]{4}")


def _form(pattern: str, *, exactly: bool = False) -> re.Pattern[str]:
    return re.compile(pattern, re.NOFLAG if exactly else re.IGNORECASE)


def figures(text: str) -> list[Figure]:
    """
    Return every figure of *text* in order, without overlaps; time is linear.

    Citations are skipped. Counts, ordinals, the numbers of a list and the words two..twelve are
    soft. Months are parsed in English, German, French and Spanish, number words in English.

    >>> [(f.kind, f.text) for f in figures("#W77120 costs $1,200 (25% off) on May 15, 6pm [2].")]
    [('id', '#W77120'), ('money', '$1,200'), ('number', '25%'), ('date', 'May 15'), ('time', '6pm')]
    """
    plain = unescape_newlines(text if text.isascii() else text.translate(PLAIN))
    # A fast check before some thirty patterns: most sentences without digits have no figures.
    if not _may_have_figures(plain):
        return []
    # The number of a citation is not a figure of the text.
    left = blank_spans(separate_numbers(plain), [(one.start, one.end) for one in citations(plain)])
    result: list[Figure] = []
    is_bare = _BARE.fullmatch(left) is not None
    starts = None if is_bare else _number_starts(left)
    is_alone = is_bare or _FOLLOWED.search(left) is None
    for form, read in _OF_BARE if is_bare else _FORMS:
        if is_alone and form in _NEED_MORE:
            continue
        if form in _NEEDED and _NEEDED[form].search(left) is None:
            continue
        taken: list[tuple[int, int]] = []
        for match in _matches(form, left, starts):
            some = [*read(match, text)]
            if some:
                result += some
                taken.append(_span_of(match, some))
        if taken:
            left = blank_spans(left, taken)
            if not left.strip("\x00"):
                break
    result.sort(key=_START)
    return result


def _span_of(match: re.Match[str], some: list[Figure]) -> tuple[int, int]:
    """Return the span of a match with its figures, which may extend beyond it, as in a range."""
    first, last = some[0], some[-1]
    if first is last:
        return min(match.start(), first.start), max(match.end(), first.end)
    start = min(match.start(), *(one.start for one in some))
    return start, max(match.end(), first.end, last.end)


def _may_have_figures(plain: str) -> bool:
    """Return whether a text may have a digit, an address, a number in words, or a code."""
    return (
        _SIGNED_OR_DIGIT.search(plain) is not None
        or "://" in plain
        or _DOTTED.search(plain) is not None
        or _WORDED.search(plain) is not None
        # without digits, only a code in capitals
        or (_CAPITALS.search(plain) is not None and _CUED_FORM.search(plain) is not None)
    )


def _number_starts(text: str) -> list[int] | None:
    """Return where numbers may begin; None if there are so many that a search is as fast."""
    starts = [match.start() for match in _FIRST_DIGIT.finditer(text)]
    return starts if _SPARSE * len(starts) <= len(text) else None


def _matches(
    form: re.Pattern[str], text: str, starts: Sequence[int] | None
) -> Iterable[re.Match[str]]:
    """Return the matches of a form, as `finditer` does; a form of digits is tried at *starts*."""
    if starts is None or form not in _OF_DIGITS:
        return form.finditer(text)
    return _matches_at(form, text, starts)


def _matches_at(form: re.Pattern[str], text: str, starts: Sequence[int]) -> Iterator[re.Match[str]]:
    behind = 0
    for start in starts:
        if start >= behind and (match := form.match(text, start)) is not None:
            behind = match.end()
            yield match


def on_24_hour_clock(result: list[Figure]) -> list[Figure]:
    """
    Return figures with all times on a 24-hour clock, if one of them shows such a clock.

    >>> [one.value.half for one in on_24_hour_clock(figures("from 9:00 to 17:00"))]
    [False, False]
    """
    times = [one.value for one in result if one.kind == TIME]
    if not any(isinstance(at, Minute) and at.whole for at in times):
        return result
    return [
        one._replace(values=(_whole(one.value),)) if one.kind == TIME else one for one in result
    ]


def _whole(at: Value) -> Value:
    return at._replace(half=False) if isinstance(at, Minute) else at


_START = attrgetter("start")
_SPARSE = 8  # characters for each number: more are passed faster than a match is tried
_FIRST_DIGIT = re.compile(r"[0-9](?<![A-Za-z0-9_][0-9])")
"""A digit at which a form of digits may begin: it follows neither a letter nor a digit."""
_BARE = re.compile(r"[\d\s,;|\x00]*")
"""A text of only plain numbers, such as a row of a table."""
_FOLLOWED = re.compile(rf"\d[ -]?(?:[^\W\d_]|[%{MARKS}])")
"""A number followed by a word or a sign: a currency, a scale, a percentage."""
_CUED_FORM = _form(CUED, exactly=True)
_NUMBER_THEN = (
    r"(?:[ ]?(?P<degrees>(?:[\u00b0\u00ba][ ]?|degrees?[ ])(?:C|F|Celsius|Fahrenheit))\b"
    r"|[ -]?(?P<unit>[A-Za-z]{1,12})\b)?"
)
_BY_CODE = (*CODES.split("|"), *CODES.casefold().split("|"))
_SIGNED = (
    rf"(?:(?<![A-Za-z0-9_])[-+])?(?P<before>{BEFORE})[ ]?[-+]?"
    rf"(?P<digits>{SPACED})(?!\d)(?:{SCALE}|(?P<trillion>[tT])(?![A-Za-z0-9]))?"
)
_FROM_TO = (
    # not the digits of an id: "O-15 to 9 Oak Street"
    rf"{ALONE}(?<![A-Za-z]-)(?P<first>\d{{1,4}})(?:[ ]?--[ ]?|-|[ ]to[ ])(?P<last>\d{{1,4}})"
    rf"{END}{_NUMBER_THEN}"
)
_LAST_OF_RANGE = "(?P<dmony>"
"""The form of a day before its month, which may end a range: ``10-12 May``."""
_BEFORE_DATE = (
    r"(?<![A-Za-z0-9_#])(?<!\d[-/.])",
    r"(?<![A-Za-z0-9_#])(?<!\d[/.])(?<!\d\d\d-)(?<!-\d-)(?<!-\d\d-)",
)


def _date_form(form: str) -> re.Pattern[str]:
    return _form(_BEFORE_DATE[_LAST_OF_RANGE in form] + form)


def _time_form(form: str) -> re.Pattern[str]:
    return _form(r"(?<![A-Za-z0-9_#])(?<!\d[:.,])" + form)


_IN_WORDS = (
    rf"(?<![A-Za-z0-9_-])(?=[aotfsenhmbz])(?P<words>{WORDS})\b(?!-(?:way|star|time))"
    r"(?:[ -](?P<unit>[a-z]{1,12})\b)?"
)
_NUMBER_FORM = _form(rf"{ALONE}(?P<digits>{DIGITS})(?![A-Za-z0-9_]){_NUMBER_THEN}")
_PHONE_FORM = _form(PHONE)
_MONEY_FORM = _form(rf"{ALONE}(?P<digits>{SPACED})(?:{SCALE})?[ -]?(?P<behind>{BEHIND})")
_PERCENT_FORM = _form(rf"{ALONE}(?P<digits>{DIGITS})[ -]?(?:%|percent\b|per[ ]cent\b|pct\b)")
_SCALED_FORM = _form(rf"{ALONE}(?P<digits>{DIGITS}){SCALE}")
_RANGE_FORM = _form(_FROM_TO)
_ORDINAL_FORM = _form(r"(?<![A-Za-z0-9_])(\d{1,6})(?:st|nd|rd|th)\b")
_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], Figures]], ...] = (
    (_form(URL), id_of),
    (_form(EMAIL), id_of),
    (_form(HOST), id_of),
    (_form(FILE), id_of),
    (_LIST_NUMBER, list_number_of),
    *((_date_form(form), day_of) for form in DATES),
    (_PHONE_FORM, id_of),
    *((_time_form(form), time_of) for form in TIMES),
    (_form(_SIGNED), money_of),
    (_MONEY_FORM, money_of),
    (_PERCENT_FORM, percent_of),
    (_CUED_FORM, id_of),
    (_form(rf"(?<![A-Za-z0-9_.,-]){SHORT_DURATION}(?![A-Za-z0-9_])"), duration_of),
    (_SCALED_FORM, scaled_number_of),
    (_RANGE_FORM, range_of),
    (_ORDINAL_FORM, ordinal_of),
    (_form(TOKEN), token_of),
    (_NUMBER_FORM, number_of),
    (_form(rf"(?<![A-Za-z0-9_-])(?=[aotfsenhmbz]){DURATION}\b"), duration_of),
    (_form(_IN_WORDS), words_of),
)  # fmt: skip
"""The order matters: text matched by one form is hidden from later ones."""

_OF_BARE = ((_PHONE_FORM, id_of), (_NUMBER_FORM, number_of))
"""The forms that occur in a text of only plain numbers."""
_OF_DIGITS = frozenset(
    {
        *(_date_form(form) for form in DATES if not form.startswith(MAYBE_MONTH)),
        *map(_time_form, TIMES_IN_DIGITS),
        _MONEY_FORM,
        _PERCENT_FORM,
        _SCALED_FORM,
        _RANGE_FORM,
        _ORDINAL_FORM,
        _NUMBER_FORM,
    }
)
"""Forms that begin with a digit after neither a letter nor a digit; most texts have few."""
_NEED_MORE = frozenset({_MONEY_FORM, _PERCENT_FORM, _SCALED_FORM})
"""Forms of a number followed by a word or a sign."""
_NEEDED = {
    _FORMS[0][0]: re.compile(r"://|www\.", re.IGNORECASE),
    _FORMS[1][0]: re.compile("@"),
    _FORMS[2][0]: re.compile(r"\.[A-Za-z0-9]"),
    _FORMS[3][0]: re.compile(r"\.[A-Za-z0-9]"),
    _form(_SIGNED): re.compile("|".join(map(re.escape, (*SIGNS, *_BY_CODE)))),
    _PHONE_FORM: re.compile(r"\+\d|\d[ .-]\d{4}"),
    _RANGE_FORM: re.compile(r"-|[ ]to[ ]", re.IGNORECASE),
}
"""Characters that a form needs; without one of them in the text, it is skipped."""
