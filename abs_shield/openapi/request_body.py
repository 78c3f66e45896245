"""Convert a request body to arguments: the members of an object, else one argument, ``body``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from abs_shield.openapi.openapi_document import Document
from abs_shield.openapi.openapi_schemas import Schemas

_WHOLE = "body"  # as clients call it
_BRANCHES = frozenset({"anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
_OWN = frozenset({"properties", "required", "additionalProperties", *_BRANCHES})
_MOST_PARTS = 50  # a hostile document may combine thousands


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """
    The arguments of a request body.

    Attributes:
        properties: Converted schemas by name.
        required: The required names.
        others: The schema of further members, or None.
    """

    properties: Mapping[str, Any] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    others: Any = None


def body_of(body: Mapping[str, Any], schemas: Schemas, document: Document) -> Body:
    """Return the arguments of a body; JSON takes precedence over forms, and forms over the rest."""
    schema = _schema(body.get("content"))
    if schema is None:
        return Body()
    needed = body.get("required") is True
    parts = [*_parts(schema, document, set())]
    # branches cannot be divided into arguments
    if not parts or not all(_is_plain(part) for part in parts):
        only = {_WHOLE: schemas.converted(schema)}
        return Body(properties=only, required=(_WHOLE,) if needed else ())
    properties: dict[str, Any] = {}
    for part in parts:
        for name, each in part.get("properties", {}).items():
            if document.resolved(each).get("readOnly") is not True:  # the server sets it
                properties[str(name)] = schemas.converted(each)
    others = [part["additionalProperties"] for part in parts if "additionalProperties" in part]
    listed = [name for part in parts for name in _names(part.get("required"))]
    return Body(
        properties=properties,
        # a body that may be missing requires nothing
        required=tuple(name for name in listed if name in properties) if needed else (),
        others=schemas.converted(others[0]) if others else None,
    )


def _schema(content: Any) -> Any:
    if not isinstance(content, Mapping) or not content:
        return None
    best = min(content, key=lambda kind: _order(str(kind)))
    held = content[best]
    return held.get("schema", {}) if isinstance(held, Mapping) else {}


def _order(kind: str) -> int:
    plain = kind.partition(";")[0].strip().casefold()
    if plain == "application/json":
        return 0
    if plain.endswith("+json"):
        return 1
    return 2 if "form" in plain else 3


def _parts(schema: Any, document: Document, read: set[int]) -> Iterator[Mapping[str, Any]]:
    """Yield the schema, and those that it combines by ``allOf``, each once."""
    resolved = document.resolved(schema)
    inner = resolved.get("allOf")
    if id(resolved) in read:  # schemas may combine themselves
        return
    read.add(id(resolved))
    if not isinstance(inner, list):
        yield resolved
        return
    own = {key: held for key, held in resolved.items() if key != "allOf"}
    if not own.keys().isdisjoint(_OWN):
        yield own
    for each in inner[:_MOST_PARTS]:
        yield from _parts(each, document, read)


def _is_plain(part: Mapping[str, Any]) -> bool:
    """Return whether a schema only describes an object with named members."""
    if part.get("nullable") is True or not part.keys().isdisjoint(_BRANCHES):
        return False
    if part.get("type", "object") != "object":
        return False
    return isinstance(part.get("properties"), Mapping) or "required" in part


def _names(listed: Any) -> list[str]:
    return [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
