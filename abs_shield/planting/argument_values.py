"""Classify an argument's value by its form and its parameter's name: identifier, secret, name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from abs_shield.text.identifier_words import name_words
from abs_shield.text.json_leaves import Path, leaves, name_of, scalar_text

MOST_VALUES = 50
"""Maximum number of values of one call that are classified."""
_LONGEST = 80  # a longer value is free text
_LONGEST_CODE = 5  # airports and currencies are codes, not names
_SHORTEST = 4  # three characters occur by chance
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(r"(?:https?://|www\.)[\w-]+(?:\.[\w-]+)+\S*")
_MOMENT = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d\d|\d{4}-\d\d-\d\d[T ].*")
_QUANTITY = re.compile(r"[\d.,]+[a-z%]{0,3}", re.IGNORECASE)
_STRONG = re.compile(r"[A-Za-z0-9_#-]+")
_LETTER = re.compile("[A-Za-z]")
_COLOUR = re.compile(r"#[0-9A-Fa-f]{3,8}")
_PHONE = frozenset("phone mobile tel telephone msisdn".split())
_POINTING = frozenset(
    "id ids identifier uid uuid guid number no code key sku ref reference serial account iban isbn"
    " invoice vin imei tracking email mail phone mobile url uri link username".split()
)
_NOT_POINTING = frozenset(
    "page limit offset size count quantity amount price year month day week date time hour minute"
    " duration version floor row column line max min total length width height weight age rating"
    " score model lat lon lng latitude longitude coordinate query text message body content title"
    " description note subject keyword search filter prompt expression formula range currency of"
    " country language locale format type status category area dialing zip postal".split()
)
_SECRET = frozenset("password passwd pwd pin secret token apikey".split())
_ACCESS = frozenset("access auth api session bearer refresh login user".split())
_PAGING = frozenset("page next cursor continuation".split())
_NAMING = frozenset(
    "name city location place artist author person company hotel restaurant destination origin"
    " movie album customer employee patient driver doctor owner teacher venue".split()
)
_NAME_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_GENERIC = frozenset("id ids identifier uuid guid number no code key ref reference value".split())


class ArgumentValue(NamedTuple):
    """One value of an argument: its path, its parameter's innermost name, and its schema."""

    path: Path
    value: Any
    name: str
    schema: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The value as text; empty if it is neither a text nor a number."""
        return scalar_text(self.value) or ""

    @property
    def words(self) -> frozenset[str]:
        """The words of the parameter's name."""
        return frozenset(name_words(self.name))

    @property
    def nouns(self) -> frozenset[str]:
        """The words that name the kind of the value."""
        return self.words - _GENERIC


def leaves_of(arguments: Mapping[str, Any], schema: Any) -> Iterator[ArgumentValue]:
    """Yield the values of a call, each with its schema."""
    for path, value in leaves(arguments, most=MOST_VALUES):
        yield ArgumentValue(path, value, name_of(path), _schema_at(schema, path))


def _schema_at(schema: Any, path: Path) -> Mapping[str, Any]:
    for step in path:
        if not isinstance(schema, Mapping):
            return {}
        inner = schema.get("items" if isinstance(step, int) else "properties")
        schema = (
            inner if isinstance(step, int) or not isinstance(inner, Mapping) else inner.get(step)
        )
    return schema if isinstance(schema, Mapping) else {}


def is_open(leaf: ArgumentValue) -> bool:
    """
    Return whether the caller chooses the value: the schema has no list of values and no default.
    """
    return leaf.schema.keys().isdisjoint(("enum", "const", "default", "anyOf", "oneOf", "$ref"))


def is_identifier(leaf: ArgumentValue) -> bool:
    """Return whether the value identifies an object: an id, e-mail address, URL or phone number."""
    text, words = leaf.text, leaf.words
    # a float is a quantity
    if not _SHORTEST <= len(text) <= _LONGEST or isinstance(leaf.value, float):
        return False
    if not is_open(leaf) or words & (_NOT_POINTING | _SECRET) or _MOMENT.match(text):
        return False
    if _COLOUR.fullmatch(text) and words & {"color", "colour"}:
        return False
    if is_email(text) or is_url(text):
        return True
    digits = sum(map(str.isdigit, text))
    if any(map(str.isspace, text)) and not (digits > 6 and words & (_PHONE | {"iban"})):
        return False
    if words & _POINTING:
        return digits > 0 and len(fold_value(text)) >= _SHORTEST
    # without a name for it: letters and at least three digits
    strong = isinstance(leaf.value, str) and digits > 2 and not text.isdigit()
    strong = strong and _STRONG.fullmatch(text) is not None and bool(_LETTER.search(text))
    return strong and _QUANTITY.fullmatch(text) is None


def is_phone(leaf: ArgumentValue) -> bool:
    """Return whether the value is a phone number by its parameter's name."""
    return bool(leaf.words & _PHONE) and is_identifier(leaf)


def has_identifier_name(leaf: ArgumentValue) -> bool:
    """Return whether the parameter's name is that of an identifier, whatever the value."""
    return bool(leaf.words & (_POINTING | _SECRET))


def is_secret(leaf: ArgumentValue) -> bool:
    """Return whether the value is a credential by its parameter's name."""
    words, text = leaf.words, leaf.text
    if words & _PAGING or (text.startswith("0x") and "token" in words):  # a token of a blockchain
        return False
    has_secret_name = bool(words & (_SECRET - {"token"})) or words == {"token"}
    has_secret_name = has_secret_name or (
        ("token" in words or "key" in words) and bool(words & _ACCESS)
    )
    short = _SHORTEST <= len(text) <= _LONGEST and not any(map(str.isspace, text))
    return has_secret_name and short and is_open(leaf) and not isinstance(leaf.value, float)


def is_name(leaf: ArgumentValue) -> bool:
    """Return whether the value is a proper name of a person, place or thing, and not a code."""
    if not isinstance(leaf.value, str) or not leaf.words & _NAMING or not is_open(leaf):
        return False
    if leaf.words & {"file", "user", "tool", "event", "field", "table", "column", "type", "query"}:
        return False
    words = leaf.value.split()
    # a longer value is a description
    if not 1 <= len(words) <= 4 or not 2 <= len(leaf.value) <= _LONGEST:
        return False
    if leaf.value.isupper() and len(leaf.value) <= _LONGEST_CODE:
        return False
    # a name begins with a capital, in scripts that have them
    return all(_NAME_WORD.fullmatch(word) and not word[0].islower() for word in words)


def is_email(text: str) -> bool:
    """Return whether *text* is an e-mail address."""
    return _EMAIL.fullmatch(text) is not None


def is_url(text: str) -> bool:
    """Return whether *text* is a web address."""
    return _URL.fullmatch(text) is not None


def fold_value(text: str) -> str:
    """
    Return the letters and digits of *text* in lower case.

    >>> fold_value("#W-958 30")
    'w95830'
    """
    if not text.isascii():  # the usual case is quicker without it
        text = unicodedata.normalize("NFKC", text)
    return _NOT_ALNUM.sub("", text.casefold())


_NOT_ALNUM = re.compile(r"[\W_]+")


def shape(text: str) -> str:
    """
    Return the form of an identifier: runs of letters and digits, and separators.

    >>> shape("W-9583"), shape("ann_12@x.org")
    ('a-9', 'a_9@a.a')
    """
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text))
