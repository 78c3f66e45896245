"""The members and items that a schema evaluates; `unevaluated...` applies to the others."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import Any

from referencing.jsonschema import lookup_recursive_ref

from abs_shield.schema.combinators import fits_schema
from abs_shield.schema.ref_keyword import resolve_reference
from abs_shield.schema.work_budget import memo, spend

Matches = Callable[[str, str], bool]
_PLACES = 32
"""
Number of indexes per step of the budget: adding one to a set is faster than a visit.
"""


def evaluated_properties(
    validator: Any, instance: dict[str, Any], schema: Any, matches: Matches
) -> set[str]:
    """Return the names of the members that a schema and its matching branches evaluate."""
    if isinstance(schema, bool):
        return set()
    names: set[str] = _once(
        schema, instance, lambda: _members(validator, instance, schema, matches)
    )
    return names


def _members(validator: Any, instance: dict[str, Any], schema: Any, matches: Matches) -> set[str]:
    names = {name for name in schema.get("properties", {}) if name in instance}
    names |= _members_by_pattern(instance, schema, matches)
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if keyword in schema:
            names |= _members_by_rest(validator, instance, schema[keyword])
    for resolved_validator, branch in _branches(validator, instance, schema):
        names |= evaluated_properties(resolved_validator, instance, branch, matches)
    return names


def evaluated_items(validator: Any, instance: list[Any], schema: Any) -> Container[int]:
    """Return the indexes of the items that a schema and its matching branches evaluate."""
    if isinstance(schema, bool):
        return range(0)
    places: Container[int] = _once(schema, instance, lambda: _items(validator, instance, schema))
    return places


def _items(validator: Any, instance: list[Any], schema: dict[str, Any]) -> Container[int]:
    every = range(len(instance))
    start = _count_listed(validator, schema)
    if start is None or start >= len(instance):
        return every
    places = set(range(start))
    for keyword in ("contains", "unevaluatedItems"):
        if keyword in schema:
            fitting = (fits_schema(validator, item, schema[keyword]) for item in instance)
            places |= {at for at, fits in enumerate(fitting) if fits}
    for resolved_validator, branch in _branches(validator, instance, schema):
        inner = evaluated_items(resolved_validator, instance, branch)
        # A range means all items, a set means some.
        if isinstance(inner, range):
            if len(inner):
                return every
        elif isinstance(inner, set):
            spend(len(inner) // _PLACES)
            places |= inner
    return places


def _count_listed(validator: Any, schema: dict[str, Any]) -> int | None:
    """Return how many leading items a schema evaluates one by one; None for every item."""
    if "prefixItems" in validator.VALIDATORS:
        return None if "items" in schema else len(schema.get("prefixItems", ()))
    listed = schema.get("items", ())
    several = isinstance(listed, (list, tuple))
    return None if not several or "additionalItems" in schema else len(listed)


def _once(schema: dict[str, Any], instance: Any, compute: Callable[[], Any]) -> Any:
    # If the target of a reference depends on the path, a result is valid for one place only.
    cache = memo()
    if cache is None:
        return compute()
    key = (id(schema), id(instance))
    if key not in cache.evaluated:
        cache.evaluated[key] = compute()
    return cache.evaluated[key]


def _members_by_pattern(
    instance: dict[str, Any], schema: dict[str, Any], matches: Matches
) -> set[str]:
    patterns = schema.get("patternProperties", {})
    return {name for name in instance for pattern in patterns if matches(pattern, name)}


def _members_by_rest(validator: Any, instance: dict[str, Any], schema: Any) -> set[str]:
    return {name for name, item in instance.items() if fits_schema(validator, item, schema)}


def _branches(validator: Any, instance: Any, schema: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    for target in _targets(validator, schema):
        resolved_validator = validator.evolve(schema=target.contents, _resolver=target.resolver)
        yield resolved_validator, target.contents
    for name, branch in schema.get("dependentSchemas", {}).items():
        if name in instance:
            yield validator, branch
    for keyword in ("allOf", "anyOf", "oneOf"):
        for branch in schema.get(keyword, ()):
            if fits_schema(validator, instance, branch):
                yield validator, branch
    if "if" in schema:
        fits = fits_schema(validator, instance, schema["if"])
        if fits:
            yield validator, schema["if"]
        yield validator, schema.get("then" if fits else "else", True)


def _targets(validator: Any, schema: dict[str, Any]) -> Iterator[Any]:
    if "$ref" in schema:
        yield resolve_reference(validator, schema)
    if "$dynamicRef" in schema:
        yield validator._resolver.lookup(schema["$dynamicRef"])
    if "$recursiveRef" in schema:
        yield lookup_recursive_ref(validator._resolver)
