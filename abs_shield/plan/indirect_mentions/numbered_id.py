"""The user gave the number of an id with a prefix: ``apt-1002`` for "appointment 1002"."""

from __future__ import annotations

import re

from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.identifier_words import abbreviates, split_words
from abs_shield.text.normal import normal

# Bounded: an id of at most 48 characters and a number of at most 18 digits.
_HEADED = re.compile(r"(.{1,48}?)(?<!\d)(0*)(\d{2,18})")
_PREFIX = re.compile(r"([a-z]{2,16})[-_#:/ ]?")
_ABBREVIATIONS = {"tx": "transaction", "txn": "transaction", "trx": "transaction", "pkg": "package"}
_PART_WORDS = frozenset("ending end last digit final beginning begin starting start".split())
"""Labels of a part of a number: "the card ending in 4242"."""
_MIN_DIGITS = 3
"""Fewest digits of a number without a label; shorter ones are counts."""


def numbered_id(argument: Argument, session: Session) -> bool:
    """
    Return whether a user gave the number of an identifier, and its prefix is known.

    A prefix must be short for the label by the user or the parameter. Any prefix is accepted that
    the schema's examples or identifiers of the run have before a number of as many digits: a
    reader of ``B-0412`` calls the next one "0409". A number without such a label needs the
    latter; in languages whose nouns are not parsed, a number of three digits is enough.
    """
    match = _HEADED.fullmatch(normal(argument.text).strip())
    number = match and _number_as_written(match, session)
    if not (match and number):
        return False
    mentions = mentions_of(session)
    labels = mentions.labels(number)
    has_other_label = mentions.is_labelled_otherwise(number, argument.entity_words)
    # "The card ending in 4242" gives a part of a number, not the number.
    if has_other_label or not labels.isdisjoint(_PART_WORDS):
        return False
    prefix = _PREFIX.fullmatch(match[1])
    fits = any(word in argument.entity_words or _shortens(prefix, word) for word in labels)
    # Initials of the labels need no known prefix: `BA117` for "British Airways 117".
    if prefix and _is_initials(prefix[1], labels):
        return True
    if not fits and len(number) < _MIN_DIGITS:
        return False
    words = {word for name in labels | argument.entity_words for word in split_words(name)}
    if (fits or not mentions.in_english) and any(_shortens(prefix, w) for w in words):
        return True
    other_ids = (*argument.examples, *mentions.similar(argument.text))
    return any(_has_same_head(match, text, whole=not prefix) for text in other_ids)


def _number_as_written(match: re.Match[str], session: Session) -> str:
    """Return the number as the user wrote it, with or without leading zeros; empty if nowhere."""
    chunks = mentions_of(session).user_chunks
    return next((n for n in (match[2] + match[3], match[3]) if n in chunks), "")


def _shortens(prefix: re.Match[str] | None, word: str) -> bool:
    return prefix is not None and _is_short_for(prefix[1], word)


def _is_initials(prefix: str, labels: frozenset[str]) -> bool:
    """Return whether a prefix has the initials of the number's labels: ``BA117``."""
    return len(prefix) > 1 and sorted(prefix) == sorted(word[0] for word in labels)


def _is_short_for(prefix: str, word: str) -> bool:
    return abbreviates(prefix, word) or _ABBREVIATIONS.get(prefix) == word


def _has_same_head(match: re.Match[str], text: str, *, whole: bool) -> bool:
    """Return whether another identifier has the same prefix; a *whole* one as many digits too."""
    other = _HEADED.fullmatch(normal(text).strip())
    if other is None or other[1].rstrip("-_#:/ ") != match[1].rstrip("-_#:/ "):
        return False
    return not whole or len(other[2] + other[3]) == len(match[2] + match[3])
