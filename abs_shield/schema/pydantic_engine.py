"""A fast validator from pydantic-core: it accepts only valid values; others need the reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic_core import CoreSchema, SchemaError, SchemaValidator
from pydantic_core import core_schema as core

from abs_shield.schema import ecma_regex
from abs_shield.schema.formats import checker
from abs_shield.schema.json_equality import EnumValues, are_unique, is_multiple_of

Accepts = Callable[[Any], bool]

_ANNOTATIONS = frozenset(
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
"""The schema of any text, which most parameters have; shared to register tools faster."""
_MOST_EXTRAS = 2_000
"""Maximum additional members of one object; pydantic-core stores an error for each wrong one."""
# Keywords that apply to one type only, which need `type` for a translation.
_TYPED = _NUMBER | _TEXT | _ARRAY | _OBJECT
_EXACT = 2**53  # up to here, a float represents every integer exactly


class Untranslatable(Exception):
    """Raised for a schema without an exact translation to pydantic-core."""


def compile_with_pydantic(schema: dict[str, Any] | bool, *, dialect: str) -> Accepts:
    """Translate a prepared schema; raise Untranslatable if the result would not be exact."""
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
    open_references: tuple[str, ...] = ()
    size: int = 0

    def of(self, schema: Any) -> CoreSchema:
        self.size += 1
        # Number of parts: a larger schema compiles slowly, and the reference can judge it.
        if schema is False or self.size > 2000:
            raise Untranslatable
        if schema is True:
            return core.any_schema()
        # An id changes the base of references.
        if schema is not self.root and ("$id" in schema or "id" in schema):
            raise Untranslatable
        keywords = {k: v for k, v in schema.items() if k not in _ANNOTATIONS and k[:2] != "x-"}
        if schema is self.root:
            keywords.pop("$id", None)
        if self.legacy and "$ref" in keywords:
            # Up to draft 7, the keywords beside a `$ref` are ignored.
            keywords = {"$ref": keywords["$ref"]}
        return _intersection(self._parts(keywords))

    def _parts(self, keywords: dict[str, Any]) -> list[CoreSchema]:
        parts = []
        if "type" in keywords:
            parts.append(self._of_keywords(keywords))
        elif set(keywords) & _TYPED:
            raise Untranslatable
        if set(keywords) - _TYPED - {"$ref", "allOf", "anyOf", "const", "enum", "type"}:
            raise Untranslatable
        if "const" in keywords:
            parts.append(_literal([keywords["const"]]))
        if "enum" in keywords:
            parts.append(_literal(keywords["enum"]))
        if "anyOf" in keywords:
            parts.append(_union([self.of(branch) for branch in keywords["anyOf"]]))
        parts += [self.of(branch) for branch in keywords.get("allOf", ())]
        if "$ref" in keywords:
            parts.append(self._reference(keywords["$ref"]))
        return parts

    def _reference(self, ref: str) -> CoreSchema:
        # A recursive reference has no finite translation.
        if not ref.startswith("#/") or "%" in ref or ref in self.open_references:
            raise Untranslatable
        target = self.root
        for token in ref[2:].split("/"):
            name = token.replace("~1", "/").replace("~0", "~")
            if not isinstance(target, dict) or (target is not self.root and "$id" in target):
                raise Untranslatable
            target = target.get(name)
        if not isinstance(target, (dict, bool)):
            raise Untranslatable
        before, self.open_references = self.open_references, (*self.open_references, ref)
        translated = self.of(target)
        self.open_references = before
        return translated

    def _of_keywords(self, keywords: dict[str, Any]) -> CoreSchema:
        kinds = [keywords["type"]] if isinstance(keywords["type"], str) else keywords["type"]
        return _union([self._of_type(kind, keywords) for kind in kinds])

    def _of_type(self, kind: str, keywords: dict[str, Any]) -> CoreSchema:
        if kind == "null":
            return core.none_schema()
        if kind == "boolean":
            return core.bool_schema(strict=True)
        if kind == "string":
            return _string(keywords)
        if kind in ("integer", "number"):
            return _number(kind, keywords)
        return self._array(keywords) if kind == "array" else self._object(keywords)

    def _array(self, keywords: dict[str, Any]) -> CoreSchema:
        items = keywords.get("items", True)
        if isinstance(items, list):
            raise Untranslatable
        translated = core.list_schema(
            self.of(items),
            strict=True,
            min_length=_whole(keywords.get("minItems")),
            max_length=_whole(keywords.get("maxItems")),
            fail_fast=True,  # an error for each item would take 40 KB of memory per item
        )
        return (
            _check_original(are_unique, translated) if keywords.get("uniqueItems") else translated
        )

    def _object(self, keywords: dict[str, Any]) -> CoreSchema:
        properties, rest = (
            keywords.get("properties", {}),
            keywords.get("additionalProperties", True),
        )
        required = set(keywords.get("required", ()))
        # Such names have the schema of additional members, which cannot be assigned to a field.
        if required - set(properties) and rest is not True:
            raise Untranslatable
        members = {name: self.of(member) for name, member in properties.items()}
        members |= {name: core.any_schema() for name in sorted(required - set(properties))}
        fields = {
            name: core.typed_dict_field(member, required=name in required)
            for name, member in members.items()
        }
        return _check_size(keywords, self._typed_dict(fields, rest))

    def _typed_dict(self, fields: dict[str, core.TypedDictField], rest: Any) -> CoreSchema:
        if isinstance(rest, bool):
            extra: core.ExtraBehavior = "ignore" if rest else "forbid"
            return core.typed_dict_schema(fields, extra_behavior=extra, strict=True)
        translated = core.typed_dict_schema(
            fields, extra_behavior="allow", extras_schema=self.of(rest), strict=True
        )
        return _check_before(lambda value: len(value) <= _MOST_EXTRAS, translated)


def _string(keywords: dict[str, Any]) -> CoreSchema:
    if keywords.keys().isdisjoint(_TEXT):
        return _ANY_TEXT
    translated: CoreSchema = core.str_schema(
        strict=True,
        min_length=_whole(keywords.get("minLength")),
        max_length=_whole(keywords.get("maxLength")),
    )
    if "pattern" in keywords:
        translated = _check_after(ecma_regex.search_of(keywords["pattern"]), translated)
    check = checker(keywords["format"]) if "format" in keywords else None
    return translated if check is None else _check_after(check, translated)


def _number(kind: str, keywords: dict[str, Any]) -> CoreSchema:
    bounds: dict[str, Any] = {}
    for keyword, name in _BOUNDS.items():
        if keyword in keywords:
            bounds[name] = _exact_bound(keywords[keyword])
    if kind == "integer":
        bounds = {name: _whole(bound) for name, bound in bounds.items()}
        translated: CoreSchema = core.int_schema(strict=True, **bounds)
    else:
        translated = core.float_schema(strict=True, allow_inf_nan=False, **bounds)
    if "multipleOf" not in keywords:
        return translated
    step = keywords["multipleOf"]
    return _check_original(lambda number: is_multiple_of(number, step), translated)


def _exact_bound(bound: Any) -> Any:
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


def _check_size(keywords: dict[str, Any], inner: CoreSchema) -> CoreSchema:
    least, most = _whole(keywords.get("minProperties")), _whole(keywords.get("maxProperties"))
    if least is None and most is None:
        return inner
    low, high = least or 0, float("inf") if most is None else most
    return _check_original(lambda value: low <= len(value) <= high, inner)


def _literal(allowed: list[Any]) -> CoreSchema:
    if allowed and all(isinstance(each, str) for each in allowed):
        return core.chain_schema([core.str_schema(strict=True), core.literal_schema(allowed)])
    choices = EnumValues(allowed)
    return _check_after(lambda value: value in choices, core.any_schema())


def _union(branches: list[CoreSchema]) -> CoreSchema:
    if len(branches) == 1:
        return branches[0]
    return core.union_schema(list(branches), mode="left_to_right")


def _intersection(parts: list[CoreSchema]) -> CoreSchema:
    if not parts:
        return core.any_schema()
    translated = parts[0]
    for part in parts[1:]:
        translated = _check_original(_accepts(part), translated)
    return translated


def _check_original(check: Accepts, inner: CoreSchema) -> CoreSchema:
    """Check the original value: an inner schema's result may lack members or be rounded."""

    def checked(value: Any, handler: Callable[[Any], Any]) -> Any:
        handler(value)
        if not check(value):
            raise ValueError
        return value

    return core.no_info_wrap_validator_function(checked, inner)


def _check_before(check: Accepts, inner: CoreSchema) -> CoreSchema:
    """Check a value first, so that the inner schema cannot collect too many errors."""

    def checked(value: Any) -> Any:
        if isinstance(value, dict) and not check(value):
            raise ValueError
        return value

    return core.no_info_before_validator_function(checked, inner)


def _check_after(check: Accepts, inner: CoreSchema) -> CoreSchema:
    """Check a text after the inner schema, which returns it unchanged."""

    def checked(value: Any) -> Any:
        if not check(value):
            raise ValueError
        return value

    return core.no_info_after_validator_function(checked, inner)
