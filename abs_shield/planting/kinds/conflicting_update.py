"""Plant the same update again, with another value that the user did not ask for."""

from __future__ import annotations

from random import Random
from typing import Any

from abs_shield.planting.argument_values import (
    ArgumentValue,
    has_identifier_name,
    is_identifier,
)
from abs_shield.planting.planted_call import PlantedCall, followed, shuffled, with_value
from abs_shield.planting.run_text import RightCall
from abs_shield.planting.tool_name_words import UPDATING, verb_of

_FREE = frozenset("message body text note comment reason query subject instruction".split())
_SELECTING = frozenset(
    "field attribute property column action operation old current previous range sheet cell"
    " tab".split()
)
"""Words of parameters that select what is changed, not its new value."""
_LONGEST = 60  # a longer text is prose


def conflicting_update(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant a second value of one setting after an update that ran."""
    if verb_of(place.call.name) not in UPDATING or place.call.result is None:
        return None
    # with another call of the tool, the second value may be right
    if any(call.name == place.call.name for call in place.others):
        return None
    for leaf in shuffled(place.values, random):
        if _is_setting(leaf):
            value = _other_value(leaf, place, random)
            if value is not None:
                arguments = with_value(place.arguments, leaf.path, value)
                return followed(place.call.name, arguments, path=leaf.name)
    return None


def _is_setting(leaf: ArgumentValue) -> bool:
    """Return whether the argument is the new value of something, and not an identifier."""
    selects = has_identifier_name(leaf) or is_identifier(leaf) or leaf.words & (_FREE | _SELECTING)
    return len(leaf.path) == 1 and not selects


def _other_value(leaf: ArgumentValue, place: RightCall, random: Random) -> Any:
    """Return another value of the same type that the run does not mention, or None."""
    options = leaf.schema.get("enum")
    if isinstance(options, list):
        others = [one for one in options if isinstance(one, str) and one != leaf.value]
        unasked = [one for one in others if not place.run.user_words & {one.casefold()}]
        return random.choice(unasked) if unasked else None
    if isinstance(leaf.value, bool):
        return not leaf.value
    if isinstance(leaf.value, int | float):
        other = leaf.value * 2 + 1  # another number, also for 0
        return None if place.run.mentions(str(other)) else other
    if (
        isinstance(leaf.value, str)
        and len(leaf.value) <= _LONGEST
        and place.is_mentioned_before(leaf)
    ):
        return f"{leaf.value} (new)"
    return None
