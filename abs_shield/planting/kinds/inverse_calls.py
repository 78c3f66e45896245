"""Plant a call that undoes the previous call without being asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from abs_shield.planting.argument_values import is_identifier, leaves_of
from abs_shield.planting.planted_call import PlantedCall, followed, shuffled
from abs_shield.planting.run_text import RightCall
from abs_shield.planting.tool_name_words import UNDONE_BY, nouns_of, verb_of
from abs_shield.policy import Tool

_MOST_RESULT = 100  # the first fields of a large result


def inverse(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant the inverse of a call that ran, if the run neither calls it nor asks for it."""
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
    available = {**_returned(place), **place.arguments}
    wanted = required if isinstance(required, list) and required else list(properties)
    arguments = {
        name: available[name] for name in wanted if isinstance(name, str) and name in available
    }
    whole = len(arguments) == len(wanted) or not required
    names_one = any(map(is_identifier, leaves_of(arguments, schema))) or _is_same(place, arguments)
    return arguments if whole and names_one else {}


def _returned(place: RightCall) -> dict[str, Any]:
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
