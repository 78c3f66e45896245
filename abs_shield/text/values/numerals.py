"""Written forms of numbers, ids and amounts: digits with groups, with a scale, or in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from abs_shield.text.magnitudes import WORDS as WORDS_OF_SIZE

GAP = r"(?:[\u00a0\u2007\u2009\u202f'\u2019]|\{,\})"
DIGITS = (
    rf"(?:\d{{1,3}}(?:,\d{{2,3}}){{0,6}},\d{{3}}(?:\.\d{{1,12}})?|\d{{1,3}}(?:{GAP}\d{{3}}){{1,7}}(?:[.,]\d{{1,12}})?"
    r"|\d{1,3}(?:\.\d{3}){2,7}(?:,\d{1,12})?|\d{1,3}\.\d{3},\d{1,12}|\d{1,24}(?:[.,]\d{1,12})?)"
)
"""A number in digits: 1,200.50, 1.200,50, 1 200 with a narrow space, 12,5."""
SPACED = rf"(?:\d{{1,3}}(?:[ ]\d{{3}}){{1,6}}(?:[.,]\d{{1,2}})?(?!\d)|{DIGITS})"
"""A number in digits with any space between its groups; only for money."""
_LEAST_LETTERS = 4
"""Shorter words have other meanings in English: ``bin`` and ``mil`` are thousands."""
SCALES = {"hundred": 2, "thousands": 3, "k": 3, "m": 6, "mn": 6, "mio": 6, "b": 9, "bn": 9} | {
    "trillion": 12, "tn": 12,
    **{
        word: power
        for power, words in WORDS_OF_SIZE.items()
        for word in words.split()
        if len(word) >= _LEAST_LETTERS or not word.isascii()
    },
}  # fmt: skip
"""Words that multiply the number before them, with their power of ten."""
_LETTER = frozenset("kmb")
MYRIADS = "".join(word for word in SCALES if len(word) == 1 and not word.isascii())
"""Thousands, ten thousands and hundred millions in Chinese, Japanese and Korean."""
# Letters and signs are not words: they follow a number directly (`SCALE`).
_WRITTEN = SCALES.keys() - _LETTER - {*MYRIADS}


def alternatives(words: Iterable[str]) -> str:
    """
    Return a pattern of several words, the first of equal beginnings first.

    They are grouped by their first letters, as `re` tries them one by one if it ignores case.

    >>> alternatives(["two", "one", "twelve"])
    't(?:wo|welve)|o(?:ne)'
    """
    groups: dict[str, list[str]] = {}
    for word in words:
        groups.setdefault(word[0], []).append(re.escape(word[1:]))
    return "|".join(f"{re.escape(one)}(?:{'|'.join(rest)})" for one, rest in groups.items())


WORD_SCALE = alternatives(sorted(_WRITTEN, key=lambda word: (-len(word), word)))

_ONES = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen "
        "sixteen seventeen eighteen nineteen".split(),
        range(20),
        strict=True,
    )
)
_TENS = dict(
    zip(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(),
        range(20, 100, 10),
        strict=True,
    )
)
_BIG = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
NUMBER_WORDS = alternatives(sorted({**_ONES, **_TENS, **_BIG}, key=len, reverse=True))
"""The English words of numbers, as a pattern."""
WORDS = (
    rf"(?:(?:half[ ])?an?[ ]dozen"
    rf"|(?:{NUMBER_WORDS})(?:(?:[ -]|[ ]and[ ])(?:{NUMBER_WORDS})){{0,12}}"
    r"(?:[ ]dozen)?)(?:[ -]and[ -]a[ -]half)?"
)
"""A number in English words: two hundred and six, half a dozen, one and a half."""
_PERIODS = "hours?|days?|weeks?|months?|years?"
DURATION = (
    rf"(?:(?P<half>half)[ -](?:an?[ ])?(?P<halved>hour|day|year)"
    rf"|(?P<quarters>an?|one|three)[ ]quarters?[ ]of[ ]an?[ ](?P<quartered>hour|year)"
    rf"|(?P<whole>an?|{WORDS})[ ](?P<period>{_PERIODS})(?P<more>[ ]and[ ]a[ ]half)"
    r"|an[ ](?P<one>hour))"
)
"""A duration in words that are not a number before its unit: half an hour, a day and a half."""
SHORT_DURATION = (
    r"(?:(?P<hours>\d{1,3})[ ]?h(?:rs?|ours?)?[ ]?(?P<minutes>\d{1,2})[ ]?m(?:ins?)?"
    r"|PT(?=\d)(?:(?P<isohours>\d{1,3})H)?(?:(?P<isominutes>\d{1,4})M)?(?:0S)?)"
)
"""Hours and minutes: ``2h 20m``, ``PT1H30M``."""
_GAP = re.compile(f"{GAP}|[ ]")
_ONE = Decimal(1)
COUNTED = 12
"""Largest number word that may be the writer's own count; larger ones need evidence."""


