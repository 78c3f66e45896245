"""Relations between statements of a text, the intervals of rounded figures, words of change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from abs_shield.quality.marked_sentences import Reading, Sentence
from abs_shield.quality.quality_types import OutputFinding
from abs_shield.text.values.figure import MONEY, Figure

_RELATIVE = Decimal("0.005")
"""Relative tolerance of two values: writers round what they compute."""
_HALF = Decimal("0.5")
_CENT = Decimal("0.01")
_ONE = Decimal(1)


class Interval(NamedTuple):
    """The possible values of a figure."""

    low: Decimal
    high: Decimal

    def __add__(self, other: Interval) -> Interval:  # type: ignore[override]
        return Interval(self.low + other.low, self.high + other.high)

    def minus(self, other: Interval) -> Interval:
        """Return the difference of two intervals."""
        return Interval(self.low - other.high, self.high - other.low)

    def times(self, other: Interval) -> Interval:
        """Return the product of two intervals of positive values."""
        return Interval(self.low * other.low, self.high * other.high)

    def over(self, other: Interval) -> Interval:
        """Return the quotient of two intervals of positive values."""
        return Interval(self.low / other.high, self.high / other.low)

    def agrees(self, other: Interval, relative: Decimal = _RELATIVE) -> bool:
        """Return whether the intervals overlap within a relative tolerance."""
        slack = relative * max(abs(self.high), abs(other.high))
        return self.low - slack <= other.high and other.low - slack <= self.high


ZERO = Interval(Decimal(0), Decimal(0))


def interval_of(figure: Figure) -> Interval:
    """
    Return the interval of a figure: counts and amounts in cents are exact, others rounded.

    >>> from abs_shield.text.values.figure_reader import figures
    >>> [interval_of(one) for one in figures("$50M for 30 people")]
    [Interval(low=Decimal('49500000.0'), high=Decimal('50500000.0')), \
Interval(low=Decimal('30'), high=Decimal('30'))]
    """
    value = figure.numbers[0]
    # writers count people and cents exactly, and round everything else
    exact = figure.step == _ONE or (figure.kind == MONEY and figure.step == _CENT)
    width = Decimal(0) if exact and figure.unit != "%" else figure.step * _HALF
    return Interval(value - width, value + width)


def exact(value: Decimal | int) -> Interval:
    """Return the interval of an exact value."""
    return Interval(Decimal(value), Decimal(value))


def share_of(figure: Figure) -> Interval:
    """Return the interval of a percentage as a share in [0, 1]."""
    low, high = interval_of(figure)
    return Interval(low / 100, high / 100)


def render(interval: Interval) -> str:
    """
    Return the middle of an interval in at most four digits.

    >>> render(Interval(Decimal("44796380"), Decimal("46118721")))
    '45.46 million'
    """
    middle = (interval.low + interval.high) / 2
    for size, name in _SIZES:
        if abs(middle) >= size:
            return f"{_short(middle / size)} {name}"
    return _short(middle)


_SIZES = ((Decimal("1e12"), "trillion"), (Decimal("1e9"), "billion"), (Decimal("1e6"), "million"))


def _short(value: Decimal) -> str:
    return f"{value:,.2f}".rstrip("0").rstrip(".")


Relations = Iterator[OutputFinding | None]
"""None for each relation that holds, and a finding for each that does not."""
_LONGEST_CLAIM = 300  # a sentence or two: enough for an agent to find the place


def fault(
    reading: Reading, span: tuple[int, int], code: str, *, detail: str, remedy: str
) -> OutputFinding:
    """
    Return the finding of a relation that does not hold.

    Args:
        reading: The text.
        span: The offsets of the statements, from the first to the last.
        code: Name of the kind, such as `CONTRADICTORY_TOTAL`.
        detail: The conflicting figures in one line, without names.
        remedy: The instruction for the agent.
    """
    start, end = span
    return OutputFinding(
        code=code,
        start=start,
        end=end,
        detail=detail,
        claim=reading.text[start : min(end, start + _LONGEST_CLAIM)],
        requirement="Statements of one text must agree with each other",
        remedy=remedy,
        critical=True,
    )


def span_of(sentence: Sentence, match: re.Match[str]) -> tuple[int, int]:
    """Return the offsets of a match in the text."""
    return sentence.span(*match.span())


def is_positive(*intervals: Interval) -> bool:
    """Return whether all intervals are positive."""
    return all(one.low > 0 for one in intervals)


def is_alike(one: Figure, other: Figure) -> bool:
    """Return whether two figures may be values of one quantity: same kind, compatible units."""
    if one.kind != other.kind:
        return False
    return one.unit == other.unit or (
        # the "unit" of a count is the noun after it, which a text may vary
        one.unit != "%" and other.unit != "%" and one.kind == "number"
    )


_UP = (
    r"(?:ris(?:e|es|en|ing)|rose|gr(?:ew|ow|ows|own|owing|owth)|increas(?:e|es|ed|ing)"
    r"|climb(?:s|ed|ing)?|gain(?:s|ed|ing)?|jump(?:s|ed|ing)?|surg(?:e|es|ed|ing)|uplift"
    r"|advanc(?:e|es|ed|ing)|improvement|went up|up|expanded|expansion|higher|soar(?:s|ed|ing)?)"
)
_DOWN = (
    r"(?:fall(?:s|en|ing)?|fell|decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)"
    r"|drop(?:s|ped|ping)?|shr(?:ank|inks?|inking|unk)|reduc(?:e|es|ed|ing|tion)|slid"
    r"|slump(?:s|ed)?|plunge[sd]?|went down|down|lower(?:ed)?|tumbled|dip(?:s|ped)?)"
)
MOVE = rf"(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\b"
"""A word of change, in a group `up` or `down`."""
WORD = r"[^\W\d_][\w'\u2019-]{0,24}"
"""A word of at most 25 characters."""


def up_to_words(most: int, *, least: int = 0) -> str:
    """
    Return a pattern of several words, each after a blank, as few as possible.

    >>> re.fullmatch(up_to_words(3), " of all orders") is not None
    True
    """
    return rf"(?: {WORD}){{{least},{most}}}?"


ARTICLES = (
    r"(?:an? |the |or |i\.e\.,? |by |which (?:is|was) |that is,? |representing |marking |equal to "
    r"|with |for |about )*"
)
"""Words between a comma and a change."""
BREAK = r",? ?[,;:(\u2013\u2014=-] ?"
"""A mark between two parts of a sentence."""
GAP = r"(?:(?: [^\W\d_][\w'\u2019.-]{0,24}| <Y>){0,7}?)"
"""Words and years between two figures."""
PRIOR = re.compile(
    r"\b(?:last (?:year|quarter|month|week|season|time)"
    r"|(?:the )?(?:previous|prior|preceding) (?:fiscal )?(?:year|quarter|month|week|period|season)"
    r"|(?:a|one|the) (?:year|quarter|month|week) (?:ago|earlier|before|prior))",
    re.IGNORECASE,
)
CHANGED = re.compile(
    rf"\b(?:{_UP}|{_DOWN}|doubled|tripled|originally|initial(?:ly)?|now|new|later|then|earlier"
    r"|previous(?:ly)?|prior|formerly|last|next|current(?:ly)?|revised?|corrected|adjust(?:ed|s)?"
    r"|updated?|by (?:then|now)|after(?:wards)?|before|eventually|final(?:ly)?|since|still|once"
    r"|until|forecasts?|expect(?:ed|s)?|projected|planned|targets?|estimates?|budgeted|guidance"
    r"|claim(?:s|ed)?|according|report(?:s|ed)?|said|says|alleged(?:ly)?|whereas|while|but|however"
    r"|instead|actual(?:ly)?|second|third|other|another|each|per|respectively|former|latter)\b",
    re.IGNORECASE,
)
"""Words of another time, source or thing, for which a quantity can have another value."""
