"""The class of an argument, by its value, if the author declared nothing."""

from __future__ import annotations

import re
from typing import Any

from abs_shield.plan.parameter_names import ParameterClass, classify_name, is_host
from abs_shield.text.identifier_words import name_words
from abs_shield.text.public_names import is_country
from abs_shield.text.value_shapes import (
    is_address,
    is_code,
    is_date_or_time,
    is_formula,
    is_quantity,
    is_sentinel,
)

_ACCOUNT = re.compile(r"[\d@_.]")
"""Characters that occur in account names but not in names of people."""
_REFERENCES = (("reference",), ("ref",))
"""Parameters that contain either an identifier or a line of text."""
NUMBER_NAMES = (("number",), ("no",), ("num",))
_MIN_DIGITS = 4
"""Fewest digits of a number that may identify something; a shorter one is a count."""
_SHORT_CODE = re.compile(r"(?!v\d+$)(?=.*[^\W\d_])(?=.*\d)[\w#/-]{2,40}")
"""A letter and a digit in one word, ``R204``, but not a version; `is_code` is stricter."""
_CAMEL = re.compile(r"[a-z]+(?:[A-Z][a-z]*)+$")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_TOKEN = re.compile(r"(?=.*\d)[\w-]{4,40}")
_CODE_NAME = ("code",)
_STRICT_ID_NAMES = (("id",), ("uuid",), ("account",), ("iban",), ("sku",), ("key",))
"""Names whose values are identifiers even if they look like a date or a formula."""
_BRANCH_NAME = ("sort", "code")
"""The branch of a bank: under this name ``20-44-10`` is not a date."""
_SHORT_LENGTH = 3  # countries, currencies and languages: `US`, `EUR`
_MAX_WORD_LENGTH = 100  # names of people and places are shorter
_MAX_WORDS = 6  # a name has fewer; more words are a sentence


def classify_value(leaf: Any, text: str, declared: ParameterClass, name: str) -> ParameterClass:
    """
    Return the class of a value, given the class that its parameter is *declared* with.

    Args:
        leaf: The value.
        text: The value as text.
        declared: The class of the parameter.
        name: The parameter's name.

    Returns:
        ``hard``, ``soft``, ``public``, or ``never`` for a value that is not judged.
    """
    if declared == "number":
        return _classify_number(leaf, text.strip(), name)
    if not isinstance(leaf, str):
        is_count = name_words(name)[-1:] in NUMBER_NAMES and len(text) < _MIN_DIGITS
        return "hard" if declared in ("hard", "who") and not is_count else "never"
    text = text.strip()
    if is_sentinel(text):
        return "never"
    # First, as a sentence is not an identifier, whatever the parameter's name is.
    if _is_prose(text):
        return "hard" if is_address(text) else "never"
    if declared == "who":
        declared = "hard" if _ACCOUNT.search(text) else "soft"
    if declared == "hard":
        return "never" if _is_misnamed_id(text, name) else "hard"
    if is_formula(text):
        return "never"
    # A code is an identifier even in a parameter for names.
    if is_address(text) or is_code(text):
        return "hard"
    if declared == "code" or is_quantity(text) or is_date_or_time(text) or is_country(text):
        return "never"
    if (
        declared not in ("soft", "public")
        # A standard code, such as `US`, needs no mention.
        or (len(text) <= _SHORT_LENGTH and text.isupper())
        or _is_interface_word(text, name)
    ):
        return "never"
    return declared


def is_free_text(text: str, declared: ParameterClass, name: str) -> bool:
    """Return whether a text under an identifier's name is too long for an identifier."""
    text = text.strip()
    if declared not in ("hard", "who") or not _is_prose(text):
        return False
    return not (is_address(text) or _is_misnamed_id(text, name))


def _classify_number(leaf: Any, text: str, name: str) -> ParameterClass:
    """
    Return the class of a value whose parameter may be the number of a thing, or a count.

    A short number is a count (``room_number: 2``), a word belongs to the interface
    (``event_key: login``), and a year or a version needs no mention.
    """
    if text.isdigit():
        is_count = len(text) < _MIN_DIGITS or is_date_or_time(text)
        return "never" if is_count else "hard"
    if not isinstance(leaf, str):
        return "never"
    if is_code(text) or is_address(text):
        return "hard"
    may_be_numbered = (
        name_words(name)[-1:] in NUMBER_NAMES and _SHORT_CODE.fullmatch(text) is not None
    )
    return (
        "hard" if may_be_numbered and not (is_quantity(text) or is_date_or_time(text)) else "never"
    )


def _is_prose(text: str) -> bool:
    """Return whether a text is a sentence: several words, or too long for a name."""
    if len(text) > _MAX_WORD_LENGTH and " " in text:
        return True
    word_count = len(_LETTERS.findall(text))
    return (word_count > _MAX_WORDS and " " in text) or ("\n" in text and word_count > 1)


def _is_interface_word(text: str, name: str) -> bool:
    """Return whether a soft value is a word of an interface, as names begin with a capital."""
    words = name_words(name)
    of_something = words[-1:] == ("name",) and classify_name("_".join(words[:-1])) == "open"
    return _CAMEL.match(text) is not None or (of_something and text.isalpha() and text.islower())


def _is_misnamed_id(text: str, name: str) -> bool:
    """Return whether a value is not an identifier, although its parameter is named like one."""
    if is_host(name):
        return "." not in text and ":" not in text and not any(map(str.isdigit, text))
    words = name_words(name)[-1:]
    if words in _REFERENCES and " " in text:
        return True
    if words == _CODE_NAME and len(text) <= _SHORT_LENGTH and text.isupper():
        return True
    if words in _STRICT_ID_NAMES or name_words(name)[-2:] == _BRANCH_NAME:
        # `$.data.id` is an expression that the host evaluates.
        return text.startswith("$") and "." in text
    return is_formula(text) or (is_date_or_time(text) and not text.isdigit())


def is_token(leaf: Any) -> bool:
    """Return whether a value may be an identifier of any kind: one word with digits in it."""
    if not isinstance(leaf, str) or not _TOKEN.fullmatch(leaf) or is_date_or_time(leaf):
        return False
    # A long number may be an id although it reads as a quantity.
    return not is_quantity(leaf) or (leaf.isdigit() and len(leaf) > _MIN_DIGITS)