class Numeral(NamedTuple):
    """The possible values of a number, the likeliest first, and the unit of its last digit."""

    values: tuple[Decimal, ...]
    step: Decimal


@lru_cache(maxsize=1 << 12)
def parse_numeral(digits: str, scale: str = "") -> Numeral:
    """
    Parse a number in *digits*, with the word that multiplies it.

    >>> parse_numeral("1.2", "million").values, parse_numeral("1.2", "million").step
    ((Decimal('1200000.0'),), Decimal('100000.0'))
    >>> [parse_numeral(digits).values for digits in ("1.000,50", "12,5", "1.000")]
    [(Decimal('1000.50'),), (Decimal('12.5'),), (Decimal('1.000'), Decimal('1000'))]
    """
    # Most numbers are plain digits, which have one reading.
    if not scale and digits.isdigit():
        return Numeral((Decimal(digits),), _ONE)
    power = Decimal(10) ** SCALES.get(scale.casefold(), 0)
    texts = _readings(_GAP.sub("", digits))
    values = tuple(Decimal(text) * power for text in texts)
    _, _, after = texts[0].partition(".")
    return Numeral(values, power * _ONE.scaleb(-len(after)))


def _readings(text: str) -> tuple[str, ...]:
    commas, stops = text.count(","), text.count(".")
    if commas and stops:
        last = max(text.rfind(","), text.rfind("."))
        whole = text[:last].replace(",", "").replace(".", "")
        return (f"{whole}.{text[last + 1 :]}",)
    if commas > 1 or stops > 1:
        return (text.replace(",", "").replace(".", ""),)
    if not (commas or stops):
        return (text,)
    whole, _, after = text.partition("," if commas else ".")
    # Only three digits after a single separator may be thousands or decimals.
    plain, joined = f"{whole}.{after}", whole + after
    if len(after) != 3 or len(whole) > 3 or whole.startswith("0"):
        return (plain,)
    # In English, a comma before three digits always separates thousands.
    return (joined,) if commas else (plain, joined)


def parse_number_words(text: str) -> Decimal:
    """
    Parse a number in English words.

    >>> parse_number_words("twenty-five"), parse_number_words("two hundred and six thousand")
    (Decimal('25'), Decimal('206000'))
    >>> parse_number_words("half a dozen")
    Decimal('6')
    >>> parse_number_words("two dozen"), parse_number_words("one and a half")
    (Decimal('24'), Decimal('1.5'))
    """
    text, half, _ = text.casefold().partition("and a half" if " " in text else "and-a-half")
    total = current = 0
    for word in re.findall(r"[a-z]+", text):
        if word in _ONES or word in _TENS:
            current += _ONES.get(word, _TENS.get(word, 0))
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word == "dozen":
            current = max(current, 1) * 12 // (2 if text.startswith("half") else 1)
        elif word in _BIG:
            total, current = total + max(current, 1) * _BIG[word], 0
    return Decimal(total + current) + (Decimal("0.5") if half else 0)


