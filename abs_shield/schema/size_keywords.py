"""Keywords of sizes and items, whose messages, unlike jsonschema's, do not quote the value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import gt, lt
from typing import Any

from jsonschema.exceptions import ValidationError

Errors = Iterator[ValidationError]
Keyword = Callable[[Any, Any, Any, Any], Errors]


def _size_keyword(kind: str, is_wrong: Callable[[int, float], bool]) -> Keyword:
    def sized(validator: Any, bound: float, instance: Any, schema: Any) -> Errors:
        if validator.is_type(instance, kind) and is_wrong(len(instance), bound):
            yield ValidationError("of another size")

    return sized


def items(validator: Any, wanted: Any, instance: Any, schema: Any) -> Errors:
    """Yield errors of the items after `prefixItems`; before 2020-12, also of listed items."""
    if not isinstance(instance, list):
        return
    if isinstance(wanted, list):
        for index, (item, subschema) in enumerate(zip(instance, wanted, strict=False)):
            yield from validator.descend(item, subschema, path=index, schema_path=index)
        return
    start = len(schema.get("prefixItems", ())) if "prefixItems" in validator.VALIDATORS else 0
    yield from _rest(validator, wanted, instance, start)


def additional_items(validator: Any, allowed: Any, instance: Any, schema: Any) -> Errors:
    """Yield errors of the items after those that `items` lists."""
    listed = schema.get("items")
    if isinstance(instance, list) and isinstance(listed, list):
        yield from _rest(validator, allowed, instance, len(listed))


def _rest(validator: Any, wanted: Any, instance: list[Any], start: int) -> Errors:
    if wanted is False:
        if len(instance) > start:
            yield ValidationError("too many items")
        return
    for index in range(start, len(instance)):
        yield from validator.descend(instance[index], wanted, path=index)


def contains(validator: Any, wanted: Any, instance: Any, schema: Any) -> Errors:
    """Yield an error if too few or too many items fit the schema."""
    if not isinstance(instance, list):
        return
    # `minContains` was added in the same draft, 2019-09.
    counted = "dependentRequired" in validator.VALIDATORS
    least = schema.get("minContains", 1) if counted else 1
    most = schema.get("maxContains", len(instance)) if counted else len(instance)
    matches, fits = 0, validator.evolve(schema=wanted).is_valid
    for item in instance:
        matches += fits(item)
        if matches > most:
            yield ValidationError("too many", validator="maxContains", validator_value=most)
            return
        if matches >= least and most >= len(instance):  # no further item can change the result
            return
    if not matches and least > 0:
        yield ValidationError("contains none")
    elif matches < least:
        yield ValidationError("too few", validator="minContains", validator_value=least)


SIZES: dict[str, Keyword] = {
    "additionalItems": additional_items,
    "contains": contains,
    "items": items,
    "maxItems": _size_keyword("array", gt),
    "maxLength": _size_keyword("string", gt),
    "maxProperties": _size_keyword("object", gt),
    "minItems": _size_keyword("array", lt),
    "minLength": _size_keyword("string", lt),
    "minProperties": _size_keyword("object", lt),
}
