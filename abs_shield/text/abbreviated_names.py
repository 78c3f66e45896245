"""A name in full where a text has it shortened: "418 N. Alder Ave", "Wm. Ackroyd", "UCSF"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from abs_shield.text.identifier_words import abbreviates
from abs_shield.text.normal import normal, unaccented, words

_CAPITALS = re.compile(r"(?<![\w.])(?:[A-Z]{2,6}|(?:[A-Z]\.){2,6})(?!\w)")
_SMALL = frozenset("of the and for de la le du der die das y".split())
"""Words that are left out of initials."""
# a message with a long mail in it; each text is split into words as a whole
_LONGEST_TEXT = 16 * 1024
_MOST_WORDS = 12  # an address or an institution's name has fewer words
_LEAST_EXACT = 3  # letters of a word in full: "st", "ave" and initials are in too many texts
_LEAST_BEGUN = 4  # letters of a name's beginning: three begin too many names
_LEAST_INITIALS = 3
"""Two initials fit too many names."""


def is_abbreviated(name: str, texts: Iterable[str]) -> bool:
    """
    Return whether one of *texts* has the words of *name*, some of them shortened.

    At least one word of three letters or digits must be unabbreviated. A name of one word may be
    cut to its beginning, a name of three words to its initials.

    >>> is_abbreviated("418 North Alder Avenue", ["It's 418 N. Alder Ave."])
    True
    >>> is_abbreviated("418 North Alder Avenue", ["It's 418 S. Alder Ave."])
    False
    >>> is_abbreviated("University of California San Francisco", ["I study at UCSF"])
    True
    >>> is_abbreviated("Rijksmuseum, Amsterdam", ["The Rijks wants it."])
    True
    """
    # A city, a country or a title behind a comma is often omitted.
    name = name.split(",")[0]
    wanted = words(unaccented(normal(name)))[:_MOST_WORDS]
    significant = [word for word in wanted if word not in _SMALL]
    initials = "".join(word[0] for word in significant)
    return any(
        _has_words(wanted, text)
        or (len(significant) >= _LEAST_INITIALS and initials in _capitals(text[:_LONGEST_TEXT]))
        for text in texts
    )


def _has_words(wanted: list[str], text: str) -> bool:
    written = _words(text[:_LONGEST_TEXT])
    exact = [word for word in wanted if len(word) >= _LEAST_EXACT and word in written]
    if len(wanted) == 1:
        return any(len(word) >= _LEAST_BEGUN and wanted[0].startswith(word) for word in written)
    if not exact:
        return False
    places = [n for n, word in enumerate(written) if word == exact[0]]
    first = wanted.index(exact[0])
    # A negative start would be a slice from the end of the text.
    rows = (written[at - first : at - first + len(wanted)] for at in places if at >= first)
    return any(len(row) == len(wanted) and all(map(_is_short_for, row, wanted)) for row in rows)


def _is_short_for(written: str, word: str) -> bool:
    if written == word:
        return True
    return (
        len(written) < len(word)
        and written.isalpha()
        and (word.startswith(written) or abbreviates(written, word))
    )


# The names of a call are searched for in the same few texts.
@lru_cache(maxsize=64)
def _words(text: str) -> tuple[str, ...]:
    return tuple(words(unaccented(normal(text))))


@lru_cache(maxsize=64)
def _capitals(text: str) -> frozenset[str]:
    return frozenset(match[0].replace(".", "").casefold() for match in _CAPITALS.finditer(text))
