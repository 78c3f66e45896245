"""The values of a text that can be compared: numbers, money, dates, times, ids and names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import product

from abs_shield.answer.stems import stems
from abs_shield.text.amounts import amount
from abs_shield.text.mentions import Kind, mentions
from abs_shield.text.normal import normal, squeezed, words

SUMS = frozenset({"number", "money"})
DATES = frozenset({"date", "time"})
_KINDS = {
    Kind.NUMBER: "number", Kind.MONEY: "money", Kind.DATE: "date", Kind.ID: "id",
    Kind.EMAIL: "id", Kind.URL: "id", Kind.PHONE: "id", Kind.PATH: "id", Kind.NAME: "name",
}  # fmt: skip
_SCALES = {
    "hundred": 100, "thousand": 1_000, "k": 1_000, "million": 1_000_000, "m": 1_000_000,
    "mn": 1_000_000, "billion": 1_000_000_000, "bn": 1_000_000_000, "trillion": 10**12,
}  # fmt: skip
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORTH = {word: n for n, word in enumerate(_UNITS)} | {
    word: 10 * n for n, word in enumerate(_TENS, 2)
}
_ANY = "|".join((*_TENS, *reversed(_UNITS)))
_WORDED = re.compile(
    rf"\b(?:{_ANY})(?:[- ](?:and )?(?:{_ANY}|hundred|thousand|million|billion)){{0,8}}\b",
    re.IGNORECASE,
)
_SCALE = re.compile(r"[ -]?(hundred|thousand|million|billion|trillion|mn|bn|k|m)\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d[\d.,'\u00a0\u202f ]*")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s{0,2}(?:([ap])\.?m\.?)?")
_CLOCK_TAIL = re.compile(r"\s{0,2}(?:[ap]m\b|[ap]\.m\.)", re.IGNORECASE)
_HOUR = re.compile(r"(?<![\w:.])\d{1,2} ?(?:[ap]m\b|[ap]\.m\.)", re.IGNORECASE)
_MOST = 1_000

Day = tuple[int | None, int, int | None]
"""Year, month and day; what is not written is None."""


@dataclass(frozen=True)
class Said:
    """
    One value as a text has it.

    Attributes:
        kind: number, money, date, time, id or name.
        text: How it stands there.
        start: Offset of its first character.
    """

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Offset behind its last character."""
        return self.start + len(self.text)

    @cached_property
    def numbers(self) -> frozenset[Decimal]:
        """What it can be worth; empty of what is no number."""
        return frozenset(_numbers(normal(self.text)))

    @cached_property
    def days(self) -> frozenset[Day]:
        """The days that it can mean; more than one where the order is not told."""
        return frozenset(_days(normal(self.text)))


def said_in(text: str) -> tuple[Said, ...]:
    """
    Give the values of *text* in order, at most 1,000; a lone capital at its beginning is none.

    >>> [(one.kind, one.text) for one in said_in("Mia Li paid $1.2 million on May 5 at 6:30 pm.")]
    [('name', 'Mia Li'), ('money', '$1.2 million'), ('date', 'May 5'), ('time', '6:30 pm')]
    """
    return tuple(_said(text))[:_MOST]


def same(one: Said, other: Said) -> bool:
    """
    Whether two values are the same: numbers by value, days as far as both are written.

    >>> same(said_in("it is $1,200")[0], said_in("it is 1200 USD")[0])
    True
    """
    if one.kind in SUMS and other.kind in SUMS:
        return not one.numbers.isdisjoint(other.numbers)
    if one.kind == other.kind == "date":
        return any(_agree(a, b) for a, b in product(one.days, other.days))
    if one.kind == other.kind == "time":
        return _minutes(one.text) == _minutes(other.text)
    if one.kind == other.kind == "name":
        mine, theirs = set(stems(one.text)), set(stems(other.text))
        return bool(mine & theirs) and (mine <= theirs or theirs <= mine)
    return squeezed(normal(one.text)) == squeezed(normal(other.text))


def _said(text: str) -> Iterator[Said]:
    behind = 0
    found = [
        *(Said("time", hour[0], hour.start()) for hour in _HOUR.finditer(text)),
        *_mentioned(text),
        *(Said("number", said[0], said.start()) for said in _WORDED.finditer(text)),
    ]
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        alone = one.text.casefold() in ("one", "zero") and one.kind == "number"
        if one.start >= behind and not alone:
            behind = one.end
            yield one


def _mentioned(text: str) -> Iterator[Said]:
    first = len(text) - len(text.lstrip("\"'([*_#>- \t"))
    for mention in mentions(text):
        kind, said = _KINDS[mention.kind], mention.text
        if kind == "name" and mention.start == first and len(words(normal(said))) == 1:
            continue
        if kind == "date" and _CLOCK.fullmatch(normal(said)):
            kind, tail = "time", _CLOCK_TAIL.match(text, mention.end)
            said += tail[0] if tail else ""
        elif kind in SUMS:
            scale = _SCALE.match(text, mention.end)
            said += scale[0] if scale else ""
        yield Said(kind, said, mention.start)


def _numbers(plain: str) -> Iterator[Decimal]:
    digits = _DIGITS.search(plain)
    if digits is None:
        if found := _WORDED.search(plain):
            yield _worded(found[0])
        return
    scale = _SCALE.match(plain, digits.start() + len(digits[0].rstrip(" .,")))
    factor = _SCALES[scale[1]] if scale else 1
    value = amount(digits[0].strip(" .,"))
    if value is not None and value.is_finite():
        yield value * factor


def _worded(text: str) -> Decimal:
    whole, group = 0, 0
    for word in re.split(r"[- ]", text.casefold()):
        if word in _WORTH:
            group += _WORTH[word]
        elif word == "hundred":
            group = max(group, 1) * 100
        elif word in _SCALES:
            whole, group = whole + max(group, 1) * _SCALES[word], 0
    return Decimal(whole + group)


def _days(plain: str) -> Iterator[Day]:
    numbers = [int(found) for found in re.findall(r"\d{1,4}", plain)[:3]]
    if month := _MONTH.search(plain):
        year = next((n for n in numbers if n > 31), None)
        day = next((n for n in numbers if 1 <= n <= 31), None)
        yield year, _MONTHS.index(month[1]) + 1, day
    elif len(numbers) >= 3 and numbers[0] > 31:
        yield numbers[0], numbers[1], numbers[2]
    elif len(numbers) >= 3:
        year = numbers[2] if numbers[2] > 99 else 2000 + numbers[2]
        for day, month_number in {(numbers[0], numbers[1]), (numbers[1], numbers[0])}:
            if month_number <= 12:
                yield year, month_number, day


def _agree(one: Day, other: Day) -> bool:
    return one[1] == other[1] and all(
        None in pair or pair[0] == pair[1] for pair in ((one[0], other[0]), (one[2], other[2]))
    )


def _minutes(text: str) -> int | None:
    clock = _CLOCK.match(normal(text))
    if clock is None:
        return None
    hour = int(clock[1]) % (12 if clock[3] else 24)
    return 60 * (hour + 12 * (clock[3] == "p")) + int(clock[2] or 0)
