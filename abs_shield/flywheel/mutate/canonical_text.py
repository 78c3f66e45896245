"""Canonical form of a text for comparison: its content words and numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property, lru_cache

from abs_shield.text.normal_form import alphanumerics, latinised, normal
from abs_shield.text.polarity import NEGATORS
from abs_shield.text.stem import stem
from abs_shield.text.tokens import keys_of, tokens
from abs_shield.text.values.figure import DATE, ID, SUMS, Day, Figure, Minute, is_negative
from abs_shield.text.values.figure_reader import figures
from abs_shield.text.values.numerals import WORDS, parse_number_words

_LONGEST = 20_000
"""Maximum length of a text, in characters: a long prompt; the comparison is not linear in it."""
_LIST_MARK = re.compile(r"^[ \t]*(?:[-*\u2022]|\(?\d{1,2}[.)])[ \t]+", re.MULTILINE)
_GROUPS = re.compile(r"(?<![\w.,])\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\w)")
_TRILLION = re.compile(r"(?<=\d)\s{0,2}t(?!\w)")
# two digits: `1e999999999` would be written out as a gigabyte
_POWER = re.compile(r"(?<![\w.])(\d{1,15}(?:\.\d{1,15})?)e\+?(\d{1,2})(?!\w)")
_DIGIT_WORDS = "zero one two three four five six seven eight nine".split()
_NUMBER_WORDS = re.compile(
    rf"\b(?P<whole>{WORDS}) point (?P<part>(?:{'|'.join(_DIGIT_WORDS)})"
    rf"(?: (?:{'|'.join(_DIGIT_WORDS)}))*)\b"
)
_QUARTER = re.compile(r"\b(first|second|third|fourth|1st|2nd|3rd|4th) quarter\b")
_QUARTERS = dict(zip("first second third fourth 1st 2nd 3rd 4th".split(), "12341234", strict=True))
_QUARTER_FORMS = (
    (re.compile(r"(?<!\w)(20\d\d)[ -]?q([1-4])(?!\w)"), r"q\2 \1"),
    (re.compile(r"(?<!\w)([1-4])q[ -]?(20\d\d)(?!\w)"), r"q\1 \2"),
    (re.compile(r"(?<!\w)q([1-4])-?(20\d\d)(?!\w)"), r"q\1 \2"),
    (re.compile(r"(?<!\w)(?:q([1-4])|([1-4])q)[ ]?['\u2019](\d\d)(?!\w)"), r"q\1\2 20\3"),
)
_NOT = "not"
"""The key of every negation."""
_DENIAL = re.compile(rf"\b(?:{'|'.join(sorted(map(latinised, NEGATORS)))}|\w+n['\u2019]t)\b")
_EXACT = re.compile(r"(?:(?<![\w)])-)?\w+|[+*/=<>^%]|(?<=\s)-(?=\s)")
_OPERATOR = re.compile(r"(?<=\d)(?:\s?[+*^\u00d7\u00f7]\s?|\s[-/]\s)(?=\d)")
_SIGN = re.compile(r"(?:\bus ?)?([$\u20ac\u00a3\u00a5])\s+(?=\d)")
_CURRENCIES = frozenset(
    stem(word) for word in "dollar dollars usd euro euros eur pound pounds gbp yen jpy".split()
)
"""Currency words, which not every form of an amount has: ``$3.1T``, ``3.1 trillion dollars``."""


@dataclass(frozen=True)
class Canonical:
    """
    The canonical form of a text.

    Attributes:
        text: The text.
        keys: Stems of its words and the values of its numbers, in order.
        numbers: Count of each number, date and id.
        signs: The minus signs of its numbers, and the operators between them.
    """

    text: str
    keys: tuple[str, ...]
    numbers: Counter[str]
    signs: tuple[str, ...] = ()

    @cached_property
    def bag(self) -> Counter[str]:
        """Count of each key."""
        return Counter(self.keys)

    @cached_property
    def letters(self) -> str:
        """Its letters and digits only."""
        return alphanumerics(_normal(self.text))

    @cached_property
    def exact(self) -> str:
        """Its words, including stop words, signed numbers and operators, in order."""
        return f" {' '.join(_EXACT.findall(_normal(self.text)))} "

    @property
    def denials(self) -> int:
        """Number of negations."""
        return self.bag[_NOT]

    @cached_property
    def plain(self) -> str:
        """Its normalised words, including stop words, separated by single blanks."""
        return " ".join(re.findall(r"\w+", _normal(self.text)))

    @cached_property
    def names(self) -> frozenset[str]:
        """Stems of capitalised words that do not begin a sentence."""
        # some pages
        return frozenset(one.key for one in tokens(self.text, most=2_000) if one.is_name)

    @cached_property
    def capitals(self) -> frozenset[str]:
        """Stems of all capitalised words."""
        words = tokens(self.text, most=2_000)
        return frozenset(one.key for one in words if one.content and self._is_capital(one.start))

    def _is_capital(self, at: int) -> bool:
        return self.text[at : at + 1].isupper()


# a leakage check reads each case and each prompt many times
@lru_cache(maxsize=1 << 13)
def canonical(text: str) -> Canonical:
    """
    Return the canonical form of a text.

    >>> canonical("Apple's market cap was $3.1T.").keys
    ('appl', 'market', 'cap', '3100000000000')
    >>> canonical("market cap of APPLE: 3.1 trillion dollars").keys
    ('market', 'cap', 'appl', '3100000000000')
    """
    plain = normalize_numbers(_normal(_LIST_MARK.sub("", text[:_LONGEST])))
    keys, numbers, behind = list[str](), Counter[str](), 0
    signs = [sign.strip() for sign in _OPERATOR.findall(plain)]
    for figure in figures(plain):
        keys += _words(plain[behind : figure.start])
        negative = is_negative(plain, figure)
        signs += ["negative"] * negative
        value = f"-{_value(figure)}" if negative else _value(figure)
        keys.append(value)
        numbers[value] += 1
        behind = figure.end
    keys += _words(plain[behind:])
    return Canonical(text, tuple(keys), numbers, tuple(signs))


def _normal(text: str) -> str:
    return normal(latinised(text[:_LONGEST]))


def normalize_numbers(plain: str) -> str:
    """Rewrite numbers to the form that the readers of values accept."""
    plain = _NUMBER_WORDS.sub(_digits, " ".join(plain.split()))
    plain = _GROUPS.sub(lambda match: re.sub(r"\D", "", match[0]), plain)
    plain = _POWER.sub(lambda match: f"{Decimal(match[0]):f}", plain)
    plain = _QUARTER.sub(lambda match: f"q{_QUARTERS[match[1]]}", plain)
    for form, written in _QUARTER_FORMS:
        plain = form.sub(written, plain)
    return _TRILLION.sub(" trillion", _SIGN.sub(r"\1", plain))


def _digits(match: re.Match[str]) -> str:
    try:
        whole = parse_number_words(match["whole"])
    except (ValueError, KeyError, InvalidOperation):
        return match[0]
    part = "".join(str(_DIGIT_WORDS.index(word)) for word in match["part"].split())
    return f"{whole:f}.{part}"


def _words(text: str) -> Iterator[str]:
    for place, part in enumerate(_DENIAL.split(text)):
        if place:
            yield _NOT
        yield from (key for key in keys_of(part) if key not in _CURRENCIES)


def _value(figure: Figure) -> str:
    value = figure.value
    if figure.kind in SUMS and isinstance(value, Decimal):
        return _plain(value)
    if figure.kind == DATE and isinstance(value, Day):
        return "-".join("?" if one is None else str(one) for one in value)
    if isinstance(value, Minute):
        return f"{value.minutes % (12 * 60 if value.half else 24 * 60)} min"
    return alphanumerics(str(value)) if figure.kind == ID else str(value)


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
