"""One OpenAPI document: its version, its local references, and its schemas as JSON Schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from abs_shield.errors import PolicyError
from abs_shield.text.safe_display import escaped, shown

_MOST_STEPS = 32  # a circle of references would never end
_OLD = "3.0"


@dataclass(frozen=True, slots=True)
class Document:
    """A description of OpenAPI 3.0, 3.1 or later."""

    whole: Mapping[str, Any]

    @classmethod
    def of(cls, whole: Any) -> Document:
        """
        Return the document after validating it.

        Raises:
            PolicyError: The data is not an OpenAPI 3 description, or has no paths.
        """
        if not isinstance(whole, Mapping):
            raise PolicyError(f"it is {shown(whole)}; give an OpenAPI description, an object")
        version = whole.get("openapi")
        if "swagger" in whole:  # Swagger 2 has another form of parameters and schemas
            version_text = shown(whole["swagger"])
            raise PolicyError(f"it is of Swagger {version_text}; convert it to OpenAPI 3 first")
        if not isinstance(version, (str, float)) or not str(version).startswith("3."):
            raise PolicyError(f"`openapi` is {shown(version)}; give a description of OpenAPI 3")
        if not isinstance(whole.get("paths"), Mapping):
            raise PolicyError("it has no `paths`, so there are no operations")
        return cls(whole)

    @property
    def is_old(self) -> bool:
        """True if its schemas follow OpenAPI 3.0, which is not JSON Schema."""
        return str(self.whole["openapi"]).startswith(_OLD)

    def at(self, pointer: str) -> Any:
        """Return the value at a local reference such as ``#/components/schemas/Order``, or None."""
        here: Any = self.whole
        for step in pointer.removeprefix("#").strip("/").split("/") if pointer != "#" else ():
            # a URI may escape characters, and a JSON pointer `~` and `/`
            name = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(here, Mapping):
                here = here.get(name)
            elif isinstance(here, list) and name.isdecimal() and int(name) < len(here):
                here = here[int(name)]
            else:
                return None
        return here

    def resolved(self, part: Any) -> Mapping[str, Any]:
        """Return an object with its own reference resolved; empty if it cannot be."""
        for _ in range(_MOST_STEPS):
            if not isinstance(part, Mapping):
                return {}
            pointer = part.get("$ref")
            if not isinstance(pointer, str):
                return part
            # external files are not fetched
            part = self.at(pointer) if pointer.startswith("#") else None
        return {}

    def objects(self, listed: Any) -> Iterable[Mapping[str, Any]]:
        """Return the objects in a list, with their references resolved."""
        members = listed if isinstance(listed, list) else ()
        return [resolved for each in members if (resolved := self.resolved(each))]


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
