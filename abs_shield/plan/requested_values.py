"""Requested values: two values of one thing do not contradict if the user asked for both."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from itertools import islice
from typing import Any

from abs_shield.plan.tool_action import OPPOSITES
from abs_shield.session import Session
from abs_shield.text.json_leaves import scalar_text
from abs_shield.text.lazy_pattern import lazy_pattern
from abs_shield.text.values.numerals import WORDS, parse_number_words

_UNSPACED = r"\u2e80-\u9fff\uac00-\ud7ff"
_WORD = lazy_pattern(rf"[^\s{_UNSPACED}]+|[{_UNSPACED}]")
_WORDED_NUMBER = lazy_pattern(rf"\b{WORDS}\b", re.IGNORECASE)
_ORDER_WORDS = re.compile(
    r"\b(?:after|before|first|initially|once|until|till|while|when|start|begin|for now|later)\b",
    re.IGNORECASE,
)
"""Words for the order of steps, which may differ from their order in the message."""
_NEGATION = re.compile(r"(?:\b(?:not|never|without|instead of|rather than)|n['\u2019]t)\Z")
"""Words before an unwanted value."""
_SHORT_WORDS = frozenset("to at on in the a an for".split())
_PUNCTUATION = "\"'`.,;:!?()[]"
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_MAX_WORDS = 2_000
"""Words of a message that are searched; each step of the bisection reads its text again."""
# Many messages have "9:00" for a value "09:00".
_HOUR = re.compile(r"\A0(?=\d:\d\d)")
"""The leading zero of an hour that people write with one digit."""
_NOT_TOGGLES = (frozenset({"in", "out"}), frozenset({"long", "short"}))


def names_both_values(text: str, one: Any, other: Any, *, of: Collection[str] = ()) -> bool:
    """
    Return whether a message mentions a value and, after it, another one.

    Args:
        text: The message.
        one: The value of the first call.
        other: The value of the second call.
        of: Identifiers of the entity, in lower case; if the message names another such entity
            between both values, the second value belongs to that one.

    >>> names_both_values("Set AB-1 to 9.99 first, then to 8.99.", 9.99, 8.99, of=["ab-1"])
    True
    >>> names_both_values("Set AB-1 to 9.99, and AB-2 to 8.99.", 9.99, 8.99, of=["ab-1"])
    False
    >>> names_both_values("Dim it to fifty, and then to 20.", 50, 20)
    True
    >>> names_both_values("Dim it to 50.", 50, 20)
    False
    >>> names_both_values("Turn it on, then off again.", True, False)
    True
    >>> names_both_values("On, not off.", "on", "off")
    False
    """
    if isinstance(one, str) and isinstance(other, str) and (one in other or other in one):
        return False  # one mention would count for both
    text = _WORDED_NUMBER.sub(lambda match: f"{parse_number_words(match[0]).normalize():f}", text)
    if isinstance(one, bool) and isinstance(other, bool):
        return _names_opposites(text)
    ends = [word.end() for word in islice(_WORD.finditer(text), _MAX_WORDS)]
    at = _end_of_mention(text, 0, ends, one)
    if at < 0:
        return False
    end = _end_of_mention(text, at, ends, other)
    if end >= 0 and not _is_unwanted(text[:end], other):
        return not _names_other_entity(text[at:end], of)
    return _ORDER_WORDS.search(text) is not None and _end_of_mention(text, 0, ends, other) >= 0


def _end_of_mention(text: str, start: int, ends: Sequence[int], value: Any) -> int:
    """Return the end of the first mention of a value after *start*; -1 if there is none."""
    value_text = scalar_text(value)
    ends = [end for end in ends if end > start]
    if not (value_text and ends and _mentions(text[start:], value_text)):
        return -1
    # Bisection works because every extension of a text that mentions the value mentions it, too.
    index = bisect_left(ends, True, key=lambda end: _mentions(text[start:end], value_text))
    return ends[min(index, len(ends) - 1)]


def _mentions(text: str, value: str) -> bool:
    # A temporary session compares mentions as in a run, without changing the run.
    session = Session()
    session.user(text)
    return any(session.origin(spelling) is not None for spelling in {value, _HOUR.sub("", value)})


def _is_unwanted(text: str, value: Any) -> bool:
    """Return whether a negation precedes the value at the end of a text."""
    words = [word.strip(_PUNCTUATION).casefold() for word in text.split()]
    del words[len(words) - len((scalar_text(value) or "").split()) :]
    while words and words[-1] in _SHORT_WORDS:
        words.pop()
    # Two words: "instead of" and "rather than".
    return _NEGATION.search(" ".join(words[-2:])) is not None


def _names_other_entity(text: str, of: Collection[str]) -> bool:
    """Return whether a text has another identifier with the spelling of one in *of*."""
    shapes = {_shape(name) for name in of if _DIGIT.search(name)}
    words = (word.strip(_PUNCTUATION).casefold() for word in text.split())
    return any(_shape(word) in shapes and word not in of for word in words)


def _shape(word: str) -> str:
    return _LETTER.sub("a", _DIGIT.sub("0", word))


def _names_opposites(text: str) -> bool:
    """Return whether a message has two opposite words: on and off."""
    words = {word.strip(_PUNCTUATION) for word in text.casefold().split()[:_MAX_WORDS]}
    # "In" and "out", or "long" and "short", are not two states of a switch.
    return any(pair <= words for pair in OPPOSITES if pair not in _NOT_TOGGLES)
