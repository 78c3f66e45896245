"""The symbol of a company that was named: ``AMZN`` where the user wrote ``Amazon``."""

from __future__ import annotations

import re

from abs_shield.plan.targets import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.leaves import name_of
from abs_shield.text.names import abbreviates, name_words

_SYMBOL = re.compile(r"[A-Z]{2,5}")
_ASKS = frozenset("ticker symbol stock".split())


def ticker_symbol(argument: Argument, session: Session) -> bool:
    """Return whether the letters of a symbol stand in this order in a word that was mentioned."""
    if _SYMBOL.fullmatch(argument.text) is None:
        return False
    if _ASKS.isdisjoint(name_words(name_of(argument.path))):
        return False
    letters = argument.text.casefold()
    return any(abbreviates(letters, word) for word in mentions_of(session).user_chunks)
