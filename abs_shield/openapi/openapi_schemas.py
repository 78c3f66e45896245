"""Convert OpenAPI schemas to JSON Schema, with their local references."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abs_shield.openapi.openapi_document import Document
from abs_shield.text.show import escaped

# names of these are data, not keywords
_SCHEMA_MAPS = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}
)
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_ONE = frozenset(
    "items additionalProperties not if then else contains propertyNames unevaluatedItems "
    "unevaluatedProperties".split()
)
# keywords of OpenAPI that JSON Schema does not have
_LEFT_OUT = frozenset(
    "discriminator xml externalDocs deprecated readOnly writeOnly $schema nullable".split()
)
_BOUNDS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_DEEPEST = 200  # below Python's limit of recursion, with several frames a level


class Schemas:
    """
    Converts the schemas of one operation.

    Attributes:
        defs: The definitions that converted schemas refer to, by name; cycles are kept.
        remarks: References that could not be resolved.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._names: dict[str, str] = {}
        self.defs: dict[str, Any] = {}
        self.remarks: dict[str, None] = {}

    def converted(self, schema: Any, depth: int = 0) -> Any:
        """Return one converted schema; an external reference accepts any value."""
        if isinstance(schema, bool):
            return schema
        # a broken or hostile part accepts anything, which blocks no honest call
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return {}
        result = {
            key: self._convert_member(key, held, depth + 1)
            for key, held in schema.items()
            if isinstance(key, str) and key not in _LEFT_OUT and not key.startswith("x-")
        }
        reference = result.get("$ref")
        if isinstance(reference, str) and (lost := self._follow(reference, result, depth)):
            self.remarks[lost] = None
        return self._convert_3_0(schema, result) if self._document.is_old else result

    def _convert_member(self, key: str, held: Any, depth: int) -> Any:
        if key in _SCHEMA_MAPS and isinstance(held, Mapping):
            return {str(name): self.converted(each, depth) for name, each in held.items()}
        if key in _LISTS and isinstance(held, list):
            return [self.converted(each, depth) for each in held]
        return self.converted(held, depth) if key in _ONE else held

    def _follow(self, reference: str, schema: dict[str, Any], depth: int) -> str:
        """Point the schema at a converted definition; return a remark if that is not possible."""
        del schema["$ref"]
        if not reference.startswith("#"):
            return f"reference `{escaped(reference)}` is not fetched: it admits everything"
        target = self._document.at(reference)
        if not isinstance(target, (Mapping, bool)):
            return f"reference `{escaped(reference)}` cannot be resolved: it admits everything"
        name = self._names.get(reference)
        if name is None:
            name = self._names[reference] = self._definition_name(reference)
            self.defs[name] = {}  # before its content, as it may refer to itself
            self.defs[name] = self.converted(target, depth + 1)
        schema["$ref"] = "#/$defs/" + name.replace("~", "~0").replace("/", "~1")
        return ""

    def _definition_name(self, reference: str) -> str:
        plain = reference.rpartition("/")[2].replace("%", "_") or "root"
        name, n = plain, 1
        while name in self.defs:
            n += 1
            name = f"{plain}_{n}"
        return name

    def _convert_3_0(self, schema: Mapping[str, Any], schema_3_1: dict[str, Any]) -> Any:
        """Convert OpenAPI 3.0 exclusive bounds and nullable types."""
        if "$ref" in schema_3_1:
            return {"$ref": schema_3_1["$ref"]}  # OpenAPI 3.0 ignores siblings of a reference
        for exclusive, bound in _BOUNDS.items():
            # a boolean in OpenAPI 3.0, the bound itself in JSON Schema
            if isinstance(exclusive_flag := schema_3_1.get(exclusive), bool):
                del schema_3_1[exclusive]
                if exclusive_flag and bound in schema_3_1:
                    schema_3_1[exclusive] = schema_3_1.pop(bound)
        return _nullable(schema_3_1) if schema.get("nullable") is True else schema_3_1


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if isinstance(schema.get("type"), str):
        schema["type"] = [schema["type"], "null"]
        # or `null` would still be rejected
        if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
            schema["enum"] = [*schema["enum"], None]
        return schema
    return {"anyOf": [schema, {"type": "null"}]} if schema else schema
