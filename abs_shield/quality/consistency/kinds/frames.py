"""Repeated sentences: two consecutive sentences that differ in only one value."""

from __future__ import annotations

import re
from itertools import pairwise

from abs_shield.quality.consistency.changes import CHANGED, PRIOR
from abs_shield.quality.consistency.interval import interval_of
from abs_shield.quality.consistency.relation import Relations, fault, is_alike
from abs_shield.quality.reading import Reading, Sentence
from abs_shield.text.values.figure import DATE, SUMS, TIME, Figure, is_year

CODE = "CONTRADICTORY_VALUE"
_REMEDY = "Give the quantity one value, or say what differs"
_DEFINITE = re.compile(
    r"^(?:the|our|its|their|his|her|my|your|this|(?:total|net|gross|annual|overall|average|current)"
    r" [a-z]|[^\W\d_][\w-]{0,24}['\u2019]s) ?",
    re.IGNORECASE,
)
"""Openings that refer to one definite thing."""
_STATES = re.compile(
    r"\b(?:is|are|was|were|lasts?|lasted|takes?|took|costs?|has|have|had|weighs?|measures?|holds?"
    r"|starts?|begins?|ends?|opens?|closes?|equals?|totall?ed|totals?|stands? at|stood at"
    r"|comes? to|came to|amounts? to|amounted to)\b",
    re.IGNORECASE,
)
"""Verbs of a state, which has one value; an event may happen again."""
_OPEN = re.compile(
    r"\b(?:if|when|where|for|per|each|every|an?|another|one|some|any|either|between|under|near"
    r"|unless|except|without|with)\b|[(/:;|]",
    re.IGNORECASE,
)
"""Words of conditions, and of things that exist several times."""


def frames(reading: Reading) -> Relations:
    """Find repeated sentences with another value: "The price is $340. The price is $430."."""
    for one, other in pairwise(reading.sentences):
        # other paragraphs may be about other things
        if one.line != other.line or len(one.figures) != len(other.figures):
            continue
        if _frame(one) and _frame(one) == _frame(other):
            yield from _compare(reading, one, other)


def _frame(sentence: Sentence) -> str:
    """Return a sentence without its figures; empty unless it states one value of one thing."""
    plain = sentence.plain
    if not 1 <= len(sentence.figures) <= _MOST_FIGURES or not sentence.asserts:
        return ""
    if _DEFINITE.match(plain) is None or _STATES.search(plain) is None:
        return ""
    if _OPEN.search(plain) or CHANGED.search(plain) or PRIOR.search(plain):
        return ""
    return plain.casefold().strip(" .!")


_MOST_FIGURES = 3  # more are a table in prose, where each row differs


def _compare(reading: Reading, one: Sentence, other: Sentence) -> Relations:
    pairs = zip(one.figures, other.figures, strict=True)
    different = [(first, second) for first, second in pairs if _differ(first, second)]
    if not different:
        yield None
    if len(different) != 1:
        return  # the second sentence may be about another year, room or step
    first, second = different[0]
    values = [figure for figure in one.figures if not _is_time(figure)] or [*one.figures]
    # the last value is the stated one; those before it are its conditions
    if first is not values[-1] or (_is_time(first) and len(one.figures) > 1):
        return
    detail = f'one quantity is "{first.text}" in one place and "{second.text}" in another'
    yield fault(reading, (one.start, other.end), CODE, detail=detail, remedy=_REMEDY)


def _is_time(figure: Figure) -> bool:
    return figure.kind in (DATE, TIME) or is_year(figure)


def _differ(one: Figure, other: Figure) -> bool:
    if one.kind in SUMS and is_alike(one, other) and one.unit == other.unit:
        return not interval_of(one).agrees(interval_of(other))
    return one.text.casefold() != other.text.casefold()
