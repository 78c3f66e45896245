"""Conversion of matched numbers and amounts of money to figures."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from abs_shield.text.value_shapes import is_code
from abs_shield.text.values.figure import ID, MONEY, NUMBER, Figure, Figures, build_figure
from abs_shield.text.values.numerals import COUNTED, Numeral, parse_number_words, parse_numeral
from abs_shield.text.values.value_patterns import CELSIUS, FAHRENHEIT, MONEY_WORDS, SMALL_MONEY

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
    values = read.values if scale else _grouped(read.values)
    yield build_figure(MONEY, text, match.span(), *values, step=read.step, unit=unit)


def _scale(match: re.Match[str]) -> str:
    groups = match.groupdict()
    letter = groups.get("letter") or ("trillion" if groups.get("trillion") else "")
    return groups.get("scale") or letter or groups.get("myriad") or ""


def _grouped(values: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
    """Return values of money without three decimals: ``1.200`` euros are twelve hundred."""
    return values[1:] if len(values) > 1 else values


def percent_of(match: re.Match[str], text: str) -> Figures:
    read = parse_numeral(match["digits"])
    # a record may have 0.25 for 25 %
    values = (*read.values, *(value / 100 for value in read.values))
    yield build_figure(NUMBER, text, match.span(), *values, step=read.step, unit="%")


def scaled_of(match: re.Match[str], text: str) -> Figures:
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
    """Return the unit behind a number; for temperatures, the degree and a letter."""
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
    # evidence seldom has the words of "a thirty-year mortgage", nor dozens and halves
    round_ = not whole or "dozen" in match["words"].casefold()
    soft = value <= COUNTED or round_ or text[span[1] : span[1] + 1] == "-"
    step = Decimal(1) if whole else Decimal("0.1")
    yield build_figure(NUMBER, text, span, value, step=step, unit=unit, soft=soft)


def ordinal_of(match: re.Match[str], text: str) -> Figures:
    yield _soft(match[1], match.span(), text)


def list_number_of(match: re.Match[str], text: str) -> Figures:
    yield _soft(match[1], match.span(1), text)


def _soft(digits: str, span: tuple[int, int], text: str) -> Figure:
    return build_figure(NUMBER, text, span, Decimal(digits), step=Decimal(1), unit=NTH, soft=True)
