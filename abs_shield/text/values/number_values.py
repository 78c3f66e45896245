"""Conversion of matched numbers, amounts of money, and ids with digits to figures."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from abs_shield.text.normal_form import alphanumerics, normal
from abs_shield.text.value_shapes import is_address, is_code
from abs_shield.text.values.figure import ID, MONEY, NUMBER, Figure, Figures, build_figure
from abs_shield.text.values.numerals import (
    CELSIUS,
    COUNTED,
    FAHRENHEIT,
    MONEY_WORDS,
    SMALL_MONEY,
    Numeral,
    parse_number_words,
    parse_numeral,
)

SIGNS = {
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
"""Units that make a number a measure rather than a count."""
_APOSTROPHES = frozenset("'\u2019")
_DECADE = re.compile(r"['\u2019]s\b")
"""The end of ``70's``, a decade."""
_LONGEST = 15
"""Digits of a number; longer ones are accounts or cards."""
_LEAST_CODE = 4
"""Fewest digits of a number that may be an id; shorter ones are counts."""
NTH = "nth"
"""The unit of positions: an ordinal, the number of an item in a list."""


def money_of(match: re.Match[str], text: str) -> Figures:
    groups = match.groupdict()
    digits, scale = groups["digits"], _scale(match)
    read = parse_numeral(digits, scale)
    sign = (groups.get("before") or groups.get("behind") or "").strip()
    unit = SIGNS.get(sign[-1:]) or MONEY_WORDS.get(sign.casefold(), sign.upper())
    if sign.casefold() in SMALL_MONEY:
        read = Numeral(tuple(value / 100 for value in read.values), read.step / 100)
    unit = {"CA$": "CAD", "C$": "CAD", "A$": "AUD", "AU$": "AUD"}.get(sign.upper(), unit)
    values = read.values if scale else _group(read.values)
    yield build_figure(MONEY, text, match.span(), *values, step=read.step, unit=unit)


def _scale(match: re.Match[str]) -> str:
    groups = match.groupdict()
    letter = groups.get("letter") or ("trillion" if groups.get("trillion") else "")
    return groups.get("scale") or letter or groups.get("myriad") or ""


