"""Values that replace another one that the user gave for the same parameter."""

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
_MAX_VALUES = 2  # two are enough to see that the user gave more than one
_MAX_CHUNKS = 4_000  # words of the user's messages; a pasted document has more
# The newest calls, and the first values of each: some milliseconds at most.
_MAX_CALLS, _MAX_LEAVES = 50, 100


def replaces_user_value(argument: Argument, session: Session) -> bool:
    """
    Return whether the user gave one other value of this shape for the parameter, still unused.

    A value that the user labels like the parameter, ``username emily123``, or names, "name it
    guide_1.md", is the intended one, even if an agent may choose: a new file, a model. After a
    call has used it, another value is for another thing.
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
    yield from mentions_of(session).labelled(argument.entity_words, most=_MAX_VALUES)
    if argument.creates:
        yield from mentions_of(session).names


def _was_used(value: str, session: Session) -> bool:
    """Return whether a call of the run had the value, or a longer one with it."""
    return any(
        value in normal(text)
        for executed in record_of(session).newest(_MAX_CALLS)
        for _, leaf in leaves(executed.arguments, most=_MAX_LEAVES)
        if (text := scalar_text(leaf))
    )
