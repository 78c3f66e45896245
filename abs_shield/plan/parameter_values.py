"""What an argument's value says of how it is judged, where the author said nothing."""

from __future__ import annotations

import re
from typing import Any

from abs_shield.plan.parameter_names import Judged, classify_name, is_host
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
_SHORT_CODE = re.compile(r"(?!v\d+$)(?=.*[^\W\d_])(?=.*\d)[\w#/-]{2,40}")
"""A letter and a digit in one word, ``R204``, but no version; `is_code` demands more of a value."""
_CAMEL = re.compile(r"[a-z]+(?:[A-Z][a-z]*)+$")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_TOKEN = re.compile(r"(?=.*\d)[\w-]{4,40}")
_CODE = ("code",)
_STRICT = (("id",), ("uuid",), ("account",), ("iban",), ("sku",), ("key",))
"""Names under which a date, a pattern or a sum is none."""
_BRANCH = ("sort", "code")
"""The branch of a bank: ``20-44-10`` is no date there."""
_SHORT = 3
_LONGEST_WORD = 100
_MOST_WORDS = 6


def classify_value(leaf: Any, text: str, declared: Judged, name: str) -> Judged:
    """What the value itself says, where the author said nothing."""
    if declared == "number":
        return _as_number(leaf, text.strip(), name)
    if not isinstance(leaf, str):
        small = name_words(name)[-1:] in _NUMBERED and len(text) < _LEAST_DIGITS
        return "hard" if declared in ("hard", "who") and not small else "never"
    text = text.strip()
    if is_sentinel(text):
        return "never"
    if _is_prose(text):
        return "hard" if is_address(text) else "never"
    if declared == "who":
        declared = "hard" if _ACCOUNT.search(text) else "soft"
    if declared == "hard":
        return "never" if _only_named_so(text, name) else "hard"
    if is_formula(text):
        return "never"
    if is_address(text) or is_code(text):
        return "hard"
    if declared == "code" or is_quantity(text) or is_moment(text) or is_country(text):
        return "never"
    if (
        declared not in ("soft", "public")
        or (len(text) <= _SHORT and text.isupper())
        or _is_word(text, name)
    ):
        return "never"
    return declared


def is_free_text(text: str, declared: Judged, name: str) -> bool:
    """Return whether a text stands under an identifier's name that is too long to be one."""
    text = text.strip()
    if declared not in ("hard", "who") or not _is_prose(text):
        return False
    return not (is_address(text) or _only_named_so(text, name))


def _as_number(leaf: Any, text: str, name: str) -> Judged:
    """
    Return how a value is judged whose parameter numbers a thing, or may count it.

    A short number counts (``room_number: 2``), a word is one of the interface's own
    (``event_key: login``), a year and a version are known without a mention.
    """
    if text.isdigit():
        counts = len(text) < _LEAST_DIGITS or is_moment(text)
        return "never" if counts else "hard"
    if not isinstance(leaf, str):
        return "never"
    if is_code(text) or is_address(text):
        return "hard"
    counting = name_words(name)[-1:] in _NUMBERED and _SHORT_CODE.fullmatch(text) is not None
    return "hard" if counting and not (is_quantity(text) or is_moment(text)) else "never"


def _is_prose(text: str) -> bool:
    """Whether a text is a sentence: several words of letters, or too long for a name."""
    if len(text) > _LONGEST_WORD and " " in text:
        return True
    said = len(_LETTERS.findall(text))
    return (said > _MOST_WORDS and " " in text) or ("\n" in text and said > 1)


def _is_word(text: str, name: str) -> bool:
    """Whether a soft value is a word of an interface; people and places begin with a capital."""
    said = name_words(name)
    of_something = said[-1:] == ("name",) and classify_name("_".join(said[:-1])) == "open"
    return _CAMEL.match(text) is not None or (of_something and text.isalpha() and text.islower())


def _only_named_so(text: str, name: str) -> bool:
    """Whether a value is no identifier, although its parameter is called as one."""
    if is_host(name):
        return "." not in text and ":" not in text and not any(map(str.isdigit, text))
    said = name_words(name)[-1:]
    if said in _REFERENCES and " " in text:
        return True
    if said == _CODE and len(text) <= _SHORT and text.isupper():
        return True
    if said in _STRICT or name_words(name)[-2:] == _BRANCH:
        return text.startswith("$") and "." in text
    return is_formula(text) or (is_moment(text) and not text.isdigit())


def is_token(leaf: Any) -> bool:
    """Whether a value may be an identifier that nothing else tells: one word with digits in it."""
    if not isinstance(leaf, str) or not _TOKEN.fullmatch(leaf) or is_moment(leaf):
        return False
    return not is_quantity(leaf) or (leaf.isdigit() and len(leaf) > _LEAST_DIGITS)
