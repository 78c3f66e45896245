"""The user gave the number of a thing, and ids have a prefix: ``apt-1002``, "appointment 1002"."""

from __future__ import annotations

import re

from abs_shield.plan.targets import Argument
from abs_shield.session import Session
from abs_shield.text.names import abbreviates, split
from abs_shield.text.normal import normal

_PREFIXED = re.compile(r"([a-z]{2,16})[-_#:/ ]?(\d{2,18})")
_SHORTENED = {"tx": "transaction", "txn": "transaction", "trx": "transaction", "pkg": "package"}
_PART = frozenset("ending end last digit final beginning begin starting start".split())
"""What tells a part of a number: "the card ending in 4242"."""
_LEAST = 3
"""Digits of a number that nobody calls anything; shorter ones count."""


def numbered(argument: Argument, session: Session) -> bool:
    """
    Return whether a user gave the number of an identifier, and its prefix says what it is of.

    The prefix has to be short for what the user or the parameter calls it, or to be that of the
    schema's examples or of identifiers of the run. A number that the user called nothing of the
    kind needs the latter; in languages whose nouns are not read, a number of three digits will do.
    """
    found = _PREFIXED.fullmatch(normal(argument.text).strip())
    if found is None or found[2] not in session.seen.user_chunks:
        return False
    prefix, number = found.groups()
    called = session.seen.labels(number)
    otherwise = session.seen.is_labelled_otherwise(number, argument.asks)
    if otherwise or not called.isdisjoint(_PART):
        return False
    fits = any(word in argument.asks or _is_short_for(prefix, word) for word in called)
    if not fits and len(number) < _LEAST:
        return False
    words = {word for name in called | argument.asks for word in split(name)}
    if (fits or not session.seen.in_english) and any(_is_short_for(prefix, w) for w in words):
        return True
    alike = (*argument.examples, *session.seen.alike(argument.text))
    return any(_begins(prefix, text) for text in alike)


def _is_short_for(prefix: str, word: str) -> bool:
    return abbreviates(prefix, word) or _SHORTENED.get(prefix) == word


def _begins(prefix: str, text: str) -> bool:
    found = _PREFIXED.fullmatch(normal(text).strip())
    return found is not None and found[1] == prefix
