"""The user gave the number of a thing, and ids have a head: ``apt-1002``, "appointment 1002"."""

from __future__ import annotations

import re

from abs_shield.plan.targets import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.names import abbreviates, split
from abs_shield.text.normal import normal

_HEADED = re.compile(r"(.{1,48}?)(?<!\d)(0*)(\d{2,18})")
_PREFIX = re.compile(r"([a-z]{2,16})[-_#:/ ]?")
_SHORTENED = {"tx": "transaction", "txn": "transaction", "trx": "transaction", "pkg": "package"}
_PART = frozenset("ending end last digit final beginning begin starting start".split())
"""What tells a part of a number: "the card ending in 4242"."""
_LEAST = 3
"""Digits of a number that nobody calls anything; shorter ones count."""


def numbered_id(argument: Argument, session: Session) -> bool:
    """
    Return whether a user gave the number of an identifier, and what is before it is known.

    A prefix has to be short for what the user or the parameter calls it. Any head will do that
    the schema's examples or identifiers of the run have before a number of as many digits: who
    reads ``B-0412`` says "0409" of the next one. A number that the user called nothing of the
    kind needs the latter; in languages whose nouns are not read, a number of three digits will do.
    """
    found = _HEADED.fullmatch(normal(argument.text).strip())
    number = found and _said(found, session)
    if not (found and number):
        return False
    mentions = mentions_of(session)
    called = mentions.labels(number)
    otherwise = mentions.is_labelled_otherwise(number, argument.entity_words)
    if otherwise or not called.isdisjoint(_PART):
        return False
    prefix = _PREFIX.fullmatch(found[1])
    fits = any(word in argument.entity_words or _shortens(prefix, word) for word in called)
    if prefix and _is_initials(prefix[1], called):
        return True
    if not fits and len(number) < _LEAST:
        return False
    words = {word for name in called | argument.entity_words for word in split(name)}
    if (fits or not mentions.in_english) and any(_shortens(prefix, w) for w in words):
        return True
    alike = (*argument.examples, *mentions.alike(argument.text))
    return any(_begins(found, text, whole=not prefix) for text in alike)


def _said(found: re.Match[str], session: Session) -> str:
    """The number as the user wrote it: with its leading zeros, or without; empty where nowhere."""
    chunks = mentions_of(session).user_chunks
    return next((n for n in (found[2] + found[3], found[3]) if n in chunks), "")


def _shortens(prefix: re.Match[str] | None, word: str) -> bool:
    return prefix is not None and _is_short_for(prefix[1], word)


def _is_initials(prefix: str, called: frozenset[str]) -> bool:
    """Whether a prefix has the first letters of words that the number was called: ``BA117``."""
    return len(prefix) > 1 and sorted(prefix) == sorted(word[0] for word in called)


def _is_short_for(prefix: str, word: str) -> bool:
    return abbreviates(prefix, word) or _SHORTENED.get(prefix) == word


def _begins(found: re.Match[str], text: str, *, whole: bool) -> bool:
    """Whether another identifier has the same head; a *whole* one has as many digits behind it."""
    other = _HEADED.fullmatch(normal(text).strip())
    if other is None or other[1].rstrip("-_#:/ ") != found[1].rstrip("-_#:/ "):
        return False
    return not whole or len(other[2] + other[3]) == len(found[2] + found[3])