def _group(values: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
    """Return the values of money that do not have three decimals: ``1.200`` euros are 1200."""
    return values[1:] if len(values) > 1 else values


def percent_of(match: re.Match[str], text: str) -> Figures:
    read = parse_numeral(match["digits"])
    # A record may have 0.25 for 25 %.
    values = (*read.values, *(value / 100 for value in read.values))
    yield build_figure(NUMBER, text, match.span(), *values, step=read.step, unit="%")


def scaled_number_of(match: re.Match[str], text: str) -> Figures:
    read = parse_numeral(match["digits"], _scale(match))
    yield build_figure(NUMBER, text, match.span(), *read.values, step=read.step)


def range_of(match: re.Match[str], text: str) -> Figures:
    first, last = match["first"], match["last"]
    unit = _unit(match)
    yield plain_number(first, match.span("first"), unit, text)
    end = plain_number(last, match.span("last"), unit, text)
    if len(first) == 4 and len(last) == 2 and int(last) > int(first[2:]):  # 2018-19
        end = end._replace(values=(Decimal(first[:2] + last), *end.values), soft=False)
    yield end


def number_of(match: re.Match[str], text: str) -> Figures:
    digits = match["digits"]
    if len(digits) >= _LEAST_CODE and digits.isdigit() and _is_id(digits):
        yield build_figure(ID, text, match.span("digits"), digits)
    else:
        yield plain_number(digits, match.span("digits"), _unit(match), text)


def _unit(match: re.Match[str]) -> str:
    """Return the unit after a number; for temperatures, the degree sign and a letter."""
    if degrees := match["degrees"]:
        return FAHRENHEIT if "f" in degrees.casefold() else CELSIUS
    return match["unit"] or ""


def _is_id(digits: str) -> bool:
    return len(digits) > _LONGEST or is_code(digits)


def plain_number(digits: str, span: tuple[int, int], unit: str, text: str) -> Figure:
    values, step, unit, soft = _plain(digits, unit)
    start, end = span
    if not soft and text[end : end + 1] in _APOSTROPHES:
        soft = _DECADE.match(text, end) is not None
    return Figure(NUMBER, text[start:end], start, end, values, step, unit, soft)


@lru_cache(maxsize=1 << 12)
def _plain(digits: str, unit: str) -> tuple[tuple[Decimal, ...], Decimal, str, bool]:
    """Return the values of a number, its step, its unit, and whether it is soft."""
    values, step = parse_numeral(digits)
    unit = unit.casefold()
    soft = digits.isdigit() and values[0] <= COUNTED and unit not in _UNITS
    return values, step, unit, soft or unit == "s"


def words_of(match: re.Match[str], text: str) -> Figures:
    value = parse_number_words(match[0])
    unit = (match["unit"] or "").casefold()
    span = match.span("words")
    whole = value == value.to_integral_value()
    # Evidence seldom contains words such as "a thirty-year mortgage", dozens or halves.
    round_ = not whole or "dozen" in match["words"].casefold()
    soft = value <= COUNTED or round_ or text[span[1] : span[1] + 1] == "-"
    step = Decimal(1) if whole else Decimal("0.1")
    yield build_figure(NUMBER, text, span, value, step=step, unit=unit, soft=soft)


def duration_of(match: re.Match[str], text: str) -> Figures:
    """
    Yield a duration in words, in its unit, or one of hours and minutes, in minutes.

    >>> from abs_shield.text.values.figure_reader import figures
    >>> words = ("half an hour", "an hour and a half", "three quarters of an hour", "2h 20m")
    >>> [f"{one.value} {one.unit}" for text in words for one in figures(text)]
    ['0.5 hour', '1.5 hour', '0.75 hour', '140 minutes']
    """
    groups = match.groupdict()
    if "hours" in groups:
        hours = groups["hours"] or groups["isohours"] or 0
        total = 60 * int(hours) + int(groups["minutes"] or groups["isominutes"] or 0)
        yield build_figure(
            NUMBER, text, match.span(), Decimal(total), step=Decimal(1), unit="minutes"
        )
        return
    if groups["half"]:
        value, unit = _HALF, groups["halved"]
    elif groups["quarters"]:
        value, unit = _QUARTERS[groups["quarters"].casefold()[0]], groups["quartered"]
    elif groups["one"]:
        value, unit = Decimal(1), groups["one"]
    else:
        whole = groups["whole"].casefold()
        value = (Decimal(1) if whole in ("a", "an") else parse_number_words(whole)) + _HALF
        unit = groups["period"]
    # as precise as it is written, but the writer's own words
    step = Decimal("0.1") if value % _HALF == 0 else Decimal("0.05")
    unit = unit.casefold()
    yield build_figure(NUMBER, text, match.span(), value, step=step, unit=unit, soft=True)


_HALF = Decimal("0.5")
_QUARTERS = {"a": Decimal("0.25"), "o": Decimal("0.25"), "t": Decimal("0.75")}
"""The first letters of a, one and three."""


def ordinal_of(match: re.Match[str], text: str) -> Figures:
    yield _soft(match[1], match.span(), text)


def list_number_of(match: re.Match[str], text: str) -> Figures:
    yield _soft(match[1], match.span(1), text)


def _soft(digits: str, span: tuple[int, int], text: str) -> Figure:
    return build_figure(NUMBER, text, span, Decimal(digits), step=Decimal(1), unit=NTH, soft=True)


_MEASURE = re.compile(r"(\d{1,12}(?:[.,]\d{1,6})?)-?([a-z\u00b5\u00b0]{1,12})(?:-[a-z]{1,12}){0,3}")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3}){2,6}")
_LEAST_DIGITS = 3  # COVID-19, MP3 and Q4 have fewer
_LEAST_LOCATOR = 5  # letters and digits of an airline's booking code; five or six are common
_NAMES = re.compile(r"[A-Za-z_#]|\d-\d|\d\.\d+\.\d")
"""Patterns of a token that is more than a plain number."""
_HYPHENATED_WORD = re.compile(r"[A-Za-z]{2,20}-\d{1,2}")
_LONGEST_ID = 256  # characters, as many as `value_shapes` reads
_SCHEME = re.compile(
    r"^(?:[a-z0-9+.-]{1,12}://)?(?:www\.)?(?=[^\s]{1,250}\.[a-z])|^[a-z0-9+.-]{1,12}://"
)
_ADDRESS = re.compile(r"[@/]|\.[a-z]{2,}")


def id_of(match: re.Match[str], text: str) -> Figures:
    start, end = match.span("cued" if "cued" in match.re.groupindex else 0)
    token = text[start:end].rstrip(".,;:!?*_")
    if token:
        yield build_figure(ID, text, (start, start + len(token)), id_key(token))


def token_of(match: re.Match[str], text: str) -> Figures:
    token = match[0].rstrip("_")
    if token.isdigit() or token.isalpha():
        return
    if not any(map(str.isdigit, token)) or _NAMES.search(token) is None:
        return
    start = match.start()
    # 1.234.567 is a number, 10.20.30.40 is not.
    if _THOUSANDS.fullmatch(token) and not is_address(token):
        yield plain_number(token, (start, start + len(token)), "", text)
        return
    if measure := _MEASURE.fullmatch(token):
        end = start + measure.end(1)
        yield plain_number(measure[1], (start, end), measure[2], text)
        return
    yield build_figure(
        ID, text, (start, start + len(token)), id_key(token), soft=not _identifies(token)
    )


def _identifies(token: str) -> bool:
    """Return whether a token with a digit is an id, unlike ``COVID-19``, ``MP3`` or ``Q4``."""
    if token[0] == "#" or is_code(token):
        return _HYPHENATED_WORD.fullmatch(token) is None
    digits = sum(map(str.isdigit, token))
    return digits >= _LEAST_DIGITS or (
        len(token) >= _LEAST_LOCATOR and token.isalnum() and token.isupper()
    )


def id_key(token: str) -> str:
    """
    Return an id for comparison: lower case, without a hash sign and separators.

    >>> id_key("#W-2378156"), id_key("mia.li@x.org")
    ('w2378156', 'mia.li@x.org')
    """
    plain = _SCHEME.sub("", normal(token[:_LONGEST_ID])).rstrip("/")
    return plain if _ADDRESS.search(plain) else alphanumerics(plain)
