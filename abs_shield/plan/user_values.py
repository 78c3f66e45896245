"""A value in place of another one that the user gave for this very parameter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from abs_shield.plan.targets import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of, record_of
from abs_shield.text.leaves import leaves, scalar_text
from abs_shield.text.nearest import is_misspelt
from abs_shield.text.normal import normal
from abs_shield.text.shape import outlined

_NUMBER = re.compile(r"\d+")
_MOST = 2
_MOST_SAID = 4_000
_MOST_CALLS, _MOST_LEAVES = 50, 100


def replaces_user_value(argument: Argument, session: Session) -> bool:
    """
    Return whether the user gave one other value of this form for the parameter, and it is unused.

    What the user calls as the parameter is called, ``username emily123``, or names, "name it
    guide_1.md", is what is meant, also where an agent may choose: a new file, a model. Once a call
    has it, another value is another thing.
    """
    given = [*dict.fromkeys(_given(argument, session))]
    if len(given) != 1 or given[0] in argument.other_values:
        return False
    text, said = normal(argument.text).strip(), mentions_of(session).user_chunks
    if all(number in said for number in _NUMBER.findall(text)):
        return False  # "a file like that one for 2024"
    is_alike = outlined(given[0]).fullmatch
    others = (chunk for chunk in islice(said, _MOST_SAID) if chunk != given[0])
    alike = is_alike(text) is not None and not any(map(is_alike, others))
    return (alike or is_misspelt(text, given[0])) and not _was_used(given[0], session)


def _given(argument: Argument, session: Session) -> Iterator[str]:
    yield from mentions_of(session).labelled(argument.entity_words, most=_MOST)
    if argument.creates:
        yield from mentions_of(session).names


def _was_used(value: str, session: Session) -> bool:
    """Whether a call of the run had the value, or a longer one with it."""
    return any(
        value in normal(text)
        for executed in record_of(session).newest(_MOST_CALLS)
        for _, leaf in leaves(executed.arguments, most=_MOST_LEAVES)
        if (text := scalar_text(leaf))
    )
