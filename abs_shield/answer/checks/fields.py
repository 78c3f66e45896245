"""Whether a moment stands under the field that an answer speaks of: a departure is no arrival."""

from __future__ import annotations

import re
from collections.abc import Iterable

from abs_shield.text.names import name_words

_BEFORE = 60
_LABEL = re.compile(
    r"([A-Za-z]{3,20})(?:[ ](?:time|date|day|on|at|is|by|are|was)){0,3}[\s:*_|\"']{1,8}$",
    re.IGNORECASE,
)
_STAMPS = frozenset("created updated modified timestamp sent received posted logged edited".split())
_EVENT = re.compile(
    r"\b(?:is|are|will|starts?|begins?|ends?|leav(?:es?|ing)|depart(?:s|ing)?|arriv(?:es?|ing)"
    r"|scheduled|takes?[ ]place|due|held|meets?)\b",
    re.IGNORECASE,
)
_STAMPED = re.compile(
    r"\b(?:creat|updat|modif|sen[dt]|receiv|post|logg|edit|made\b|book|plac|order|purchas|issu"
    r"|e?-?mail|message|wrote|said|dated?\b|as of|timestamp|ago\b|since|hours|old\b|within|latest"
    r"|last|recent|fil|record|enter|open|report|regist|join|sign|submit)",
    re.IGNORECASE,
)
_LEAST = 3
_ALIKE = 5
"""Letters by which a word is taken for another form of one."""


def label(text: str, at: int) -> str:
    """
    Give the word that says what stands at a place; empty where none stands right before it.

    >>> label("- Departure time: 18:00", 18), label("it departs at 18:00", 14)
    ('departure', 'departs')
    """
    found = _LABEL.search(text, max(0, at - _BEFORE), at)
    return found[1].casefold() if found else ""


def is_named(field: str, word: str) -> bool:
    """
    Whether a field's name has a word, in any form.

    >>> is_named("scheduled_departure_time", "departs"), is_named("arrival_time", "departs")
    (True, False)
    """
    stem = word[:_ALIKE]
    parts = (part for part in name_words(field) if len(part) >= _LEAST)
    return any(part.startswith(stem) or stem.startswith(part) for part in parts)


def is_stamp(field: str) -> bool:
    """
    Whether a field says when its record was written, and nothing of what it is about.

    >>> is_stamp("created_at"), is_stamp("departure")
    (True, False)
    """
    return not _STAMPS.isdisjoint(name_words(field))


def is_event(text: str, start: int, end: int) -> bool:
    """
    Whether a sentence tells when something takes place, and not when it was written down.

    >>> is_event("The trip is at 8.", 0, 17), is_event("It was created at 8.", 0, 20)
    (True, False)
    """
    return bool(_EVENT.search(text, start, end)) and not _STAMPED.search(text, start, end)


def others(fields: Iterable[str], word: str) -> frozenset[str]:
    """Give the fields without a word, where another one has it; else none."""
    fields = frozenset(fields)
    named = frozenset(field for field in fields if word and is_named(field, word))
    return fields - named if named else frozenset()
