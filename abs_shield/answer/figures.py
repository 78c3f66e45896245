"""Every figure of a text: numbers, amounts of money, dates, times and ids, with their values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal

from abs_shield.answer.citations import citations
from abs_shield.answer.days import DATES, MONTH, TIMES, days, minute
from abs_shield.answer.figure import DATE, ID, MONEY, NUMBER, TIME, Day, Figure, Minute, Value
from abs_shield.answer.forms import (
    ALONE,
    BEFORE,
    BEHIND,
    CODES,
    CUED,
    EMAIL,
    END,
    FILE,
    HOST,
    MONEY_WORDS,
    PHONE,
    SCALE,
    SMALL_MONEY,
    TOKEN,
    URL,
)  # fmt: skip
from abs_shield.answer.numerals import COUNTED, DIGITS, SPACED, WORDS, Numeral, numeral, worded
from abs_shield.text.normal import normal, squeezed
from abs_shield.text.shape import is_code

_SIGNS = {
    "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW", "₽": "RUB",
    "₺": "TRY", "฿": "THB", "円": "JPY", "元": "CNY", "원": "KRW",
}  # fmt: skip
_UNITS = frozenset(
    "hour hours hr hrs h minute minutes min mins second seconds sec day days week weeks "
    "month months "
    "year years yr yrs mile miles km kilometers kilometres meter meters metres m cm mm inch inches "
    "feet foot ft kg g gram grams lb lbs ounce ounces oz ton tons tonnes liter liters litres ml l "
    "gb mb tb kb degrees celsius fahrenheit acres percent points point times".split()
)
"""Words behind a number that make a measure of it, which nobody counts while reading."""
_LIST_NUMBER = re.compile(
    rf"^[ \t>*_#-]{{0,20}}\(?(\d{{1,3}})[.)](?=[\s*_])(?![ ]{MONTH}[ ]\d{{4}})",
    re.MULTILINE | re.IGNORECASE,
)
_MEASURE = re.compile(r"(\d{1,12}(?:[.,]\d{1,6})?)-?([a-z\u00b5\u00b0]{1,12})(?:-[a-z]{1,12}){0,3}")
NTH = "nth"
"""The unit of what counts places: an ordinal, the number of an item in a list."""
_LEAST_DIGITS = 3
_LEAST_LOCATOR = 5
_NAMED = re.compile(r"[A-Za-z]{2,20}-\d{1,2}")
_HAS = re.compile(r"\d|\w[@.]\w|://|\b(?:noon|midnight)\b|" + rf"\b{WORDS}\b", re.IGNORECASE)
_LONGEST_ID = 256
_GONE = "\x00"
_SCHEME = re.compile(
    r"^(?:[a-z0-9+.-]{1,12}://)?(?:www\.)?(?=[^\s]{1,250}\.[a-z])|^[a-z0-9+.-]{1,12}://"
)
_ADDRESS = re.compile(r"[@/]|\.[a-z]{2,}")


def _form(pattern: str, *, exactly: bool = False) -> re.Pattern[str]:
    return re.compile(pattern, re.NOFLAG if exactly else re.IGNORECASE)


Found = Iterator[Figure]


def figures(text: str) -> list[Figure]:
    """
    Give every figure of *text* in order, no two overlapping; time is linear.

    Citations are left out. Counts, ordinals, the numbers of a list and the words two..twelve are
    soft. Months are read in English, German, French and Spanish, number words in English.

    >>> [(f.kind, f.text) for f in figures("#W77120 costs $1,200 (25% off) on May 15, 6pm [2].")]
    [('id', '#W77120'), ('money', '$1,200'), ('number', '25%'), ('date', 'May 15'), ('time', '6pm')]
    """
    plain = unescaped(text if text.isascii() else text.translate(_PLAIN))
    if _HAS.search(plain) is None and _CUED_FORM.search(plain) is None:
        return []
    left = _blanked(plain, [(one.start, one.end) for one in citations(plain)])
    found: list[Figure] = []
    for form, read in _FORMS:
        if form in _NEEDED and not any(sign in left for sign in _NEEDED[form]):
            continue
        taken: list[tuple[int, int]] = []
        for match in form.finditer(left):
            some = [*read(match, text)]
            found += some
            if some:
                taken.append((match.start(), max(match.end(), some[-1].end)))
        left = _blanked(left, taken)
    return sorted(found, key=lambda one: one.start)


def settled(found: list[Figure]) -> list[Figure]:
    """
    Give *found* with every time on a clock of 24 hours, where one of them shows such a clock.

    >>> [one.value.half for one in settled(figures("from 9:00 to 17:00")) if one.kind == "time"]
    [False, False]
    """
    times = [one.value for one in found if one.kind == TIME]
    if not any(isinstance(at, Minute) and at.whole for at in times):
        return found
    return [replace(one, values=(_whole(one.value),)) if one.kind == TIME else one for one in found]


def _whole(at: Value) -> Value:
    return at._replace(half=False) if isinstance(at, Minute) else at


def unescaped(text: str) -> str:
    r"""
    Give *text* with a line's end for each that stands escaped in it; offsets stay.

    >>> unescaped(r"one\ntwo").splitlines()
    ['one ', 'two']
    """
    return text.replace("\\n", " \n") if "\\n" in text else text


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with spans that nothing may be found in any more."""
    if not spans:
        return text
    pieces, behind = [], 0
    for start, end in spans:
        start = max(start, behind)
        pieces += [text[behind:start], _GONE * (end - start)]
        behind = max(end, behind)
    return "".join((*pieces, text[behind:]))


