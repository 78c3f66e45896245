"""The shortest and longest text that a format or a simple pattern accepts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

LengthRange = tuple[int, int | None]
"""The minimum and maximum length; None without a maximum."""

FORMATS: Mapping[str, LengthRange] = {
    "date": (10, 10), "date-time": (16, None), "time": (5, None), "uuid": (36, 36),
    "ipv4": (7, 15), "ipv6": (2, 45), "email": (3, None), "duration": (3, None), "uri": (2, None),
}  # fmt: skip
_ATOM = r"(?:\\[dDwWsS]|\\[^\w\s]|\[(?:\\.|[^\]\\])+\]|[^\\\[\](){}*+?|^$])"
_COUNT = r"(\{[0-9]{1,6}(?:,[0-9]{0,6})?\}|[*+?])?"
_STEP = re.compile(rf"{_ATOM}{_COUNT}(\??)")
_PLAIN = re.compile(rf"\^?(?:{_ATOM}{_COUNT}\??)*\$?")
_LONGEST = 1_000  # characters of a pattern; longer ones are not simple
_SIGNS: Mapping[str | None, LengthRange] = {
    None: (1, 1),
    "*": (0, None),
    "+": (1, None),
    "?": (0, 1),
}
_LITERAL = re.compile(r"\^((?:\\[^\w\s]|[\w@:/ ~#%&=,;<>!'\"-])*)")
_COUNTED = tuple("*+?{")


def pattern_lengths(pattern: str) -> LengthRange:
    """
    Return the lengths of texts that *pattern* matches; all lengths if it is complex.

    >>> pattern_lengths("^[A-Z]{2}-[0-9]+$"), pattern_lengths("^a$"), pattern_lengths("(a|b)")
    ((4, None), (1, 1), (0, None))
    """
    if len(pattern) > _LONGEST or _PLAIN.fullmatch(pattern) is None:
        return 0, None
    ends = pattern.endswith("$") and not pattern.endswith("\\$")
    least, most = 0, 0 if pattern.startswith("^") and ends else None
    for step in _STEP.finditer(pattern):
        low, high = _quantity(step[1])
        least += low
        most = None if most is None or high is None else most + high
    return least, most


def _quantity(sign: str | None) -> LengthRange:
    if sign in _SIGNS:
        return _SIGNS[sign]
    low, comma, high = str(sign)[1:-1].partition(",")
    return int(low), (int(high) if high else None) if comma else int(low)


def pattern_prefix(pattern: str) -> str:
    r"""
    Return the literal prefix of everything that *pattern* matches; empty if uncertain.

    >>> pattern_prefix(r"^tx_[0-9]+$"), pattern_prefix(r"^ab?"), pattern_prefix("^a|b")
    ('tx_', 'a', '')
    """
    match = _LITERAL.match(pattern)
    if match is None or "|" in pattern:
        return ""
    text = match[1]
    if pattern[match.end() :].startswith(_COUNTED):
        # The last character is quantified, so it may be absent.
        text = text[: -2 if text[-2:-1] == "\\" else -1]
    return re.sub(r"\\(.)", r"\1", text)


def length_ranges(plain: Mapping[str, Any]) -> list[tuple[str, LengthRange]]:
    """Return the range of lengths for each keyword of a schema that bounds its texts."""
    name, pattern = plain.get("format"), plain.get("pattern")
    ranges = [("format", FORMATS[name])] if isinstance(name, str) and name in FORMATS else []
    return [*ranges, *([("pattern", pattern_lengths(pattern))] if isinstance(pattern, str) else [])]
