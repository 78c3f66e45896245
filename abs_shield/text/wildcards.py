"""Values that mean many things, or everything: wildcards, roots, and words such as ``all``."""

from __future__ import annotations

import re
import unicodedata

_WORDS = frozenset(
    "all any every each everything everyone everybody anything anyone anybody whole entire todos "
    "todo alle alles tous tout tutti".split()
)
_JOINED = re.compile(r"(?<=[^\x00-\x7f\u200c\u200d])[\u200c\u200d](?=[^\x00-\x7f\u200c\u200d])")
_QUOTES = "\"'`"


def is_whole_set(text: str) -> bool:
    """
    Return whether *text* names no one thing: a wildcard, a root or a parent, nothing, or all.

    >>> [is_whole_set(text) for text in ("*", "/", "../..", "", "All", "/tmp/*", "/tmp/a%20b")]
    [True, True, True, True, True, True, False]
    """
    bare = text.strip().strip(_QUOTES)
    if not any(character.isalnum() for character in bare):
        return True
    return "*" in bare or bare.casefold() in _WORDS


def has_hidden_characters(text: str) -> bool:
    r"""
    Return whether *text* holds control or format characters, which a reader does not see.

    A joiner between two characters beyond ASCII is how Persian, Hindi and emoji are written.

    >>> [has_hidden_characters(text) for text in ("eve\u202e", "eve", "eve\n")]
    [True, False, False]
    """
    bare = text.strip()
    if bare.isascii() and bare.isprintable():
        return False
    bare = _JOINED.sub("", bare)
    return any(unicodedata.category(character) in ("Cc", "Cf") for character in bare)
