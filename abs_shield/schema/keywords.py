"""Keywords we replace in jsonschema: patterns, formats, equality, multiples, unknown members."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema.exceptions import ValidationError

from abs_shield.schema import ecma
from abs_shield.schema.equality import canonical, multiple_of, unique
from abs_shield.schema.evaluated import evaluated
from abs_shield.schema.formats import checker

Errors = Iterator[ValidationError]


class PatternTimeout(Exception):
    """A pattern took too long; raised, not yielded, since under `not` an error would mean valid."""

    def __init__(self, pattern: str, text: str) -> None:
        super().__init__(pattern)
        self.pattern, self.text = pattern, text


def found(pattern: str, text: str) -> bool:
    """Search within the time limit."""
    try:
        return ecma.finder(pattern)(text)
    except TimeoutError:
        raise PatternTimeout(pattern, text) from None


def pattern(validator: Any, wanted: str, instance: Any, schema: Any) -> Errors:
    """A text contains the pattern."""
    if isinstance(instance, str) and not found(wanted, instance):
        yield ValidationError("does not match")


def format_(validator: Any, name: str, instance: Any, schema: Any) -> Errors:
    """A text is in a format, asserted in every draft."""
    if isinstance(instance, str) and (check := checker(name)) and not check(instance):
        yield ValidationError("not in the format")


def pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Errors:
    """Members whose name contains a pattern fit that pattern's schema."""
    if not isinstance(instance, dict):
        return
    for wanted, subschema in patterns.items():
        for name, item in instance.items():
            if found(wanted, name):
                yield from validator.descend(item, subschema, path=name, schema_path=wanted)


def additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Errors:
    """Members that nothing beside this keyword names fit its schema."""
    if not isinstance(instance, dict):
        return
    extras = [name for name in instance if not _named(name, schema)]
    if allowed is False and extras:
        yield _unknown(extras)
    elif isinstance(allowed, dict):
        for name in extras:
            yield from validator.descend(instance[name], allowed, path=name)


def unevaluated_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Errors:
    """Members that no part of this schema has looked at fit the keyword's schema."""
    if not isinstance(instance, dict):
        return
    seen = evaluated(validator, instance, schema, found)
    extras = [name for name in instance if name not in seen]
    if allowed is False and extras:
        yield _unknown(extras)
    elif isinstance(allowed, dict):
        for name in extras:
            yield from validator.descend(instance[name], allowed, path=name)


def multiple(validator: Any, step: float, instance: Any, schema: Any) -> Errors:
    """A number is a whole multiple of the step, in decimals."""
    if validator.is_type(instance, "number") and not multiple_of(instance, step):
        yield ValidationError("not a multiple")


def enum(validator: Any, allowed: list[Any], instance: Any, schema: Any) -> Errors:
    """A value equals one of the list."""
    if canonical(instance) not in {canonical(each) for each in allowed}:
        yield ValidationError("not in the list")


def const(validator: Any, wanted: Any, instance: Any, schema: Any) -> Errors:
    """A value equals this one."""
    if canonical(instance) != canonical(wanted):
        yield ValidationError("not the constant")


def unique_items(validator: Any, wanted: bool, instance: Any, schema: Any) -> Errors:
    """No two items are equal."""
    if wanted and isinstance(instance, list) and not unique(instance):
        yield ValidationError("repeats an item")


def _named(name: str, schema: dict[str, Any]) -> bool:
    if name in schema.get("properties", {}):
        return True
    return any(found(wanted, name) for wanted in schema.get("patternProperties", {}))


def _unknown(names: list[str]) -> ValidationError:
    error = ValidationError("unknown members")
    error.unknown = tuple(names)  # type: ignore[attr-defined]
    return error


REPLACED = {
    "additionalProperties": additional_properties,
    "const": const,
    "enum": enum,
    "format": format_,
    "multipleOf": multiple,
    "pattern": pattern,
    "patternProperties": pattern_properties,
    "unevaluatedProperties": unevaluated_properties,
    "uniqueItems": unique_items,
}
