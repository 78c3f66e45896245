"""What the words around a figure say of it: an example, an ending, a thing reckoned."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice

from abs_shield.text.values.calendar import weekdays
from abs_shield.text.values.numerals import WORDS, worded

_EXAMPLE = re.compile(
    r"(?:\be\.g\.|\bfor (?:example|instance)|\bsuch as"
    r"|(?<!\bit looks )(?<!\bit seems )\blike(?: this)?"
    r"|\bformat(?:ted)?(?: as| of)?|\bexample|\bISO)[\s:,`\"'\u201c*(]{0,6}",
    re.IGNORECASE,
)
_FURTHER = re.compile(r"(?:and|or|for)\b|\S*\d|[^\w\s]+$")
"""What may stand between an example and the next one of a list."""
_PLAN = re.compile(
    r"\b(?:(?:I|we)(?:['\u2019]ll|[ ](?:will|shall|can|could|am[ ]going[ ]to|need[ ]to))|let[ ]me)"
    r"(?:[ ](?:now|then|next|first|also|just|go[ ]ahead[ ]and)){0,2}"
    r"[ ](?:check|look|search|query|review|examine|retrieve|fetch|find)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(r"[.;!?:](?=\s|$)|\b(?:because|since|as|but|which|that|where)\b", re.IGNORECASE)
"""What ends a plan, and begins a statement."""
_ENDS = re.compile(
    r"\b(?:ending|ends|end|last (?:four|4)(?: digits)?)[\s:*#.x\u2022]{0,6}"
    r"(?:in|with|is|are|of)?[\s:*#.x\u2022]{0,8}$",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\d[\w:.+-]{0,40}$")
_RECKONED = re.compile(
    r"\b(?:total|subtotal|sum|differen|additional|extra|remain|left|refund|charge|due"
    r"|ow(?:e|ed|es|ing)\b|over(?:paid|all|charge)"
    r"|sav|cheap|more|less|increase|decrease|reduc|discount|net|combin|altogether|together"
    r"|average|mean|per|each|spen[dt]"
    r"|deduct|therefore|thus\b|hence\b|which means"
    r"|share|half|split|both|adjust|new (?:total|price|balance|amount|cost|fare))"
    r"|[=+\u2212\u00d7%]|[ ]-[ ][$\d]",
    re.IGNORECASE,
)
"""What a sentence says in which something is reckoned or counted."""
_SHARED = re.compile(
    r"\b(?:half|halves|split|share|shared|each|per person|equally|both|average|mean)\b",
    re.IGNORECASE,
)

_LEFT = re.compile(
    r"\b(?:left|remain|differ|net\b|still|unused|outstanding|available|minus|short\b)",
    re.IGNORECASE,
)
_MONTHLY = re.compile(r"\b(?:monthly|(?:per|a|each|every)[ ]month)\b", re.IGNORECASE)
_MULTIPLIED = re.compile(
    r"\b(?:per|each|every|both|times|twice|double|passenger|person|people|travell?er|guest|adult"
    r"|night|ticket|seat|bag|unit|piece|month|week|all[ ](?:two|three|four|five|six|of))"
    r"|\u00d7|\bx[ ]?\$?\d|\d[ ]?x\b|\d[ ]\*[ ]\d",
    re.IGNORECASE,
)
_ANY = rf"\d{{1,3}}(?:,\d{{3}}){{1,4}}|\d{{1,12}}|{WORDS}"
_PART = re.compile(
    rf"(?<![\w.,])({_ANY})(?:[ ][A-Za-z]{{2,20}})?(?:[ ](?:out[ ])?of|[ ]?/)[ ]?"
    rf"(?:(?:the|a|all|your|our|its)[ ](?:total[ ])?(?:of[ ])?)?({_ANY})\b",
    re.IGNORECASE,
)
_MOST_PARTS = 24
_ITEM = re.compile(r"^[ \t]*(?:[-*\u2022]|\d{1,3}[.)])[ ]", re.MULTILINE)
_BEFORE = 60


def is_example(text: str, at: int) -> bool:
    """
    Whether what stands at a place is given as an example.

    >>> is_example("an id such as W-1", 14), is_example("your id is W-1", 11)
    (True, False)
    >>> is_example("an id such as W-1 or W-2", 21)
    True
    """
    before = _before(text, at)
    cues = [cue.end() for cue in _EXAMPLE.finditer(before)]
    return bool(cues) and all(map(_FURTHER.match, before[cues[-1] :].split()))


def is_looked_up(text: str, start: int, at: int) -> bool:
    """
    Whether what stands at a place, in a sentence from *start* on, is still to be looked up.

    >>> is_looked_up("I will now check May 3.", 0, 17), is_looked_up("I will pay $3.", 0, 11)
    (True, False)
    """
    plan = _PLAN.search(text, start, at)
    return plan is not None and _TOLD.search(text, plan.end(), at) is None


def is_ending(text: str, at: int) -> bool:
    """
    Whether what stands at a place is said to be the end of something longer.

    >>> is_ending("the card ending in 3658", 19)
    True
    """
    return _ENDS.search(_before(text, at)) is not None


def is_reckoned(text: str, start: int, end: int) -> bool:
    """
    Whether a stretch of text says that something in it is reckoned.

    >>> is_reckoned("a total of 5", 0, 12), is_reckoned("it costs 5", 0, 10)
    (True, False)
    """
    return _RECKONED.search(text, start, end) is not None


def is_multiplied(text: str) -> bool:
    """
    Whether a text speaks of something that there is several times.

    >>> is_multiplied("79 for each of the three"), is_multiplied("a total of 79")
    (True, False)
    """
    return _MULTIPLIED.search(text) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """
    What an answer says of how its figures were come by.

    Attributes:
        items: How many items it lists.
        shared: Whether it speaks of halves, shares and means.
        multiplied: Whether it speaks of something that there is several times.
        remains: Whether it speaks of what is left, or of a difference.
        monthly: Whether it speaks of what is paid or used by the month.
        parts: What it says to be so many of so many: a part and its whole.
        weekdays: Days of the week that it names, Monday as 0.
    """

    items: int = 0
    shared: bool = False
    multiplied: bool = False
    remains: bool = False
    monthly: bool = False
    parts: tuple[tuple[Decimal, Decimal], ...] = ()
    weekdays: frozenset[int] = frozenset()


def wording(text: str) -> Wording:
    r"""
    Read how the figures of a text were come by.

    >>> said = wording("79 for each of the three")
    >>> said.multiplied, said.monthly, wording("1. one\n2. two").items
    (True, False, 2)
    """
    return Wording(
        items=len(_ITEM.findall(text)),
        shared=_SHARED.search(text) is not None,
        multiplied=_MULTIPLIED.search(text) is not None,
        remains=_LEFT.search(text) is not None,
        monthly=_MONTHLY.search(text) is not None,
        parts=tuple(islice(_parts(text), _MOST_PARTS)),
        weekdays=weekdays(text),
    )


def _parts(text: str) -> Iterator[tuple[Decimal, Decimal]]:
    for said in _PART.finditer(text):
        part, whole = map(_number, said.groups())
        if 0 <= part <= whole and whole:
            yield part, whole


def _number(said: str) -> Decimal:
    return Decimal(said.replace(",", "")) if said[0].isdigit() else worded(said)


def _before(text: str, at: int) -> str:
    """What stands before the word that holds a place."""
    return _JOINED.sub("", text[max(0, at - _BEFORE) : at])