class _Plain(dict[int, str]):
    """Any digit as ASCII writes it, any hyphen, colon and blank as well; one for one."""

    def __missing__(self, code: int) -> str:
        digit = unicodedata.decimal(chr(code), None)
        plain = chr(code) if digit is None else str(digit)
        if len(self) < 1 << 16:
            self[code] = plain
        return plain


_PLAIN = _Plain(
    {
        ord(given): plain
        for plain, several in {
            "-": "\u2010\u2011\u2012\u2013\u2212", ":": "\uff1a\u2236", "'": "\u2019",
            "$": "\uff04", "%": "\uff05", ".": "\uff0e", ",": "\uff0c", "+": "\uff0b",
        }.items()
        for given in several
    }
)  # fmt: skip


# How each form is read ---------------------------------------------------------------------------


def _figure(kind: str, text: str, span: tuple[int, int], *values: object, **more: object) -> Figure:
    return Figure(kind, text[span[0] : span[1]], *span, values, **more)  # type: ignore[arg-type]


def _id(match: re.Match[str], text: str) -> Found:
    start, end = match.span("cued" if "cued" in match.re.groupindex else 0)
    said = text[start:end].rstrip(".,;:!?*_")
    if said:
        yield _figure(ID, text, (start, start + len(said)), id_key(said))


def _list_number(match: re.Match[str], text: str) -> Found:
    yield _soft(match[1], match.span(1), text)


def _date(match: re.Match[str], text: str) -> Found:
    form = next(name for name in _DATE_FORMS if match.groupdict().get(name))
    read = days(form, match[form])
    if read:
        maybe = form == "dmony" and _MODAL.search(match.string, *match.span(form)) is not None
        yield _figure(DATE, text, match.span(form), *read, soft=maybe)
    if form == "iso" and match["isotime"] and (at := minute(match["isotime"])):
        yield _figure(TIME, text, match.span("isotime"), Minute(at.minutes, whole=True))
    if form == "mdy" and read:
        yield from _further_days(match, text, read[0])


def _further_days(match: re.Match[str], text: str, day: Day) -> Found:
    """The days behind a first one that leave its month out: ``May 3, 4 and 5``, ``May 3 - 5``."""
    end = match.end()
    for _ in range(_MOST_DAYS):
        to = _THROUGH.match(match.string, end)
        if to is None or not 1 <= int(to[2]) <= _LAST_DAY:
            return
        year = int(to[3]) if to[3] else day.year
        yield _figure(DATE, text, (to.start(2), to.end()), Day(year, day.month, int(to[2])))
        end = to.end()


