"""Canonical form of a text for comparison, and the similarity of two texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property, lru_cache
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.text.normal_form import alphanumerics, latinise, normal
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
_DENIAL = re.compile(rf"\b(?:{'|'.join(sorted(map(latinise, NEGATORS)))}|\w+n['\u2019]t)\b")
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
    return normal(latinise(text[:_LONGEST]))


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


DUPLICATE = 0.92  # examples from one template differ more; a different word order does not
"""Minimum similarity of duplicates among examples with the same names and numbers."""
_SAME_WORD = 80.0  # one letter of five
"""Minimum percentage at which a word counts as a misspelling of another."""
_LEAST_LETTERS = 4  # two words of three letters differ in a third by one letter
_LEAST_WORDS = 2
"""A case of one word occurs in too many texts to be a leak."""


def fuzz() -> Any:
    """
    Return rapidfuzz's module of ratios.

    Raises:
        ShieldError: It is not installed.
    """
    try:
        from rapidfuzz import fuzz as ratios
    except ModuleNotFoundError:
        raise ShieldError(
            'near-duplicates need rapidfuzz; run `pip install "abs-shield[flywheel]"`'
        ) from None
    return ratios


def likeness(one: Canonical, other: Canonical) -> float:
    """
    Return the share of keys that two texts have in common, in [0, 1]; 0 if they differ in a
    number, a sign, a name or a negation, because they are different questions then.

    >>> from abs_shield.flywheel.mutate.canonical_text import canonical
    >>> question = canonical("What was Apple's market cap in Q4 2025?")
    >>> likeness(question, canonical("what was apples MARKET-CAP in the fourth quarter of 2025"))
    1.0
    >>> likeness(question, canonical("What was Apple's market cap in Q3 2025?"))
    0.0
    """
    if (one.numbers, one.signs, one.denials) != (other.numbers, other.signs, other.denials):
        return 0.0
    mine, theirs = one.bag - other.bag, other.bag - one.bag
    shared = (one.bag & other.bag).total()
    shared += _match_misspelt(mine, theirs)
    if (mine and theirs) and (one.names & mine.keys() or other.names & theirs.keys()):
        return 0.0
    total = len(one.keys) + len(other.keys)
    if not total:
        return float(one.letters == other.letters)
    return 2 * shared / total


def is_duplicate(one: Canonical, other: Canonical) -> bool:
    """Return whether two examples differ only in a few letters or the order of their words."""
    if one.numbers != other.numbers or one.capitals != other.capitals:
        return False
    return bool(fuzz().token_sort_ratio(one.plain, other.plain) >= 100 * DUPLICATE)


def is_within(short: Canonical, whole: Canonical, *, least: int = 4) -> bool:
    """
    Return whether a longer text contains a text literally, in another word order, or written
    without blanks. The last two are recognised only for texts of some length.
    """
    if short.exact.count(" ") > _LEAST_WORDS and short.exact in whole.exact:
        return True
    n = len(short.keys)
    if n >= least and n <= len(whole.keys):
        # a window that slides, because counting each one anew is quadratic
        window = Counter(whole.keys[:n])
        for place in range(n, len(whole.keys) + 1):
            if window == short.bag:
                return True
            if place < len(whole.keys):
                _slide(window, whole.keys[place - n], whole.keys[place])
    # 6 letters a word on average: shorter ones occur inside other words
    joined = len(short.letters) >= 6 * least and short.signs == whole.signs
    return joined and short.letters in whole.letters


def _slide(window: Counter[str], out: str, into: str) -> None:
    window[out] -= 1
    if not window[out]:
        del window[out]
    window[into] += 1


def _match_misspelt(mine: Counter[str], theirs: Counter[str]) -> int:
    """Count words that are misspelt on the other side, and remove them from both."""
    if not mine or not theirs:
        return 0
    ratio, pairs = fuzz().ratio, 0
    for word in _misspellable(mine):
        near = max(_misspellable(theirs), key=lambda one: ratio(word, one), default="")
        if near and ratio(word, near) >= _SAME_WORD:
            mine[word] -= 1
            theirs[near] -= 1
            pairs += 1
    for side in (mine, theirs):
        for word in [word for word, count in side.items() if count <= 0]:
            del side[word]
    return pairs


def _misspellable(bag: Iterable[str]) -> list[str]:
    return [word for word in bag if len(word) >= _LEAST_LETTERS and word.isalpha()]
