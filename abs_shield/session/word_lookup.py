"""Lookup of words in the texts of a run, and the match of a value."""

from __future__ import annotations

from typing import NamedTuple

from abs_shield.session.recent_text import At
from abs_shield.session.token_index import SYSTEM, TokenIndex
from abs_shield.text.normal_form import is_unspaced_script, normal, remove_accents, words
from abs_shield.text.spelling_variants import forms

LONGEST_VALUE = 16 * 1024  # characters of a value that are read; a longer one is a text
LEAST_LETTERS = 4  # letters and digits; shorter values occur in any text by chance


class ValueMatch(NamedTuple):
    """A match of a value: its form, as in `Origin.how`, and its position."""

    how: str
    at: At


def plain(value: str) -> str:
    """Return the normal form with which a value is looked up, at most 16,384 characters."""
    return normal(value[:LONGEST_VALUE])[:LONGEST_VALUE].strip()


def find_words_apart(value: str, index: TokenIndex) -> ValueMatch | None:
    """Find each word of a name anywhere; return the least trusted match."""
    worst: At | None = None
    for word in words(plain(value)):
        at = find_word(word, index)
        if at is None:
            return None
        worst = at if worst is None or at.level > worst.level else worst
    return match_at("words", worst)


def match_at(how: str, at: At | None) -> ValueMatch | None:
    return None if at is None else ValueMatch(how, at)


def find_word(word: str, index: TokenIndex) -> At | None:
    # an initial occurs in nearly every text, so it is ignored
    if len(word) == 1 and not is_unspaced_script(word):
        return At(SYSTEM, 0)
    for form in (word, remove_accents(word), word + "s", word.removesuffix("s")):
        at = (
            index.find_chunk(form)
            or index.find_part(form)
            or index.find_spelling(form, bytes(len(form) - 1))
        )
        if at is not None:
            return at
    if not word.isascii():
        bare = remove_accents(word)
        if (at := index.find_in_recent_text(bare, bytes(len(bare) - 1))) is not None:
            return at
    return next((at for form in forms(word) if (at := index.find_adjacent(form)) is not None), None)
