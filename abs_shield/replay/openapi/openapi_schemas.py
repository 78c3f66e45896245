"""Schemas of OpenAPI as JSON Schema, with what they refer to inside the document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abs_shield.replay.openapi.openapi_document import Document
from abs_shield.text.show import escaped

_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"})
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_ONE = frozenset(
    "items additionalProperties not if then else contains propertyNames unevaluatedItems "
    "unevaluatedProperties".split()
)
_LEFT_OUT = frozenset(
    "discriminator xml externalDocs deprecated readOnly writeOnly $schema nullable".split()
)
_BOUNDS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_DEEPEST = 200


class Schemas:
    """
    Converts the schemas of one operation.

    Attributes:
        defs: What the converted schemas refer to, by name; a cycle stays one.
        remarks: What could not be followed.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._names: dict[str, str] = {}
        self.defs: dict[str, Any] = {}
        self.remarks: dict[str, None] = {}

    def converted(self, schema: Any, depth: int = 0) -> Any:
        """Return one schema; a reference that leads out of the document admits everything."""
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return {}
        made = {
            key: self._held(key, held, depth + 1)
            for key, held in schema.items()
            if isinstance(key, str) and key not in _LEFT_OUT and not key.startswith("x-")
        }
        reference = made.get("$ref")
        if isinstance(reference, str) and (lost := self._follow(reference, made, depth)):
            self.remarks[lost] = None
        return self._old(schema, made) if self._document.is_old else made

    def _held(self, key: str, held: Any, depth: int) -> Any:
        if key in _NAMED and isinstance(held, Mapping):
            return {str(name): self.converted(each, depth) for name, each in held.items()}
        if key in _LISTS and isinstance(held, list):
            return [self.converted(each, depth) for each in held]
        return self.converted(held, depth) if key in _ONE else held

    def _follow(self, reference: str, made: dict[str, Any], depth: int) -> str:
        """Point *made* at a definition of our own; say what was lost where there is none."""
        del made["$ref"]
        if not reference.startswith("#"):
            return f"reference `{escaped(reference)}` is not fetched: it admits everything"
        target = self._document.at(reference)
        if not isinstance(target, (Mapping, bool)):
            return f"reference `{escaped(reference)}` leads nowhere: it admits everything"
        name = self._names.get(reference)
        if name is None:
            name = self._names[reference] = self._named(reference)
            self.defs[name] = {}
            self.defs[name] = self.converted(target, depth + 1)
        made["$ref"] = "#/$defs/" + name.replace("~", "~0").replace("/", "~1")
        return ""

    def _named(self, reference: str) -> str:
        plain = reference.rpartition("/")[2].replace("%", "_") or "root"
        name, n = plain, 1
        while name in self.defs:
            n += 1
            name = f"{plain}_{n}"
        return name

    def _old(self, schema: Mapping[str, Any], made: dict[str, Any]) -> Any:
        """What OpenAPI 3.0 says in its own words: exclusive bounds and null."""
        if "$ref" in made:
            return {"$ref": made["$ref"]}  # in 3.0 what stands beside a reference does not count
        for exclusive, bound in _BOUNDS.items():
            if isinstance(said := made.get(exclusive), bool):
                del made[exclusive]
                if said and bound in made:
                    made[exclusive] = made.pop(bound)
        return _nullable(made) if schema.get("nullable") is True else made


def _nullable(made: dict[str, Any]) -> dict[str, Any]:
    if isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
        if isinstance(made.get("enum"), list) and None not in made["enum"]:
            made["enum"] = [*made["enum"], None]
        return made
    return {"anyOf": [made, {"type": "null"}]} if made else made
