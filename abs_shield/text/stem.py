"""Stemming, and words without capitals and accents."""

from __future__ import annotations

from functools import lru_cache

from abs_shield.text.normal_form import normal, remove_accents

LONGEST_WORD = 64
"""
Maximum length of a word; a longer run of letters is not a word, and would fill the cache.
"""
_ENDINGS = (
    ("ations", "ate"), ("ation", "ate"), ("ities", "ity"), ("iness", "y"), ("fulness", "ful"),
    ("ements", "ement"), ("ingly", ""), ("edly", ""), ("ings", ""), ("ing", ""), ("ies", "y"),
    ("ied", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("ed", ""),
    ("ely", "e"), ("ly", ""), ("es", "e"), ("s", ""),
)  # fmt: skip
_UNCHANGED_ENDINGS = ("ss", "us", "is", "ous")


# Cached: claims repeat the words of the evidence; about 30,000 words are a large text.
@lru_cache(maxsize=1 << 15)
def _fold(word: str) -> str:
    return remove_accents(normal(word)).replace("\u2019", "'")


def lower_case(text: str) -> str:
    """
    Return *text* in lower case, with unchanged offsets.

    >>> lower_case("\u0130zmir, MAY"), len("\u0130".lower())
    ('izmir, may', 2)
    """
    return text.replace("\u0130", "i").lower()


def lowered(word: str) -> str:
    """Return *word* without capitals and accents."""
    if word.isascii():
        return word.lower()
    return _fold(word) if len(word) <= LONGEST_WORD else word[:LONGEST_WORD].lower()


def stem(word: str) -> str:
    """
    Return the stem of an English word; other words are hardly changed.

    >>> stem("flights"), stem("booked"), stem("booking"), stem("cities"), stem("mia's")
    ('flight', 'book', 'book', 'city', 'mia')
    """
    return _stem(word) if len(word) <= LONGEST_WORD else word[:LONGEST_WORD]


@lru_cache(maxsize=1 << 15)
def _stem(word: str) -> str:
    bare = word.partition("'")[0] if "n't" not in word else word
    # Short words have no endings: "is", "bus", "red".
    if len(bare) < 4 or bare.endswith(_UNCHANGED_ENDINGS):
        return bare
    for ending, replacement in _ENDINGS:
        # A shorter stem would be that of different words.
        if bare.endswith(ending) and len(bare) - len(ending) >= 3:
            return _trim(bare[: len(bare) - len(ending)] + replacement)
    return _trim(bare)


def _trim(base: str) -> str:
    """Return one stem for ``plann``, ``make`` and ``mak``."""
    # "fall", "pass" and "buzz" have double letters themselves
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz":
        return base[:-1]
    return base[:-1] if len(base) > 3 and base[-1] == "e" else base
