"""Which members of an object has a schema looked at? (what `unevaluatedProperties` leaves over)"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from referencing.jsonschema import lookup_recursive_ref

from abs_shield.schema.branches import holds

Found = Callable[[str, str], bool]


def evaluated(validator: Any, instance: dict[str, Any], schema: Any, found: Found) -> set[str]:
    """Collect the names of the members that a schema, or a branch that holds, evaluates."""
    if isinstance(schema, bool):
        return set()
    names = {name for name in schema.get("properties", {}) if name in instance}
    names |= _by_pattern(instance, schema, found)
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if keyword in schema:
            names |= _by_rest(validator, instance, schema[keyword])
    for there, branch in _branches(validator, instance, schema):
        names |= evaluated(there, instance, branch, found)
    return names


def _by_pattern(instance: dict[str, Any], schema: dict[str, Any], found: Found) -> set[str]:
    patterns = schema.get("patternProperties", {})
    return {name for name in instance for pattern in patterns if found(pattern, name)}


def _by_rest(validator: Any, instance: dict[str, Any], schema: Any) -> set[str]:
    return {name for name, item in instance.items() if holds(validator, item, schema)}


def _branches(validator: Any, instance: Any, schema: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    for target in _targets(validator, schema):
        there = validator.evolve(schema=target.contents, _resolver=target.resolver)
        yield there, target.contents
    for name, branch in schema.get("dependentSchemas", {}).items():
        if name in instance:
            yield validator, branch
    for keyword in ("allOf", "anyOf", "oneOf"):
        for branch in schema.get(keyword, ()):
            if holds(validator, instance, branch):
                yield validator, branch
    if "if" in schema:
        fits = holds(validator, instance, schema["if"])
        if fits:
            yield validator, schema["if"]
        yield validator, schema.get("then" if fits else "else", True)


def _targets(validator: Any, schema: dict[str, Any]) -> Iterator[Any]:
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema:
            yield validator._resolver.lookup(schema[keyword])
    if "$recursiveRef" in schema:
        yield lookup_recursive_ref(validator._resolver)