CODES = (
    "USD|EUR|GBP|JPY|CNY|INR|KRW|RUB|TRY|CHF|CAD|AUD|THB|BRL|SEK|NOK|DKK|PLN|MXN|SGD|HKD|NZD|"
    "CZK|HUF|ZAR|ILS|AED|SAR|IDR|MYR|VND|TWD|CLP|UAH|NGN"
)
MONEY_WORDS = {
    "dollar": "USD", "dollars": "USD", "bucks": "USD", "euro": "EUR", "euros": "EUR",
    "pound": "GBP", "pounds": "GBP", "yen": "JPY", "rupees": "INR",
    "cent": "", "cents": "", "pence": "GBP",
}  # fmt: skip
SMALL_MONEY = frozenset("cent cents pence".split())
"""Hundredths of the other units."""
CELSIUS, FAHRENHEIT = "\u00b0c", "\u00b0f"
"""Units of temperatures in their normal form."""
MARKS = "$€£¥₹₩₽₺฿"
# The lookaheads exclude most words before the alternatives are tried.
_CODE = rf"\b(?=[A-Za-z]{{3}}\b)(?:{alternatives(CODES.split('|'))})"
BEFORE = rf"(?:[{MARKS}]|(?=[A-Za-z]{{1,2}}[{MARKS}])(?:US|CA|AU|C|A|NZ|HK|S)[{MARKS}]|{_CODE})"
BEHIND = rf"(?:[{MARKS}円元원]|{_CODE}|\b(?:{alternatives(MONEY_WORDS)})\b)"
SCALE = (
    rf"(?:[ -]?(?P<scale>{WORD_SCALE})\b"
    rf"|(?P<letter>[kKmMbB])(?![A-Za-z0-9])|[ ]?(?P<myriad>[{MYRIADS}]))"
)
ALONE = r"(?<![A-Za-z0-9_])(?<!\d[.,:-])"
END = r"(?![A-Za-z0-9_])(?![.,:-]\d)"
# Bounded repetitions keep the time linear in the text.
URL = (
    r"(?:https?|ftp|s3|gs|wss?)://[^\s<>\"'`)\]\u3000-\u303f]{1,2000}"
    r"|\bwww\.[a-z0-9-]{1,63}\.[^\s<>\"'`)\]]{2,2000}"
)
HOST = (
    r"(?<![a-z0-9@./_-])(?:[a-z0-9][a-z0-9-]{0,62}\.){1,5}"
    r"(?:com|org|net|io|edu|gov|co|ai|dev|app|info|biz|eu|de|fr|uk|ch|es|it|nl|jp|cn|in|us)"
    r"(?![a-z0-9_-]|\.[a-z0-9])(?:/[^\s<>\"'`)\]]{0,2000})?"
)
FILE = (
    r"(?<![a-z0-9@/._-])[a-z0-9_][a-z0-9_-]{0,120}(?:\.[a-z0-9_-]{1,40}){0,4}\."
    r"(?:pdf|docx?|xlsx?|csv|txt|pptx?|json|png|jpe?g|zip|gz|md|py|html?|xml|ya?ml|mp[34])"
    r"(?![a-z0-9_])"
)
EMAIL = r"(?<![a-z0-9.+_-])[a-z0-9.+_-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}"
PHONE = (
    r"(?<![\w+])\+\d{1,3}(?:[ .()-]{1,2}\d{1,8}){2,6}(?!\w)|(?<![\w+])\+\d{7,15}(?!\w)"
    r"|(?<![\w(.-])\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}(?![\w-])"
)
CUE = (
    r"\b(?:id|ids|number|code|reference|ref|confirmation|locator|pnr|sku)\b"
    r"[\s:*_`\"'(#]{1,8}(?:is[\s:*_`\"']{1,6})?"
)
"""Words that introduce an id."""
CUED = (
    rf"(?i:{CUE})"
    r"(?P<cued>[A-Z]{5,10}(?![a-zA-Z0-9_-])|\d{4,24}(?![.,/:-]*\w))"
)
TOKEN = (
    r"(?<![A-Za-z0-9_#])(?!(?<=\d,)\d{3}-[A-Za-z])#?(?:[A-Za-z0-9]|_(?=\w)){1,80}"
    r"(?:[-.][A-Za-z0-9_]{1,80}){0,12}(?![A-Za-z0-9_])"
)
