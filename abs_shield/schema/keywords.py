"""Replacements for keywords of jsonschema that are unsafe, inexact, or slow to explain."""

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
"""Number of values of an `enum` per step of the budget: hashing one is faster than a visit."""
_MOST_ENUMS = 256  # lists, after which the cache is cleared
_CHOICES: dict[int, tuple[list[Any], EnumValues]] = {}
"""Cached by the id of an `enum`'s list; storing the list keeps its id from being reused."""


class PatternTimeout(Exception):
    """Raised if a pattern takes too long; an error yielded under `not` would count as valid."""

    def __init__(self, pattern: str, text: str) -> None:
        super().__init__(pattern)
        self.pattern, self.text = pattern, text


def is_match(pattern: str, text: str) -> bool:
    """Return whether a pattern matches within the time limit."""
    spend()  # a search costs more than the visit of a value
    try:
        return ecma_regex.search_of(pattern)(text)
    except TimeoutError:
        raise PatternTimeout(pattern, text) from None


def pattern(validator: Any, wanted: str, instance: Any, schema: Any) -> Errors:
    """Yield an error unless a text contains the pattern."""
    if isinstance(instance, str) and not is_match(wanted, instance):
        yield ValidationError("does not match")


def format_(validator: Any, name: str, instance: Any, schema: Any) -> Errors:
    """Yield an error unless a text is in the format, in every draft."""
    if isinstance(instance, str) and (check := checker(name)) and not check(instance):
        yield ValidationError("not in the format")


def pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Errors:
    """Yield errors of members whose name matches a pattern but whose value does not fit."""
    if not isinstance(instance, dict):
        return
    for wanted, subschema in patterns.items():
        for name, item in instance.items():
            if is_match(wanted, name):
                yield from validator.descend(item, subschema, path=name, schema_path=wanted)


def additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Errors:
    """Yield errors of members that no neighbouring keyword declares."""
    if not isinstance(instance, dict):
        return
    if extras := [name for name in instance if not _is_declared(name, schema)]:
        yield from _extra_properties(validator, allowed, instance, extras)


def unevaluated_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Errors:
    """Yield errors of members that no part of this schema evaluates."""
    if not isinstance(instance, dict):
        return
    evaluated_names = evaluated_properties(validator, instance, schema, is_match)
    if extras := [name for name in instance if name not in evaluated_names]:
        yield from _extra_properties(validator, allowed, instance, extras)


def _extra_properties(validator: Any, allowed: Any, instance: Any, extras: list[str]) -> Errors:
    if allowed is False:
        yield _undeclared_names_error(extras)
    elif isinstance(allowed, dict):
        for name in extras:
            yield from validator.descend(instance[name], allowed, path=name)


def unevaluated_items(validator: Any, allowed: Any, instance: Any, schema: Any) -> Errors:
    """Yield an error for items that no part of this schema evaluates."""
    if isinstance(instance, list):
        evaluated_indexes = evaluated_items(validator, instance, schema)
        if any(index not in evaluated_indexes for index in range(len(instance))):
            yield ValidationError("unevaluated items")


def multiple(validator: Any, step: float, instance: Any, schema: Any) -> Errors:
    """Yield an error unless a number is a multiple of the step, in decimals."""
    if validator.is_type(instance, "number") and not is_multiple_of(instance, step):
        yield ValidationError("not a multiple")


def enum(validator: Any, allowed: list[Any], instance: Any, schema: Any) -> Errors:
    """Yield an error unless a value equals an item of the list."""
    choices = _choices(allowed)
    spend((len(allowed) + choices.most) // _EQUALITIES)
    if instance not in choices:
        yield ValidationError("not in the list")


def _choices(allowed: list[Any]) -> EnumValues:
    """Return the comparable values of an `enum`, cached across items."""
    cached = _CHOICES.get(id(allowed))
    if cached is None or cached[0] is not allowed:
        if len(_CHOICES) >= _MOST_ENUMS:
            _CHOICES.clear()
        cached = _CHOICES[id(allowed)] = (allowed, EnumValues(allowed))
    return cached[1]


def const(validator: Any, wanted: Any, instance: Any, schema: Any) -> Errors:
    """Yield an error unless a value equals the constant."""
    # Only lists and objects have a size that is worth counting.
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
    """Yield an error if two items are equal."""
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
    """Yield an error unless a value has one of the types."""
    types = [wanted] if isinstance(wanted, str) else wanted
    if not any(validator.is_type(instance, name) for name in types):
        yield ValidationError("of another type")


def require_members(validator: Any, names: list[str], instance: Any, schema: Any) -> Errors:
    """Yield an error for each missing member."""
    if isinstance(instance, dict):
        yield from (_missing(name) for name in names if name not in instance)


def dependent_required(validator: Any, rules: dict[str, Any], instance: Any, schema: Any) -> Errors:
    """Yield an error for each member that is missing although another one requires it."""
    for name, needed in rules.items() if isinstance(instance, dict) else ():
        if name in instance:
            yield from (_missing(each, name) for each in needed if each not in instance)


def dependencies(validator: Any, rules: dict[str, Any], instance: Any, schema: Any) -> Errors:
    """Yield errors as `dependent_required`, or of the schema that a member requires."""
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


def _undeclared_names_error(names: list[str]) -> ValidationError:
    error = ValidationError("unknown members")
    error.undeclared = tuple(names)  # type: ignore[attr-defined]
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
    "required": require_members,
    "type": type_,
    "unevaluatedItems": unevaluated_items,
    "unevaluatedProperties": unevaluated_properties,
    "uniqueItems": unique_items,
}
