"""Values that replace another value that the user stated for the same parameter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of, record_of
from abs_shield.text.json_leaves import leaves, scalar_text
from abs_shield.text.nearest import is_misspelt
from abs_shield.text.normal_form import normal
from abs_shield.text.value_shapes import outline_pattern

_NUMBER = re.compile(r"\d+")
_MAX_VALUES = 2  # two are enough to know that the user stated more than one
_MAX_CHUNKS = 4_000  # words of the user's messages; a pasted document has more
# The newest calls, and the first values of each, which take milliseconds at most.
_MAX_CALLS, _MAX_LEAVES = 50, 100


def replaces_user_value(argument: Argument, session: Session) -> bool:
    """
    Return whether the user stated one other value for the parameter, which no call has used yet.

    The user states a value with a label like the parameter's name, "username emily123", or as a
    name, "name it guide_1.md". It is the intended value, even if an agent may otherwise choose,
    such as the name of a new file. After a call has used it, another value is for another thing.
    """
    user_values = [*dict.fromkeys(_values_from_user(argument, session))]
    if len(user_values) != 1 or user_values[0] in argument.other_values:
        return False
    text, user_chunks = normal(argument.text).strip(), mentions_of(session).user_chunks
    if all(number in user_chunks for number in _NUMBER.findall(text)):
        return False  # the user asked for a variant: "a file like that one for 2024"
    has_same_shape = outline_pattern(user_values[0]).fullmatch
    others = (chunk for chunk in islice(user_chunks, _MAX_CHUNKS) if chunk != user_values[0])
    is_similar = has_same_shape(text) is not None and not any(map(has_same_shape, others))
    return (is_similar or is_misspelt(text, user_values[0])) and not _was_used(
        user_values[0], session
    )


def _values_from_user(argument: Argument, session: Session) -> Iterator[str]:
    yield from mentions_of(session).find_labelled(argument.entity_words, most=_MAX_VALUES)
    if argument.creates:
        yield from mentions_of(session).names


def _was_used(value: str, session: Session) -> bool:
    """Return whether an argument of a call in the run contains the value."""
    return any(
        value in normal(text)
        for executed in record_of(session).newest(_MAX_CALLS)
        for _, leaf in leaves(executed.arguments, most=_MAX_LEAVES)
        if (text := scalar_text(leaf))
    )
