"""A call that takes back, unasked, what the call before it did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from abs_shield.policy import Tool
from abs_shield.replay.planting.argument_values import is_identifier, leaves_of
from abs_shield.replay.planting.planted_call import PlantedCall, followed, shuffled
from abs_shield.replay.planting.run_text import RightCall
from abs_shield.replay.planting.tool_name_words import UNDONE_BY, nouns_of, verb_of

_MOST_RESULT = 100


def inverse(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant the inverse of a call that ran, where the run neither calls it nor asks for it."""
    if place.call.result is None:
        return None
    for tool in shuffled(_inverses(place), random):
        arguments = _arguments(place, tool)
        if arguments:
            return followed(tool.name, arguments, first=place.call.name)
    return None


def _inverses(place: RightCall) -> Iterator[Tool]:
    first, nouns = verb_of(place.call.name), nouns_of(place.call.name)
    called = {call.name for call in place.run.calls}
    for tool in place.run.tools.values():
        verb = verb_of(tool.name)
        if first not in UNDONE_BY.get(verb, ()) or tool.name in called:
            continue
        shared = nouns & nouns_of(tool.name)
        if shared and verb not in place.run.user_words:
            yield tool


def _arguments(place: RightCall, tool: Tool) -> dict[str, Any]:
    """What the first call says of the same parameters; empty where it does not say what of."""
    schema = tool.parameters if isinstance(tool.parameters, Mapping) else {}
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, Mapping):
        return {}
    known = {**_returned(place), **place.arguments}
    wanted = required if isinstance(required, list) and required else list(properties)
    found = {name: known[name] for name in wanted if isinstance(name, str) and name in known}
    whole = len(found) == len(wanted) or not required
    names_one = any(map(is_identifier, leaves_of(found, schema))) or _is_same(place, found)
    return found if whole and names_one else {}


def _returned(place: RightCall) -> dict[str, Any]:
    """The identifiers that the result holds, by their names; ``id`` also by the tool's nouns."""
    value = place.call.result.value if place.call.result is not None else None
    if not isinstance(value, Mapping):
        return {}
    inner = next((held for held in value.values() if isinstance(held, Mapping)), {})
    found = {str(name): held for part in (inner, value) for name, held in part.items()}
    found = {name: held for name, held in found.items() if isinstance(held, str | int)}
    if "id" in found:
        found |= {f"{noun}_id": found["id"] for noun in nouns_of(place.call.name)}
    return dict(list(found.items())[:_MOST_RESULT])


def _is_same(place: RightCall, found: Mapping[str, Any]) -> bool:
    return len(found) > 1 and all(
        place.arguments.get(name) == value for name, value in found.items()
    )
