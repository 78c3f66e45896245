"""The number of visits that a validation of one value by pydantic takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

from abs_shield.plan.schema_lookup import dereference


def exceeds_visits(value: Any, schema: Any, most: int) -> bool:
    """
    Return whether a validation visits the parts of a value more than *most* times.

    Each branch of a union visits the value again, so that recursive unions double the visits at
    each level. Counting takes at most as many steps.

    Args:
        value: The value, as JSON.
        schema: The JSON Schema of the type, as pydantic writes it.
        most: The allowed number of visits.

    >>> lists = {"items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}
    >>> exceeds_visits(["x"] * 10, lists, 31), exceeds_visits(["x"] * 10, lists, 30)
    (False, True)
    """
    left: list[tuple[Any, Any]] = [(value, schema)]
    visits = 1
    while left and visits <= most:
        part, own = left.pop()
        own = dereference(own, schema)
        before = len(left)
        left += zip(repeat(part), _branches(part, own))
        if isinstance(part, Mapping):
            properties = _mapping(own.get("properties"))
            left += _members(part, properties, own.get("additionalProperties"))
            visits += len(properties)  # each missing member is an error
        elif isinstance(part, (list, tuple)):
            first = _sequence(own.get("prefixItems"))
            left += zip(part, first, strict=False)
            left += zip(part[len(first) :], repeat(own.get("items")))
        visits += len(left) - before
    return visits > most


def _members(value: Mapping[Any, Any], named: Any, others: Any) -> Iterator[tuple[Any, Any]]:
    return ((member, named.get(name, others)) for name, member in value.items())


def _branches(value: Any, schema: Mapping[str, Any]) -> list[Any]:
    tag = schema.get("discriminator", {})
    names = tag.get("mapping") if isinstance(tag, Mapping) else None
    if not isinstance(names, Mapping):
        return [one for word in ("anyOf", "oneOf", "allOf") for one in _sequence(schema.get(word))]
    # Only the branch that the value names is visited.
    name = value.get(tag.get("propertyName")) if isinstance(value, Mapping) else None
    reference = names.get(name) if isinstance(name, str) else None
    return [] if reference is None else [{"$ref": reference}]


def _mapping(value: Any) -> Mapping[Any, Any]:
    return value if isinstance(value, Mapping) else {}


def _sequence(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else ()
