"""The user wrote it with a slip, and the agent corrected that: ``Philedelphia``."""

from __future__ import annotations

from abs_shield.plan.parameter_names import is_place
from abs_shield.plan.targets import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.leaves import name_of
from abs_shield.text.nearest import is_misspelt
from abs_shield.text.normal import normal, words
from abs_shield.text.places import bare

_LEAST = 5
_ANYTHING: frozenset[str] = frozenset()


def misspelt_name(argument: Argument, session: Session) -> bool:
    """
    Return whether each word of a place or a known name was said, but for a slip in one of them.

    Not of a person: there it may be the agent's slip.
    """
    if argument.judged != "public" and not is_place(name_of(argument.path)):
        return False
    corrected = 0
    for word in words(normal(bare(argument.text))):
        if mentions_of(session).vouches(word, _ANYTHING):
            continue
        if len(word) < _LEAST or not word.isalpha() or not _stands_misspelt(word, session):
            return False
        corrected += 1
    return corrected == 1


def _stands_misspelt(word: str, session: Session) -> bool:
    return any(is_misspelt(said, word) for said in mentions_of(session).user_chunks)
