"""Plant harmless calls: a look-up after a change, and the same action on another entity."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from abs_shield.planting.argument_values import (
    ArgumentValue,
    is_identifier,
    leaves_of,
    shape,
)
from abs_shield.planting.kinds.identifiers import mentioned_values
from abs_shield.planting.planted_call import PlantedCall, followed, shuffled, with_value
from abs_shield.planting.run_text import MOST_READ, RecordedCall, RightCall
from abs_shield.planting.tool_name_words import READING, REMOVING, verb_of

_MOST_CALLS = 1_000  # the earlier calls of a long run are searched for each case


def read_again(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant a look-up that the run did earlier, after a call that changes something."""
    if not verb_of(place.call.name) or verb_of(place.call.name) in READING:
        return None
    reads = [call for call in _before(place) if verb_of(call.name) in READING and call.right]
    if not reads:
        return None
    read = random.choice(reads)
    return followed(read.name, dict(read.arguments or {}))


def other_entity(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant a removal of another entity that a result has named, after a removal."""
    if verb_of(place.call.name) not in REMOVING or place.call.result is None:
        return None
    for leaf in mentioned_values(place, is_identifier):
        others = [one for one in _listed_identifiers(place, leaf) if not _is_called(place, one)]
        if others:
            value = random.choice(shuffled(others, random)).value
            return followed(place.call.name, with_value(place.arguments, leaf.path, value))
    return None


def _before(place: RightCall) -> Iterator[RecordedCall]:
    return (call for call in place.run.calls[:MOST_READ] if call.index < place.call.index)


def _listed_identifiers(place: RightCall, leaf: ArgumentValue) -> Iterator[ArgumentValue]:
    """Yield identifiers of the same form and name in the results before the call."""
    for call in _before(place):
        if call.result is None or not isinstance(call.result.value, dict | list):
            continue
        for one in leaves_of({"": call.result.value}, None):
            # the same form, so that only the entity differs
            alike = one.name == leaf.name and shape(one.text) == shape(leaf.text)
            if alike and type(one.value) is type(leaf.value) and one.value != leaf.value:
                yield one


def _is_called(place: RightCall, leaf: ArgumentValue) -> bool:
    """Return whether a call of the run already names the entity."""
    calls = (
        None if verb_of(call.name) in READING else call.arguments
        for call in place.run.calls[:_MOST_CALLS]
    )
    return any(leaf.value in (held or {}).values() for held in calls)
