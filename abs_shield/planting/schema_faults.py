"""Plant arguments that violate the tool's schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from abs_shield.planting.argument_values import fold_value
from abs_shield.planting.invented_words import ARGUMENTS, OPTIONS
from abs_shield.planting.planted_call import PlantedCall, shuffle_items, with_value
from abs_shield.planting.run_text import RightCall

_SCALAR = {"string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,)}
_UNION = ("anyOf", "oneOf", "allOf", "$ref", "nullable", "not", "if")
_OPEN = ("patternProperties", "additionalProperties", "unevaluatedProperties")


def extra(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant an argument that the tool does not declare and its schema rejects."""
    schema = _schema(place)
    # a schema that admits other properties does not reject one
    if not schema.get("properties") or any(schema.get(key) not in (None, False) for key in _OPEN):
        return None
    # a name that only differs in spelling could be meant
    free = [
        name for name in ARGUMENTS if fold_value(name) not in map(fold_value, schema["properties"])
    ]
    return _with(place, {random.choice(free): True}) if free else None


def missing(place: RightCall, random: Random) -> PlantedCall | None:
    """Omit a required argument."""
    required = [name for name in _required_names(place) if name in place.arguments]
    if not required:
        return None
    left_out = random.choice(required)
    remaining = {name: value for name, value in place.arguments.items() if name != left_out}
    return PlantedCall(name=place.call.name, arguments=remaining)


def null(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant null for a required argument of one type."""
    names = [
        name for name, _ in _typed_arguments(place, *_SCALAR) if name in _required_names(place)
    ]
    return _with(place, {random.choice(names): None}) if names else None


def not_a_number(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant NaN or infinity in place of a number."""
    names = [name for name, _ in _typed_arguments(place, "integer", "number")]
    value = random.choice([float("nan"), float("inf")])  # JSON has neither, but models write them
    return _with(place, {random.choice(names): value}) if names else None


def number_as_text(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant a number as a text."""
    typed = shuffle_items(_typed_arguments(place, "integer", "number"), random)
    return _with(place, {typed[0][0]: str(typed[0][1])}) if typed else None


def wrong_type(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant an object or a list in place of a text, number or boolean."""
    typed = shuffle_items(_typed_arguments(place, *_SCALAR), random)
    if not typed:
        return None
    name, value = typed[0]
    # both contain the right value, as in real mistakes
    return _with(place, {name: random.choice([{"value": value}, [value]])})


def not_an_option(place: RightCall, random: Random) -> PlantedCall | None:
    """Plant a text that is not among the schema's options."""
    for leaf in shuffle_items(place.values, random):
        options = leaf.schema.get("enum")
        plain = leaf.schema.keys().isdisjoint(_UNION) and isinstance(leaf.value, str)
        if not plain or not isinstance(options, list) or leaf.value not in options:
            continue
        new = [text for text in OPTIONS if not place.run.mentions(text)]
        if new:
            arguments = with_value(place.arguments, leaf.path, random.choice(new))
            return PlantedCall(name=place.call.name, arguments=arguments)
    return None


def _schema(place: RightCall) -> Mapping[str, Any]:
    schema = None if place.tool is None else place.tool.parameters
    if not isinstance(schema, Mapping) or not schema.keys().isdisjoint(_UNION):
        return {}
    return schema if isinstance(schema.get("properties"), Mapping) else {}


def _required_names(place: RightCall) -> list[str]:
    required = _schema(place).get("required")
    return (
        [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    )


def _typed_arguments(place: RightCall, *types: str) -> Iterator[tuple[str, Any]]:
    """Yield the arguments whose schema has one of *types*, and whose value matches it."""
    properties = _schema(place).get("properties", {})
    for name, value in place.arguments.items():
        schema = properties.get(name)
        if not isinstance(schema, Mapping) or not schema.keys().isdisjoint(_UNION):
            continue
        kind = schema.get("type")
        if (
            isinstance(kind, str)
            and kind in types
            and _is(value, kind)
            and None not in _options(schema)  # a type with null as an option accepts null
        ):
            yield name, value


def _options(schema: Mapping[str, Any]) -> list[Any]:
    options = schema.get("enum")
    return options if isinstance(options, list) else []


def _is(value: Any, kind: str) -> bool:
    fits = isinstance(value, _SCALAR[kind])
    return fits and isinstance(value, bool) == (kind == "boolean")  # True is an integer in Python


def _with(place: RightCall, changed: Mapping[str, Any]) -> PlantedCall:
    return PlantedCall(name=place.call.name, arguments={**place.arguments, **changed})
