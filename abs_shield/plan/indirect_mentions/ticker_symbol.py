"""The ticker symbol of a mentioned company: ``AMZN`` after the user wrote ``Amazon``."""

from __future__ import annotations

import re

from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.identifier_words import abbreviates, name_words
from abs_shield.text.json_leaves import name_of

# One letter would abbreviate nearly every word.
_SYMBOL = re.compile(r"[A-Z]{2,5}")
_SYMBOL_WORDS = frozenset("ticker symbol stock".split())


def ticker_symbol(argument: Argument, session: Session) -> bool:
    """Return whether a mentioned word has the letters of a symbol in this order."""
    if _SYMBOL.fullmatch(argument.text) is None:
        return False
    if _SYMBOL_WORDS.isdisjoint(name_words(name_of(argument.path))):
        return False
    letters = argument.text.casefold()
    return any(abbreviates(letters, word) for word in mentions_of(session).user_chunks)
