"""A place is known by its smallest part, and under each of its names."""

from __future__ import annotations

from abs_shield.plan.judged_arguments import Argument
from abs_shield.plan.parameter_names import is_place
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.json_leaves import name_of
from abs_shield.text.place_names import bare_place, foreign_names, short_city_names

_NO_WORDS: frozenset[str] = frozenset()


def place_name(argument: Argument, session: Session) -> bool:
    """Return whether a place was mentioned in other words: ``Los Angeles, CA`` as ``LA``."""
    if not (is_place(name_of(argument.path)) or "," in argument.text):
        return False
    name, mentions = bare_place(argument.text), mentions_of(session)
    if any(mentions.origin(text, apart=True) for text in (name, *foreign_names(name))):
        return True
    # a code of two letters is part of many words: it must be a word of its own
    short = (*short_city_names(name), *short_city_names(argument.text.split(",")[0]))
    return any(mentions.vouches(text, _NO_WORDS) for text in short)
