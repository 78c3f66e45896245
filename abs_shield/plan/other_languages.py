"""Reasons why a value may occur in the run although no text of the run matches it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from abs_shield.plan.judged_arguments import Argument
from abs_shield.plan.parameter_names import classify_name
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.session.word_lookup import LONGEST_VALUE
from abs_shield.text.json_leaves import name_of
from abs_shield.text.normal_form import is_latin, normal, remove_accents, words
from abs_shield.text.safe_display import escaped
from abs_shield.text.value_shapes import is_address, is_date_or_time

# At most eight words of letters: more is a sentence.
_NAME = re.compile(r"[^\W\d_]+(?:[ '\u2019.-]{1,2}[^\W\d_]+){0,7}\.?")
_ALNUM = re.compile("[a-z0-9]")
_ASCII = re.compile("[A-Za-z0-9]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MIN_SUM_LENGTH = 3
"""Fewest characters of a number that is neither a day nor an hour."""
_MAX_WORDS = 4_000
"""Words of a run that each word of a name is compared with."""
_MIN_STEM, _STEM_SHARE = 3, 0.4
"""
Fewest letters, and the smallest share of a word in [0, 1], that inflected forms have in common:
Białystok, Białegostoku.
"""


def has_identifier_characters(text: str) -> bool:
    """Return whether a value has ASCII letters or digits, or is an address with an @."""
    if _ASCII.search(text) is not None:
        return True
    return _ALNUM.search(normal(text[:LONGEST_VALUE])) is not None or is_address(text)


def explain_other_language(argument: Argument, session: Session, *, declared: bool) -> str:
    """
    Return the reason why an unmentioned value may be correct; empty if there is none.

    In English there is none. In other languages a name may be inflected or transcribed, and an
    amount or a date may be written in words; identifiers are the same in every language.

    Args:
        argument: The argument.
        session: The run.
        declared: Whether the author declared that the argument is judged.
    """
    text, mentions = argument.text, mentions_of(session)
    is_identifier = has_identifier_characters(text)
    if mentions.in_english if is_identifier else not declared:
        return ""
    name = name_of(argument.path)
    shown = f"a value of `{escaped(name)}`"
    if not is_identifier:
        return f"{shown} is in another script"
    # The newest words, as names are repeated shortly before their use.
    user_chunks = list(mentions.user_chunks)[-_MAX_WORDS:]
    if classify_name(name) == "never":
        return f"{shown} may be written in words" if _may_be_words(text, user_chunks) else ""
    if _NAME.fullmatch(text) is None or not text[:1].isupper():
        return ""
    if mentions.has_foreign_script and is_latin(normal(text)):
        return f"{shown} may be transcribed"
    declined = classify_name(name) in ("soft", "who", "public") and _is_inflected(text, user_chunks)
    return f"{shown} may be inflected" if declined else ""


def _may_be_words(text: str, chunks: Iterable[str]) -> bool:
    """Return whether a date or an amount may be in words, as the run has no comparable number."""
    numbers = [chunk for chunk in chunks if _NUMBER.match(chunk)]
    if is_date_or_time(text) and not text.isdigit():
        return not numbers
    return _NUMBER.fullmatch(text) is not None and not any(map(_is_sum, numbers))


def _is_sum(chunk: str) -> bool:
    """Return whether a number may be an amount: too large for a day or hour, and not a date."""
    small = len(chunk) < _MIN_SUM_LENGTH or is_date_or_time(chunk)
    return _NUMBER.fullmatch(chunk) is not None and not small


def _is_inflected(text: str, chunks: Iterable[str]) -> bool:
    """Return whether each word of a name has one with the same stem in the run."""
    stems = {remove_accents(word) for word in chunks}
    return all(
        any(_has_stem(word, other) for other in stems)
        for word in words(remove_accents(normal(text)))
    )


def _has_stem(word: str, other: str) -> bool:
    common = 0
    for one, two in zip(word, other, strict=False):
        if one != two:
            break
        common += 1
    # A share of the word, so that long words must have more than a short prefix in common.
    return common >= max(min(_MIN_STEM, len(word)), _STEM_SHARE * len(word))
