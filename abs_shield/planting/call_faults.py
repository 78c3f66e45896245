"""Plant a call that contradicts the run: an undoing or repeated one, or one of an unknown tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from abs_shield.planting.argument_values import (
    ArgumentValue,
    fold_value,
    has_identifier_name,
    is_identifier,
    leaves_of,
)
from abs_shield.planting.identifier_faults import mentioned_values
from abs_shield.planting.invented_words import (
    REMOVING,
    TOOLS,
    UNDONE_BY,
    UPDATING,
    nouns_of,
    verb_of,
)
from abs_shield.planting.planted_call import PlantedCall, follow_call, shuffle_items, with_value
from abs_shield.planting.run_text import RightCall
from abs_shield.policy import Tool

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
    for leaf in shuffle_items(place.values, random):
        if _is_setting(leaf):
            value = _other_value(leaf, place, random)
            if value is not None:
                arguments = with_value(place.arguments, leaf.path, value)
                return follow_call(place.call.name, arguments, path=leaf.name)
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


_MOST_RESULT = 100  # the first fields of a large result


def inverse(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant the inverse of a call that ran, if the run neither calls it nor asks for it."""
    if place.call.result is None:
        return None
    for tool in shuffle_items(_inverses(place), random):
        arguments = _arguments(place, tool)
        if arguments:
            return follow_call(tool.name, arguments, first=place.call.name)
    return None


def _inverses(place: RightCall) -> Iterator[Tool]:
    first, nouns = verb_of(place.call.name), nouns_of(place.call.name)
    called = {call.name for call in place.run.calls}
    for tool in place.run.tools.values():
        verb = verb_of(tool.name)
        if first not in UNDONE_BY.get(verb, ()) or tool.name in called:
            continue
        shared = nouns & nouns_of(tool.name)
        if shared and verb not in place.run.user_words:  # a user who asks for it makes it right
            yield tool


def _arguments(place: RightCall, tool: Tool) -> dict[str, Any]:
    """
    Return the first call's values of the same parameters; empty if they do not name an entity.
    """
    schema = tool.parameters if isinstance(tool.parameters, Mapping) else {}
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, Mapping):
        return {}
    # the recorded arguments win over the result
    available = {**_returned_ids(place), **place.arguments}
    wanted = required if isinstance(required, list) and required else list(properties)
    arguments = {
        name: available[name] for name in wanted if isinstance(name, str) and name in available
    }
    whole = len(arguments) == len(wanted) or not required
    names_one = any(map(is_identifier, leaves_of(arguments, schema))) or _is_same(place, arguments)
    return arguments if whole and names_one else {}


def _returned_ids(place: RightCall) -> dict[str, Any]:
    """Return the identifiers in the result by name; ``id`` also by the tool's nouns."""
    value = place.call.result.value if place.call.result is not None else None
    if not isinstance(value, Mapping):
        return {}
    inner = next((held for held in value.values() if isinstance(held, Mapping)), {})
    identifiers = {str(name): held for part in (inner, value) for name, held in part.items()}
    identifiers = {name: held for name, held in identifiers.items() if isinstance(held, str | int)}
    if "id" in identifiers:
        identifiers |= {f"{noun}_id": identifiers["id"] for noun in nouns_of(place.call.name)}
    return dict(list(identifiers.items())[:_MOST_RESULT])


def _is_same(place: RightCall, arguments: Mapping[str, Any]) -> bool:
    return len(arguments) > 1 and all(
        place.arguments.get(name) == value for name, value in arguments.items()
    )


# removing a thing from a container twice may be right
_CONTAINERS = frozenset("cart basket bag quantity stock watchlist wishlist".split())


def removal_again(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant the same removal a second time, if it ran once."""
    if not _removes(place) or not next(mentioned_values(place, is_identifier), None):
        return None
    return follow_call(place.call.name, dict(place.arguments))


def change_of_removed(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant a change of a removed entity, with only the key argument."""
    if not _removes(place):
        return None
    for leaf in mentioned_values(place, is_identifier):
        if len(leaf.path) == 1 and _is_removed(place, leaf):
            for tool in shuffle_items(_changing(place, leaf), random):
                return follow_call(tool.name, {leaf.name: leaf.value})
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


_VERBS = {"get": "fetch", "search": "query", "find": "look_for", "list": "enumerate"}


def absent(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant a plausible tool that the toolset does not have."""
    return _call(place, shuffle_items(TOOLS, random))


def near_miss(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant the recorded tool's name with an error."""
    name = place.call.name
    # slips that models make: versions, plurals, other verbs
    slips = [f"{name}_v2", f"{name}_by_id", name[:-1] if name.endswith("s") else f"{name}s"]
    at = random.randrange(len(name)) if name else 0
    slips.append(name[:at] + name[at + 1 :])
    slips += [name.replace(verb, other, 1) for verb, other in _VERBS.items() if verb in name]
    return _call(place, shuffle_items(slips, random))


def _call(place: RightCall, names: list[str]) -> PlantedCall | None:
    if place.tool is None:
        return None  # without a list of tools no name is unknown
    taken = set(map(fold_value, place.run.tools))
    for name in names:
        if name and fold_value(name) not in taken:
            return PlantedCall(
                name=name, arguments=dict(place.arguments), notes={"original": place.call.name}
            )
    return None
