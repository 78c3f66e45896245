"""Keywords we replace in jsonschema: those that were unsafe, inexact, or slow to say why not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema.exceptions import ValidationError

from abs_shield.schema import ecma_regex
from abs_shield.schema.combinators import any_of, not_, one_of
from abs_shield.schema.evaluated_members import evaluated_items, evaluated_properties
from abs_shield.schema.formats import checker
from abs_shield.schema.json_equality import EnumValues, are_unique, canonical_key, is_multiple_of
from abs_shield.schema.ref_keyword import ref
from abs_shield.schema.size_keywords import SIZES
from abs_shield.schema.work_budget import memo, spend

Errors = Iterator[ValidationError]

_EQUALITIES = 32
"""Values of an `enum` that are compared in the time of one step."""
_MOST_ENUMS = 256
_CHOICES: dict[int, tuple[list[Any], EnumValues]] = {}
"""By the id of an `enum`'s list, which is kept beside it so that no other one gets its id."""


class PatternTimeout(Exception):
    """A pattern took too long; raised, not yielded, since under `not` an error would mean valid."""

    def __init__(self, pattern: str, text: str) -> None:
        super().__init__(pattern)
        self.pattern, self.text = pattern, text


def is_match(pattern: str, text: str) -> bool:
    """Search within the time limit."""
    spend()
    try:
        return ecma_regex.search_of(pattern)(text)
    except TimeoutError:
        raise PatternTimeout(pattern, text) from None


def pattern(validator: Any, wanted: str, instance: Any, schema: Any) -> Errors:
    """A text contains the pattern."""
    if isinstance(instance, str) and not is_match(wanted, instance):
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
            if is_match(wanted, name):
                yield from validator.descend(item, subschema, path=name, schema_path=wanted)


def additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Errors:
    """Members that nothing beside this keyword names fit its schema."""
    if not isinstance(instance, dict):
        return
    extras = [name for name in instance if not _is_declared(name, schema)]
    if allowed is False and extras:
        yield _unknown(extras)
    elif isinstance(allowed, dict):
        for name in extras:
            yield from validator.descend(instance[name], allowed, path=name)


def unevaluated_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Errors:
    """Members that no part of this schema has looked at fit the keyword's schema."""
    if not isinstance(instance, dict):
        return
    evaluated_names = evaluated_properties(validator, instance, schema, is_match)
    extras = [name for name in instance if name not in evaluated_names]
    if allowed is False and extras:
        yield _unknown(extras)
    elif isinstance(allowed, dict):
        for name in extras:
            yield from validator.descend(instance[name], allowed, path=name)


def unevaluated_items(validator: Any, allowed: Any, instance: Any, schema: Any) -> Errors:
    """Items that no part of this schema has looked at fit the keyword's schema."""
    if isinstance(instance, list):
        evaluated_indexes = evaluated_items(validator, instance, schema)
        if any(index not in evaluated_indexes for index in range(len(instance))):
            yield ValidationError("unevaluated items")


def multiple(validator: Any, step: float, instance: Any, schema: Any) -> Errors:
    """A number is a whole multiple of the step, in decimals."""
    if validator.is_type(instance, "number") and not is_multiple_of(instance, step):
        yield ValidationError("not a multiple")


def enum(validator: Any, allowed: list[Any], instance: Any, schema: Any) -> Errors:
    """A value equals one of the list."""
    choices = _choices(allowed)
    spend((len(allowed) + choices.most) // _EQUALITIES)
    if instance not in choices:
        yield ValidationError("not in the list")


def _choices(allowed: list[Any]) -> EnumValues:
    """Return what the values of an `enum` are compared by; worked out once, not for each item."""
    cached = _CHOICES.get(id(allowed))
    if cached is None or cached[0] is not allowed:
        if len(_CHOICES) >= _MOST_ENUMS:
            _CHOICES.clear()
        cached = _CHOICES[id(allowed)] = (allowed, EnumValues(allowed))
    return cached[1]


def const(validator: Any, wanted: Any, instance: Any, schema: Any) -> Errors:
    """A value equals this one."""
    if isinstance(wanted, (list, dict)):
        choices = EnumValues((wanted,))
        spend(choices.most // _EQUALITIES)
        equal = instance in choices
    else:
        equal = not isinstance(instance, (list, dict)) and canonical_key(instance) == canonical_key(
            wanted
        )
    if not equal:
        yield ValidationError("not the constant")


def unique_items(validator: Any, wanted: bool, instance: Any, schema: Any) -> Errors:
    """No two items are equal."""
    if wanted and isinstance(instance, list) and not _unique(instance):
        yield ValidationError("repeats an item")


def _unique(items: list[Any]) -> bool:
    cache = memo()
    if cache is None:
        return are_unique(items)
    if id(items) not in cache.unique:
        cache.unique[id(items)] = are_unique(items)
    return cache.unique[id(items)]


def type_(validator: Any, wanted: str | list[str], instance: Any, schema: Any) -> Errors:
    """A value is of one of the types."""
    types = [wanted] if isinstance(wanted, str) else wanted
    if not any(validator.is_type(instance, name) for name in types):
        yield ValidationError("of another type")


def required(validator: Any, names: list[str], instance: Any, schema: Any) -> Errors:
    """An object has these members."""
    if isinstance(instance, dict):
        yield from (_missing(name) for name in names if name not in instance)


def dependent_required(validator: Any, rules: dict[str, Any], instance: Any, schema: Any) -> Errors:
    """An object that has one member has others too."""
    for name, needed in rules.items() if isinstance(instance, dict) else ():
        if name in instance:
            yield from (_missing(each, name) for each in needed if each not in instance)


def dependencies(validator: Any, rules: dict[str, Any], instance: Any, schema: Any) -> Errors:
    """As `dependent_required`, or an object that has one member fits a schema."""
    for name, needed in rules.items() if isinstance(instance, dict) else ():
        if isinstance(needed, list):
            yield from dependent_required(validator, {name: needed}, instance, schema)
        elif name in instance:
            yield from validator.descend(instance, needed, schema_path=name)


def _missing(name: str, because: str | None = None) -> ValidationError:
    error = ValidationError("is missing")
    error.missing, error.because = name, because  # type: ignore[attr-defined]
    return error


def _is_declared(name: str, schema: dict[str, Any]) -> bool:
    if name in schema.get("properties", {}):
        return True
    return any(is_match(wanted, name) for wanted in schema.get("patternProperties", {}))


def _unknown(names: list[str]) -> ValidationError:
    error = ValidationError("unknown members")
    error.unknown = tuple(names)  # type: ignore[attr-defined]
    return error


REPLACED = {
    **SIZES,
    "$ref": ref,
    "additionalProperties": additional_properties,
    "anyOf": any_of,
    "const": const,
    "dependencies": dependencies,
    "dependentRequired": dependent_required,
    "enum": enum,
    "format": format_,
    "multipleOf": multiple,
    "not": not_,
    "oneOf": one_of,
    "pattern": pattern,
    "patternProperties": pattern_properties,
    "required": required,
    "type": type_,
    "unevaluatedItems": unevaluated_items,
    "unevaluatedProperties": unevaluated_properties,
    "uniqueItems": unique_items,
}
