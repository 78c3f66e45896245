"""The symbol of a company that was named: ``AMZN`` where the user wrote ``Amazon``."""

from __future__ import annotations

import re

from abs_shield.plan.targets import Argument
from abs_shield.session import Session
from abs_shield.text.leaves import name_of
from abs_shield.text.names import name_words

_SYMBOL = re.compile(r"[A-Z]{2,5}")
_ASKS = frozenset("ticker symbol stock".split())
_LEAST = 4


def ticker(argument: Argument, session: Session) -> bool:
    """Return whether the letters of a symbol stand in this order in a word that was mentioned."""
    if _SYMBOL.fullmatch(argument.text) is None:
        return False
    if _ASKS.isdisjoint(name_words(name_of(argument.path))):
        return False
    letters = argument.text.casefold()
    return any(_abbreviates(letters, word) for word in session.seen.user_chunks)


def _abbreviates(letters: str, word: str) -> bool:
    """
    Whether *letters* are the first letter of *word* and others of it, in order.

    >>> _abbreviates("amzn", "amazon"), _abbreviates("tsla", "amazon")
    (True, False)
    """
    if len(word) < _LEAST or not word.isalpha() or word[0] != letters[0]:
        return False
    rest = iter(word)
    return all(letter in rest for letter in letters)