def _time(match: re.Match[str], text: str) -> Found:
    said = match.groupdict()
    digits = said.get("clock") or said.get("hour") or said.get("euro") or said.get("word") or ""
    at = minute(digits, said.get("half") or said.get("hourhalf") or "")
    if at is not None:
        whole = said.get("euro") or match[0].count(":") > 1
        yield _figure(TIME, text, match.span(), Minute(at.minutes, whole=True) if whole else at)


def _money(match: re.Match[str], text: str) -> Found:
    said = match.groupdict()
    digits, scale = said["digits"], said.get("scale") or said.get("letter") or ""
    read = numeral(digits, scale)
    sign = (said.get("before") or said.get("behind") or "").strip()
    unit = _SIGNS.get(sign[-1:]) or MONEY_WORDS.get(sign.casefold(), sign.upper())
    if sign.casefold() in SMALL_MONEY:
        read = Numeral(tuple(value / 100 for value in read.values), read.step / 100)
    unit = {"CA$": "CAD", "C$": "CAD", "A$": "AUD", "AU$": "AUD"}.get(sign.upper(), unit)
    yield _figure(MONEY, text, match.span(), *_grouped(read.values), step=read.step, unit=unit)


def _grouped(values: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
    """Money has no three decimals: ``1.200`` euros are twelve hundred."""
    return values[1:] if len(values) > 1 else values


def _percent(match: re.Match[str], text: str) -> Found:
    read = numeral(match["digits"])
    values = (*read.values, *(value / 100 for value in read.values))
    yield _figure(NUMBER, text, match.span(), *values, step=read.step, unit="%")


def _scaled(match: re.Match[str], text: str) -> Found:
    read = numeral(match["digits"], match["scale"] or match["letter"] or "")
    yield _figure(NUMBER, text, match.span(), *read.values, step=read.step)


def _range(match: re.Match[str], text: str) -> Found:
    for group in ("first", "last"):
        yield _plain_number(match[group], match.span(group), match["unit"] or "", text)


def _number(match: re.Match[str], text: str) -> Found:
    digits = match["digits"]
    if is_code(digits) or (len(digits) > 15 and digits.isdigit()):
        yield _figure(ID, text, match.span("digits"), digits)
    else:
        yield _plain_number(digits, match.span("digits"), match["unit"] or "", text)


def _plain_number(digits: str, span: tuple[int, int], unit: str, text: str) -> Figure:
    read = numeral(digits)
    unit = unit.casefold()
    soft = digits.isdigit() and read.values[0] <= COUNTED and unit not in _UNITS
    soft = soft or unit == "s"  # a decade
    return _figure(NUMBER, text, span, *read.values, step=read.step, unit=unit, soft=soft)


def _ordinal(match: re.Match[str], text: str) -> Found:
    yield _soft(match[1], match.span(), text)


def _soft(digits: str, span: tuple[int, int], text: str) -> Figure:
    return _figure(NUMBER, text, span, Decimal(digits), step=Decimal(1), unit=NTH, soft=True)


def _token(match: re.Match[str], text: str) -> Found:
    said = match[0].rstrip("_")
    if not any(map(str.isdigit, said)) or not re.search(r"[A-Za-z_#]|\d-\d|\d\.\d+\.\d", said):
        return
    start = match.start()
    if measure := _MEASURE.fullmatch(said):
        end = start + measure.end(1)
        yield _plain_number(measure[1], (start, end), measure[2], text)
        return
    yield _figure(ID, text, (start, start + len(said)), id_key(said), soft=not _identifies(said))


def _identifies(said: str) -> bool:
    """Whether a token with a digit is no word such as ``COVID-19``, ``MP3`` or ``Q4``."""
    if said[0] == "#" or is_code(said):
        return _NAMED.fullmatch(said) is None
    digits = sum(map(str.isdigit, said))
    return digits >= _LEAST_DIGITS or (
        len(said) >= _LEAST_LOCATOR and said.isalnum() and said.isupper()
    )


def _words(match: re.Match[str], text: str) -> Found:
    value = worded(match[0])
    unit = (match["unit"] or "").casefold()
    span = match.span("words")
    yield _figure(NUMBER, text, span, value, step=Decimal(1), unit=unit, soft=value <= COUNTED)


def id_key(said: str) -> str:
    """
    Give the form in which ids are compared: lower case, without a hash sign and separators.

    >>> id_key("#W-2378156"), id_key("mia.li@x.org")
    ('w2378156', 'mia.li@x.org')
    """
    plain = _SCHEME.sub("", normal(said[:_LONGEST_ID])).rstrip("/")
    return plain if _ADDRESS.search(plain) else squeezed(plain)


_DATE_FORMS = ("iso", "ym", "ymd", "dmy", "cjk", "mdy", "dmony", "my")
_THROUGH = _form(
    r"(?:[ ]?(?:-|to|through|until)[ ]?|(?P<list>,?[ ](?:and|or)[ ]|,[ ]))"
    r"(\d{1,2})(?:st|nd|rd|th)?(?:,[ ]((?:19|20)\d\d))?"
    r"(?![\w%]|[.,:/-]\d|[ ]?[ap]\.?m\b)"
    r"(?(list)(?=[^\w\s]|\s*$|[ ](?:and|or|to|at|for|from|in|on|with|by|as|was|were|is|are)\b))"
)
_MODAL = re.compile(r"(?<=\d) may(?! \d)")
"""What may be no month: ``option 1 may lead``."""
_MOST_DAYS = _LAST_DAY = 31
_CUED_FORM = _form(CUED, exactly=True)
_NUMBER_THEN = r"(?:[ -]?(?P<unit>[A-Za-z]{1,12})\b)?"
_BY_CODE = (*CODES.split("|"), *CODES.casefold().split("|"))
_SIGNED = (
    rf"(?:(?<![A-Za-z0-9_])[-+])?(?P<before>{BEFORE})[ ]?[-+]?"
    rf"(?P<digits>{SPACED})(?!\d)(?:{SCALE})?"
)
_FROM_TO = rf"{ALONE}(?P<first>\d{{1,4}})(?:-|[ ]to[ ])(?P<last>\d{{1,4}}){END}{_NUMBER_THEN}"
_IN_WORDS = (
    rf"(?<![A-Za-z0-9_-])(?=[zotfsenhmb])(?P<words>{WORDS})\b(?!-(?:way|star|day|year|time))"
    r"(?:[ -](?P<unit>[a-z]{1,12})\b)?"
)
_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], Found]], ...] = (
    (_form(URL), _id),
    (_form(EMAIL), _id),
    (_form(HOST), _id),
    (_form(FILE), _id),
    (_LIST_NUMBER, _list_number),
    *((_form(r"(?<![A-Za-z0-9_#])(?<!\d[-/.])" + form), _date) for form in DATES),
    (_form(PHONE), _id),
    *((_form(r"(?<![A-Za-z0-9_#])(?<!\d[:.,])" + form), _time) for form in TIMES),
    (_form(_SIGNED), _money),
    (_form(rf"{ALONE}(?P<digits>{SPACED})(?:{SCALE})?[ -]?(?P<behind>{BEHIND})"), _money),
    (_form(rf"{ALONE}(?P<digits>{DIGITS})[ -]?(?:%|percent\b|per[ ]cent\b|pct\b)"), _percent),
    (_CUED_FORM, _id),
    (_form(rf"{ALONE}(?P<digits>{DIGITS}){SCALE}"), _scaled),
    (_form(_FROM_TO), _range),
    (_form(r"(?<![A-Za-z0-9_])(\d{1,6})(?:st|nd|rd|th)\b"), _ordinal),
    (_form(TOKEN), _token),
    (_form(rf"{ALONE}(?P<digits>{DIGITS})(?![A-Za-z0-9_]){_NUMBER_THEN}"), _number),
    (_form(_IN_WORDS), _words),
)  # fmt: skip
"""In this order: what a form has taken, the later ones do not see."""

_NEEDED = {
    _FORMS[0][0]: ("://", "www.", "WWW."),
    _FORMS[1][0]: ("@",),
    _form(_SIGNED): (*_SIGNS, *_BY_CODE),
    _form(PHONE): ("+", *(f"{n}{between}" for n in range(10) for between in "-. )")),
}
"""Without one of these a form finds nothing, and need not be looked for."""
