"""Plant an action on a removed entity: the same removal again, or a change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from abs_shield.planting.argument_values import ArgumentValue, is_identifier
from abs_shield.planting.kinds.identifiers import mentioned_values
from abs_shield.planting.planted_call import PlantedCall, followed, shuffled
from abs_shield.planting.run_text import RightCall
from abs_shield.planting.tool_name_words import REMOVING, UPDATING, nouns_of, verb_of
from abs_shield.policy import Tool

# removing a thing from a container twice may be right
_CONTAINERS = frozenset("cart basket bag quantity stock watchlist wishlist".split())


def removal_again(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant the same removal a second time, if it ran once."""
    if not _removes(place) or not next(mentioned_values(place, is_identifier), None):
        return None
    return followed(place.call.name, dict(place.arguments))


def change_of_removed(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant a change of a removed entity, with only the key argument."""
    if not _removes(place):
        return None
    for leaf in mentioned_values(place, is_identifier):
        if len(leaf.path) == 1 and _is_removed(place, leaf):
            for tool in shuffled(_changing(place, leaf), random):
                return followed(tool.name, {leaf.name: leaf.value})
    return None


def _removes(place: RightCall) -> bool:
    """Return whether the call removes something, and is not repeated in the run."""
    name = place.call.name
    # a repetition that was recorded is not a fault
    again = any(c.name == name and c.arguments == place.arguments for c in place.others)
    if verb_of(name) not in REMOVING or nouns_of(name) & _CONTAINERS or again:
        return False
    if place.call.result is None or (place.tool is not None and place.tool.idempotent):
        return False
    # floats are amounts, which a removal may repeat
    return not any(isinstance(leaf.value, float) for leaf in place.values)


def _is_removed(place: RightCall, leaf: ArgumentValue) -> bool:
    """Return whether the identifier names the removed entity, not its container."""
    nouns = nouns_of(place.call.name)
    return bool(leaf.nouns & nouns) or (not leaf.nouns and len(place.arguments) == 1)


def _changing(place: RightCall, leaf: ArgumentValue) -> Iterator[Tool]:
    nouns = nouns_of(place.call.name)
    for tool in place.run.tools.values():
        schema = tool.parameters if isinstance(tool.parameters, Mapping) else {}
        properties = schema.get("properties")
        takes = isinstance(properties, Mapping) and leaf.name in properties
        if takes and verb_of(tool.name) in UPDATING and nouns & nouns_of(tool.name):
            yield tool
