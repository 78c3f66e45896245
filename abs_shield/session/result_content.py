"""The texts of a result, and a cheap test for values of the call that they may repeat."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import filterfalse, repeat
from operator import itemgetter
from typing import NamedTuple

from abs_shield.session.result_text import ResultText
from abs_shield.session.word_lookup import LONGEST_VALUE
from abs_shield.text.normal_form import alphanumerics, chunks, normal, parts, remove_accents
from abs_shield.text.spelling_variants import forms, number_after_letter, phone_forms

NUMBERED = re.compile(r"\d|[^\x00-\x7f]")
_MOST_SEARCHED = 4_000_000
"""Values times characters of a result that are searched; 10^9 take about a second."""


class IndexedForms(NamedTuple):
    """
    All index entries by which a value can be found.

    Attributes:
        words: Words in the value.
        others: Other spellings of the value.
        solid: Entries of letters and digits only.
        apart: All other entries.
        numbered: Whether each entry has a digit or a letter beyond ASCII.
    """

    words: frozenset[str]
    others: frozenset[str]
    solid: tuple[str, ...]
    apart: tuple[str, ...]
    numbered: bool


@lru_cache(maxsize=1_024)  # a run repeats its ids and amounts from call to call
def indexed_forms(normalised: str) -> IndexedForms:
    tokens = chunks(normalised)
    letters = alphanumerics(normalised)
    spelt = (*forms(normalised, padded=True, with_names=False), *phone_forms(normalised))
    single = (form[0] for form in spelt if len(form) == 1)
    others = frozenset(filter(None, (letters, number_after_letter(letters), *single)))
    words = frozenset((*tokens, *(part for chunk in tokens for part in parts(chunk))))
    every = words | others
    return IndexedForms(
        words,
        others,
        tuple(filter(str.isalnum, every)),
        tuple(filterfalse(str.isalnum, every)),
        all(map(NUMBERED.search, every)),
    )


class StoredText(NamedTuple):
    """
    The part of a text that is stored.

    Attributes:
        normalised: Its normal form.
        rest: The characters behind it; with an overlap, so that no value is cut in two.
    """

    normalised: str
    rest: str


NO_TEXT = StoredText("", "")


def stored_text(text: str, most: int) -> StoredText:
    if len(text) <= most:
        return StoredText(normal(text), "")
    return StoredText(normal(text[:most]), text[max(0, most - LONGEST_VALUE) : 2 * most])


class ResultContent:
    """
    The texts of one result, and a cheap test for values that they may repeat.

    Args:
        read: The result.
        most: Characters of a text that are stored.
    """

    __slots__ = ("_letters", "_long", "_numbered", "_text", "prose", "scalars")

    def __init__(self, read: ResultText, most: int) -> None:
        scalars = " | ".join(dict.fromkeys(map(itemgetter(1), read.scalars)))
        self.scalars = stored_text(scalars, most) if scalars else NO_TEXT
        self.prose = [*map(stored_text, read.prose, repeat(most))]

    def compare(self, values: int) -> None:
        """
        Prepare the comparison with values.

        Args:
            values: Number of values; with many values and a long text, every value counts as
                possibly repeated.
        """
        parts = (self.scalars, *self.prose)
        texts = [*map(itemgetter(0), parts), *map(normal, filter(None, map(itemgetter(1), parts)))]
        self._text = text = " | ".join(texts)
        self._letters = alphanumerics(text) + (
            "" if text.isascii() else alphanumerics(remove_accents(text))
        )
        self._long = values * len(text) > _MOST_SEARCHED
        self._numbered = NUMBERED.search(text) is not None

    def may_have_letters(self, letters: str) -> bool:
        """Return whether letters and digits may occur in the text, with any separators."""
        return self._long or letters in self._letters

    def may_repeat(self, value: str) -> bool:
        """
        Return whether a spelling of a normalised value may occur in the text.

        False is certain, as each index entry of a text is a substring of the text, or of its
        letters and digits.
        """
        if self._long:
            return True
        spellings = indexed_forms(value)
        if spellings.numbered and not self._numbered:
            return False
        for solid in spellings.solid:
            if solid in self._letters:
                return True
        for apart in spellings.apart:  # noqa: SIM110 - `any` costs as much as the search
            if apart in self._text:
                return True
        return False
