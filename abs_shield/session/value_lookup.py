"""Lookup of a value in the texts of a run: verbatim, respelt, composed, or word by word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import unquote

from abs_shield.session.composed_values import find_below, find_prescribed, find_resource
from abs_shield.session.recent_text import At
from abs_shield.session.token_index import TokenIndex
from abs_shield.session.value_field import NO_FIELD, Field
from abs_shield.session.word_lookup import LEAST_LETTERS, ValueMatch, match_at, plain
from abs_shield.text.normal_form import (
    alphanumerics,
    chunks,
    is_unspaced_script,
    words,
)
from abs_shield.text.separatorless import SeparatorlessText
from abs_shield.text.spelling_equivalence import is_in_words, is_same_spelling, may_be_several
from abs_shield.text.spelling_variants import Form, forms, is_negative, number_after_letter
from abs_shield.text.text_templates import Template

_LONGEST_SPELT = 256
"""Longest value whose other spellings are looked up; of a longer one only the separators vary."""
_LEAST_DIGITS = 7  # digits; shorter numbers with other separators may be parts of others
_CYRILLIC = str.maketrans("abekmhopctyx", "авекмнорстух")
_LATIN = {other: letter for letter, other in _CYRILLIC.items()}
"""Letters of two alphabets that look the same, as licence plates are typed in either."""
_NO_SEPARATORS = {code: None for code in range(128) if not chr(code).isalnum()}


def find(
    value: str, index: TokenIndex, templates: Mapping[Template, At], field: Field = NO_FIELD
) -> ValueMatch | None:
    """
    Find a value as a whole; return None if no text mentions it in any spelling.

    Args:
        value: The value.
        index: The token index of the run.
        templates: Formats that a user or a system text prescribes.
        field: The parameter of the value, which determines the spellings that are the same value.
    """
    text = plain(value)
    # First, as chunks have no signs, and -5 must not match 5.
    if is_negative(text):
        return match_at("exact", index.find_negative(text))
    at = index.find_chunk(text)
    if at is not None:
        return ValueMatch("exact", at)
    tokens = chunks(text)
    if not tokens:
        return None
    if tokens[0] != text:  # else it was looked up above
        at = index.find_adjacent(tokens)
        if at is not None:
            return ValueMatch("exact", at)
    if _has_moved_end(text, index):
        return None
    # A long value has too many spellings; only its separators may differ.
    if len(text) > _LONGEST_SPELT:
        tight = SeparatorlessText.of(text)
        at = index.find_in_recent_text(tight.letters, tight.codes[1:-1], whole="@" in text)
        return match_at("variant", at)
    # The likeliest spellings first, as most values are found by the first steps.
    return (
        _find_respelt(text, tokens, index, field)
        or _find_freely_grouped(text, index, field)
        or _find_decoded(text, index, templates)
        or _find_lettered(text, index)
        or find_prescribed(text, index, templates)
        or find_resource(text, index, field)
        or find_below(text, index)
    )


def _has_moved_end(text: str, index: TokenIndex) -> bool:
    """
    Return whether a value has a separator at an end, and is not mentioned without it.

    ``tx_12_`` is a spelling of ``tx_12``, but ``tx12_`` has its separator at another position.
    """
    bare = text.strip("_-")
    if bare == text or not bare or " " in bare:
        return False
    return (
        index.find_chunk(bare) is None
        and index.find_adjacent(chunks(bare)) is None
        and index.find_part(bare) is None
    )


# As it is, in another spelling -------------------------------------------------------------------


def _find_respelt(
    text: str, tokens: list[str], index: TokenIndex, field: Field
) -> ValueMatch | None:
    """Match other separators and accents, then typed forms, then a whole word of a longer text."""
    tight = SeparatorlessText.of(text)
    letters, spelt = tight.letters, tight.codes[1:-1]
    at = index.find_spelling(letters, spelt, grouped=field.takes_groups) or index.find_cell(text)
    if at is None:
        at = index.find_chunk(letters)
        # The lookup comes before the comparison, as most values do not occur in the run.
        if at is not None and not is_same_spelling(letters, spelt, bytes(len(spelt))):
            at = None
    if at is None and field.number:
        at = _find_unpadded(letters, index)
    at = at or _find_side_by_side(tokens, words(text), letters, spelt, index)
    if at is not None:
        return ValueMatch("variant", at)
    part = index.find_part(tokens[0] if len(tokens) == 1 else text)
    if part is not None:
        return ValueMatch("part", part)
    if len(letters) >= LEAST_LETTERS or is_unspaced_script(letters):
        at = index.find_in_recent_text(letters, spelt, whole="@" in text)
        if at is not None:
            return ValueMatch("variant", at)
    has_words = index.has_sizes or not text.isascii() or "-" in text  # a number, or a date
    return match_at(
        "typed", _find_form(forms(text, padded=field.number, with_names=has_words), index)
    )


def _find_side_by_side(
    tokens: Sequence[str], split: list[str], letters: str, spelt: bytes, index: TokenIndex
) -> At | None:
    """Match the words of a value in a row, and the singular and plural of a name."""
    rows = [(split, True)]
    if tokens[-1].isalpha():
        rows += [(row, False) for row in _singular_and_plural(tokens)]
    elif len(tokens) > 1:
        rows += [(row, False) for row in _with_other_noun(tokens)]
    if split[-1:] and split[-1].isalpha():
        rows += [(row, True) for row in _singular_and_plural(split)]
    for row, is_of_words in rows:
        at = index.find_adjacent(row)
        if at is not None and not (is_of_words and not _is_in_words(letters, spelt)):
            return at
    return None


def _is_in_words(letters: str, spelt: bytes) -> bool:
    """Return whether the words of a value next to each other are one value and not several."""
    return is_in_words(letters, spelt) and not may_be_several(letters, spelt)


def _find_unpadded(letters: str, index: TokenIndex) -> At | None:
    """Match a number with or without leading zeros."""
    bare = letters.lstrip("0")
    if not bare or not letters.isdigit():
        return None
    return index.find_unpadded(bare) or (None if bare == letters else index.find_adjacent((bare,)))


def _singular_and_plural(tokens: Sequence[str]) -> list[list[str]]:
    """Return the English singular and plural of a name that ends with a word."""
    *before, last = tokens
    return [[*before, last + "s"], [*before, last.removesuffix("s")]]


def _with_other_noun(tokens: Sequence[str]) -> list[list[str]]:
    """Return a name with another English number of the noun before its code: ``flyers A5``."""
    *before, noun, code = tokens
    if not noun.isalpha() or len(noun) < LEAST_LETTERS:
        return []
    return [[*before, noun + "s", code], [*before, noun.removesuffix("s"), code]]


def _find_form(candidates: Iterable[Form], index: TokenIndex) -> At | None:
    """Return where another form of a date, a number, a URL or a name occurs."""
    unique = dict.fromkeys(candidates)
    single = {form[0] for form in unique if len(form) == 1}
    # One test of all of them, since most values have thirty forms that never occur.
    if not _may_occur(single, index):
        unique = {form: None for form in unique if len(form) > 1}
    for form in unique:
        if len(form) == 1:
            at = index.find_chunk(form[0]) or _find_token(form[0], index)
        else:
            at = index.find_adjacent(form)
        if at is not None:
            return at
    return None


def _may_occur(single: set[str], index: TokenIndex) -> bool:
    """Return whether one of these forms may occur at all; most values have thirty that never do."""
    if not single:
        return False
    if not all(map(str.isascii, single)):
        return True
    letters = {form if form.isalnum() else form.translate(_NO_SEPARATORS) for form in single}
    return index.may_contain(single, letters, least=_LEAST_DIGITS)


def _find_token(form: str, index: TokenIndex) -> At | None:
    tight = SeparatorlessText.of(form)
    letters, spelt = tight.letters, tight.codes[1:-1]
    at = index.find_part(form) or index.find_spelling(letters, spelt)
    is_long = len(letters) >= _LEAST_DIGITS or is_unspaced_script(letters)
    return index.find_in_recent_text(letters, spelt) if at is None and is_long else at


def _find_freely_grouped(text: str, index: TokenIndex, field: Field) -> ValueMatch | None:
    """Match a postal code, a plate or a flight with any separators and look-alike letters."""
    letters = SeparatorlessText.of(text).letters
    if not field.is_freely_grouped or len(letters) < LEAST_LETTERS:
        return None
    spelt = dict.fromkeys((letters, letters.translate(_CYRILLIC), letters.translate(_LATIN)))
    return next(
        (
            ValueMatch("variant", at)
            for one in spelt
            if (at := index.find_in_recent_text(one, None))
        ),
        None,
    )


def _find_lettered(text: str, index: TokenIndex) -> ValueMatch | None:
    """
    Match a mentioned number after a letter, if it is long or other codes have the letter.
    """
    letters = alphanumerics(text)
    digits = number_after_letter(letters)
    at = index.find_adjacent((digits,)) if digits else None
    if at is None or len(digits) >= _LEAST_DIGITS:
        return match_at("typed", at)
    is_alike = re.compile(rf"{letters[0]}\d{{{len(digits)}}}").fullmatch
    similar = (c for level in range(4) for c in index.find_similar(letters, level, most_off=0))
    return ValueMatch("typed", at) if any(map(is_alike, similar)) else None


def _find_decoded(
    text: str, index: TokenIndex, templates: Mapping[Template, At]
) -> ValueMatch | None:
    """Match the decoded form of a URL-encoded text such as ``team%2Frepo``."""
    if "%" not in text:
        return None
    decoded = unquote(text)
    return find(decoded, index, templates) if decoded != text else None
