"""Numbers that an answer marks as rounded: "about 500", "over 200"."""

from __future__ import annotations

import re
from decimal import Decimal

from abs_shield.text.values.figure import SUMS, Figure

_HEDGE = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|ca\.|nearly|almost|some|over"
    r"|more than|under|less than|up to|close to|rund|etwa|knapp|environ|casi|unos)|[~\u2248])"
    r"[ *_]{0,4}\Z",
    re.IGNORECASE,
)
_ABOVE = re.compile(r"\b(?:over|more than)[ *_]{0,4}\Z", re.IGNORECASE)
_BELOW = re.compile(r"\b(?:under|less than|almost|nearly)[ *_]{0,4}\Z", re.IGNORECASE)
"""Hedges of a number that is rounded down, or up."""
_LONGEST_HEDGE = 24  # the longest hedge is "approximately" with marks of emphasis
_ROUNDED = Decimal("0.05")  # "about 500" for 480 or 520
"""Relative error of a number that the answer marks as rounded."""


def widen_hedged(value: Figure, answer: str) -> Figure:
    """Return a round number with the precision of its leading digits, if hedged ("about")."""
    if value.kind not in SUMS or value.soft:
        return value
    if not _HEDGE.search(answer, max(0, value.start - _LONGEST_HEDGE), value.start):
        return value
    number = abs(value.numbers[0])
    if number != number.to_integral_value() or not number:
        return value
    # "about 500" is rounded to hundreds, but by at most 5 % on either side
    zeros = len(str(int(number))) - len(str(int(number)).rstrip("0"))
    step = max(value.step, min(Decimal(10) ** zeros, 2 * _ROUNDED * number))
    before = answer[max(0, value.start - _LONGEST_HEDGE) : value.start]
    side = 1 if _ABOVE.search(before) else -1 if _BELOW.search(before) else 0
    # "over 200" for 214
    beyond = (value.numbers[0] + side * step / 2,) if side else ()
    return value._replace(values=(*value.values, *beyond), step=step)
