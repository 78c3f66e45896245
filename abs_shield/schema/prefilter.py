"""A fast yes from pydantic-core: what it accepts is valid; what it does not, it cannot judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic_core import CoreSchema, SchemaError, SchemaValidator
from pydantic_core import core_schema as core

from abs_shield.schema import ecma
from abs_shield.schema.equality import Choices, multiple_of, unique
from abs_shield.schema.formats import checker

Accepts = Callable[[Any], bool]

_SILENT = frozenset(
    {
        "$anchor",
        "$comment",
        "$defs",
        "$schema",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "definitions",
        "deprecated",
        "description",
        "discriminator",
        "example",
        "examples",
        "nullable",
        "readOnly",
        "title",
        "writeOnly",
    }
)
_BOUNDS = {"minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt"}
_NUMBER = frozenset({*_BOUNDS, "multipleOf"})
_TEXT = frozenset({"minLength", "maxLength", "pattern", "format"})
_ARRAY = frozenset({"items", "minItems", "maxItems", "uniqueItems"})
_OBJECT = frozenset(
    {"properties", "required", "additionalProperties", "minProperties", "maxProperties"}
)
_ANY_TEXT = core.str_schema(strict=True)
"""Any text, as most parameters are; built once, so that tools are registered in fewer steps."""
_MOST_EXTRAS = 2_000
"""Further members of one object; pydantic-core keeps an error for each that is wrong."""
_TYPED = _NUMBER | _TEXT | _ARRAY | _OBJECT
_EXACT = 2**53


class Untranslatable(Exception):
    """The schema says something pydantic-core has no exact word for."""


def prefilter(schema: dict[str, Any] | bool, *, dialect: str) -> Accepts:
    """Translate a prepared schema; raise Untranslatable where that would not be exact."""
    legacy = "json-schema.org/draft-0" in dialect
    try:
        return _accepts(_Translation(root=schema, legacy=legacy).of(schema))
    except (SchemaError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise Untranslatable from error


def _accepts(schema: CoreSchema) -> Accepts:
    return SchemaValidator(schema).isinstance_python


@dataclass(slots=True, kw_only=True)
class _Translation:
    root: Any
    legacy: bool
    following: tuple[str, ...] = ()
    size: int = 0

    def of(self, schema: Any) -> CoreSchema:
        self.size += 1
        if schema is False or self.size > 2000:
            raise Untranslatable
        if schema is True:
            return core.any_schema()
        if schema is not self.root and ("$id" in schema or "id" in schema):
            raise Untranslatable
        said = {k: v for k, v in schema.items() if k not in _SILENT and k[:2] != "x-"}
        if schema is self.root:
            said.pop("$id", None)
        if self.legacy and "$ref" in said:
            said = {"$ref": said["$ref"]}
        return _all(self._parts(said))

    def _parts(self, said: dict[str, Any]) -> list[CoreSchema]:
        parts = []
        if "type" in said:
            parts.append(self._typed(said))
        elif set(said) & _TYPED:
            raise Untranslatable
        if set(said) - _TYPED - {"$ref", "allOf", "anyOf", "const", "enum", "type"}:
            raise Untranslatable
        if "const" in said:
            parts.append(_among([said["const"]]))
        if "enum" in said:
            parts.append(_among(said["enum"]))
        if "anyOf" in said:
            parts.append(_any([self.of(branch) for branch in said["anyOf"]]))
        parts += [self.of(branch) for branch in said.get("allOf", ())]
        if "$ref" in said:
            parts.append(self._reference(said["$ref"]))
        return parts

    def _reference(self, ref: str) -> CoreSchema:
        if not ref.startswith("#/") or "%" in ref or ref in self.following:
            raise Untranslatable
        target = self.root
        for token in ref[2:].split("/"):
            name = token.replace("~1", "/").replace("~0", "~")
            if not isinstance(target, dict) or (target is not self.root and "$id" in target):
                raise Untranslatable
            target = target.get(name)
        if not isinstance(target, (dict, bool)):
            raise Untranslatable
        before, self.following = self.following, (*self.following, ref)
        made = self.of(target)
        self.following = before
        return made

    def _typed(self, said: dict[str, Any]) -> CoreSchema:
        kinds = [said["type"]] if isinstance(said["type"], str) else said["type"]
        return _any([self._of_type(kind, said) for kind in kinds])

    def _of_type(self, kind: str, said: dict[str, Any]) -> CoreSchema:
        if kind == "null":
            return core.none_schema()
        if kind == "boolean":
            return core.bool_schema(strict=True)
        if kind == "string":
            return _string(said)
        if kind in ("integer", "number"):
            return _number(kind, said)
        return self._array(said) if kind == "array" else self._object(said)

    def _array(self, said: dict[str, Any]) -> CoreSchema:
        items = said.get("items", True)
        if isinstance(items, list):
            raise Untranslatable
        made = core.list_schema(
            self.of(items),
            strict=True,
            min_length=_whole(said.get("minItems")),
            max_length=_whole(said.get("maxItems")),
            fail_fast=True,  # an error for each item would take 40 KB of memory an item
        )
        return _gate(unique, made) if said.get("uniqueItems") else made

    def _object(self, said: dict[str, Any]) -> CoreSchema:
        named, rest = said.get("properties", {}), said.get("additionalProperties", True)
        required = set(said.get("required", ()))
        if required - set(named) and rest is not True:
            raise Untranslatable
        members = {name: self.of(member) for name, member in named.items()}
        members |= {name: core.any_schema() for name in sorted(required - set(named))}
        fields = {
            name: core.typed_dict_field(member, required=name in required)
            for name, member in members.items()
        }
        return _gate_size(said, self._typed_dict(fields, rest))

    def _typed_dict(self, fields: dict[str, core.TypedDictField], rest: Any) -> CoreSchema:
        if isinstance(rest, bool):
            extra: core.ExtraBehavior = "ignore" if rest else "forbid"
            return core.typed_dict_schema(fields, extra_behavior=extra, strict=True)
        made = core.typed_dict_schema(
            fields, extra_behavior="allow", extras_schema=self.of(rest), strict=True
        )
        return _gate_first(lambda value: len(value) <= _MOST_EXTRAS, made)


def _string(said: dict[str, Any]) -> CoreSchema:
    if said.keys().isdisjoint(_TEXT):
        return _ANY_TEXT
    made: CoreSchema = core.str_schema(
        strict=True,
        min_length=_whole(said.get("minLength")),
        max_length=_whole(said.get("maxLength")),
    )
    if "pattern" in said:
        made = _then(ecma.finder(said["pattern"]), made)
    check = checker(said["format"]) if "format" in said else None
    return made if check is None else _then(check, made)


def _number(kind: str, said: dict[str, Any]) -> CoreSchema:
    bounds: dict[str, Any] = {}
    for keyword, name in _BOUNDS.items():
        if keyword in said:
            bounds[name] = _bound(said[keyword])
    if kind == "integer":
        bounds = {name: _whole(bound) for name, bound in bounds.items()}
        made: CoreSchema = core.int_schema(strict=True, **bounds)
    else:
        made = core.float_schema(strict=True, allow_inf_nan=False, **bounds)
    if "multipleOf" not in said:
        return made
    step = said["multipleOf"]
    return _gate(lambda number: multiple_of(number, step), made)


def _bound(bound: Any) -> Any:
    # Beyond 2**53 pydantic-core compares an int with a float bound after rounding it.
    if isinstance(bound, bool) or abs(bound) >= _EXACT:
        raise Untranslatable
    return bound


def _whole(bound: Any) -> int | None:
    if bound is None:
        return None
    if isinstance(bound, bool) or bound != int(bound):
        raise Untranslatable
    return int(bound)


def _gate_size(said: dict[str, Any], made: CoreSchema) -> CoreSchema:
    least, most = _whole(said.get("minProperties")), _whole(said.get("maxProperties"))
    if least is None and most is None:
        return made
    low, high = least or 0, float("inf") if most is None else most
    return _gate(lambda value: low <= len(value) <= high, made)


def _among(allowed: list[Any]) -> CoreSchema:
    if allowed and all(isinstance(each, str) for each in allowed):
        return core.chain_schema([core.str_schema(strict=True), core.literal_schema(allowed)])
    choices = Choices(allowed)
    return _then(lambda value: value in choices, core.any_schema())


def _any(branches: list[CoreSchema]) -> CoreSchema:
    if len(branches) == 1:
        return branches[0]
    return core.union_schema(list(branches), mode="left_to_right")


def _all(parts: list[CoreSchema]) -> CoreSchema:
    if not parts:
        return core.any_schema()
    made = parts[0]
    for part in parts[1:]:
        made = _gate(_accepts(part), made)
    return made


def _gate(check: Accepts, inner: CoreSchema) -> CoreSchema:
    """Check the value as it came: what an inner schema returns may lack members or be rounded."""

    def checked(value: Any, handler: Callable[[Any], Any]) -> Any:
        handler(value)
        if not check(value):
            raise ValueError
        return value

    return core.no_info_wrap_validator_function(checked, inner)


def _gate_first(check: Accepts, inner: CoreSchema) -> CoreSchema:
    """Leave to the reference what an inner schema would collect too many errors of."""

    def checked(value: Any) -> Any:
        if isinstance(value, dict) and not check(value):
            raise ValueError
        return value

    return core.no_info_before_validator_function(checked, inner)


def _then(check: Accepts, inner: CoreSchema) -> CoreSchema:
    """Check a text, which an inner schema returns as it came."""

    def checked(value: Any) -> Any:
        if not check(value):
            raise ValueError
        return value

    return core.no_info_after_validator_function(checked, inner)
