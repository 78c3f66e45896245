"""The user made a typing error, and the agent corrected it: ``Philedelphia``."""

from __future__ import annotations

from abs_shield.plan.judged_arguments import Argument
from abs_shield.plan.parameter_names import is_place
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.json_leaves import name_of
from abs_shield.text.nearest import is_misspelt
from abs_shield.text.normal import normal, words
from abs_shield.text.place_names import bare_place

_MIN_LENGTH = 5  # one letter turns a shorter word into another word
_NO_WORDS: frozenset[str] = frozenset()


def misspelt_name(argument: Argument, session: Session) -> bool:
    """
    Return whether each word of a place or a known name occurs, one of them misspelt.

    Names of people are excluded: there the misspelling may be the agent's.
    """
    if argument.judged != "public" and not is_place(name_of(argument.path)):
        return False
    corrected = 0
    for word in words(normal(bare_place(argument.text))):
        if mentions_of(session).vouches(word, _NO_WORDS):
            continue
        if len(word) < _MIN_LENGTH or not word.isalpha() or not _occurs_misspelt(word, session):
            return False
        corrected += 1
    # One error is a slip; two are another name.
    return corrected == 1


def _occurs_misspelt(word: str, session: Session) -> bool:
    return any(is_misspelt(chunk, word) for chunk in mentions_of(session).user_chunks)
