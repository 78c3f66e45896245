"""What an argument's value says of how it is judged, where the author said nothing."""

from __future__ import annotations

import re
from typing import Any

from abs_shield.plan.names import Judged, is_host
from abs_shield.text.countries import is_country
from abs_shield.text.names import name_words
from abs_shield.text.shape import (
    is_address,
    is_code,
    is_formula,
    is_moment,
    is_quantity,
    is_sentinel,
)

_ACCOUNT = re.compile(r"[\d@_.]")
"""What an account has in it, and a person's name has not."""
_REFERENCES = (("reference",), ("ref",))
"""Parameters that hold an identifier, or a line of text."""
_NUMBERED = (("number",), ("no",), ("num",))
_LEAST_DIGITS = 4
"""Digits from which a number under such a name may identify something; below, it counts."""
_WORD = re.compile(r"[a-z]+(?:[A-Z][a-z]*)*")
"""A word of an interface; names of people and places begin with a capital."""
_TOKEN = re.compile(r"(?=.*\d)[\w-]{4,40}")
_CODE = ("code",)
_SHORT = 3
_LONGEST = 60
_LONGEST_WORD = 200
_MOST_WORDS = 6


def by_value(leaf: Any, text: str, declared: Judged, name: str) -> Judged:
    """What the value itself says, where the author said nothing."""
    if not isinstance(leaf, str):
        small = name_words(name)[-1:] in _NUMBERED and len(text) < _LEAST_DIGITS
        return "hard" if declared in ("hard", "who") and not small else "never"
    if _is_prose(text):
        return "hard" if is_address(text) else "never"
    if is_sentinel(text) or is_formula(text):
        return "never"
    if declared == "who":
        declared = "hard" if _ACCOUNT.search(text) else "soft"
    if declared == "hard":
        return "never" if _only_named_so(text, name) else "hard"
    if is_address(text) or is_code(text):
        return "hard"
    if declared == "code" or is_quantity(text) or is_moment(text) or is_country(text):
        return "never"
    if declared != "soft" or (len(text) <= _SHORT and text.isupper()) or _WORD.fullmatch(text):
        return "never"
    return "soft"


def _is_prose(text: str) -> bool:
    """Whether a text is too long for a name, and no single word."""
    if "\n" in text or text.count(" ") >= _MOST_WORDS:
        return True
    return len(text) > (_LONGEST if " " in text else _LONGEST_WORD)


def _only_named_so(text: str, name: str) -> bool:
    """Whether a value is no identifier, although its parameter is called as one."""
    if is_host(name):
        return "." not in text and ":" not in text
    said = name_words(name)[-1:]
    if said in _REFERENCES and " " in text.strip():
        return True
    if said == _CODE and len(text) <= _SHORT and text.isupper():
        return True
    return is_moment(text) and not text.isdigit()


def is_token(leaf: Any) -> bool:
    """Whether a value may be an identifier that nothing else tells: one word with digits in it."""
    if not isinstance(leaf, str) or not _TOKEN.fullmatch(leaf) or is_moment(leaf):
        return False
    return not is_quantity(leaf) or (leaf.isdigit() and len(leaf) > _LEAST_DIGITS)
