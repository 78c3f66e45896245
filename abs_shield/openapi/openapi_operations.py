"""Convert operations to tools: the parameters and the body of each become one object."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from abs_shield.openapi.openapi_document import Document, Schemas
from abs_shield.plan.tool_action import parse_action
from abs_shield.policy import Tool
from abs_shield.policy.tool_declaration import LONGEST_NAME
from abs_shield.text.safe_display import escaped
from abs_shield.text.verbs import VerbEffect

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
    schema = _body_schema(body.get("content"))
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


def _body_schema(content: Any) -> Any:
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


_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_READ_METHODS = frozenset({"get", "head", "options", "trace"})
_PLACES = ("path", "query", "header")
"""Cookies are left out: the host sets them."""
_IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization"})
"""Headers whose description the OpenAPI standard ignores."""
_SLUG = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    """
    The tools of an OpenAPI description.

    Attributes:
        tools: One tool for each operation, in the document's order.
        reasons: The route by tool, which shows whether it reads or deletes.
        remarks: Parts that could not be read, by tool.
    """

    tools: tuple[Tool, ...]
    reasons: Mapping[str, str]
    remarks: Mapping[str, tuple[str, ...]]


def operations(whole: Any) -> Operations:
    """
    Convert a parsed OpenAPI description, 3.0 or 3.1; nothing is fetched.

    Raises:
        PolicyError: The data is not an OpenAPI description.
    """
    document = Document.of(whole)
    tools: dict[str, Tool] = {}
    reasons: dict[str, str] = {}
    remarks: dict[str, tuple[str, ...]] = {}
    for method, path, operation in _iterate_operations(document):
        name = _unique_name(_operation_name(method, path, operation), tools)
        schemas = Schemas(document)
        parameters = _arguments(operation, schemas, document)
        reasons[name] = f"it is `{method.upper()} {escaped(path, limit=200)}`"
        if schemas.remarks:
            remarks[name] = tuple(schemas.remarks)
        tools[name] = Tool(
            name=name,
            description=_description(operation),
            parameters=parameters,
            destructive=method == "delete",
            # `GET /orders/1/delete` exists
            read_only=method in _READ_METHODS and parse_action(name).does is not VerbEffect.UNMAKE,
        )
    return Operations(tools=tuple(tools.values()), reasons=reasons, remarks=remarks)


def _iterate_operations(document: Document) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield each operation with its method and path, including the parameters of its path."""
    for path, item in document.whole["paths"].items():
        item = document.resolved(item)
        shared = item.get("parameters")
        for method in _METHODS:
            operation = document.resolved(item.get(method))
            if method in item and isinstance(item[method], Mapping):
                own = operation.get("parameters")
                # the operation's own come last and win
                lists = (each for each in (shared, own) if isinstance(each, list))
                yield (
                    method,
                    str(path),
                    {**operation, "parameters": [p for ps in lists for p in ps]},
                )


def _operation_name(method: str, path: str, operation: Mapping[str, Any]) -> str:
    operation_id = operation.get("operationId")
    if isinstance(operation_id, str) and operation_id.strip():
        return operation_id[:LONGEST_NAME]
    return f"{method}_{_SLUG.sub('_', path).strip('_')}"[:LONGEST_NAME].rstrip("_")


def _unique_name(name: str, taken: Mapping[str, Tool]) -> str:
    candidate, n = name, 1
    while candidate in taken:
        n += 1
        candidate = f"{name[: LONGEST_NAME - 8]}_{n}"  # room for the number
    return candidate


def _description(operation: Mapping[str, Any]) -> str:
    texts = (operation.get("summary"), operation.get("description"))
    return "\n".join(dict.fromkeys(text for text in texts if isinstance(text, str) and text))


def _arguments(
    operation: Mapping[str, Any], schemas: Schemas, document: Document
) -> dict[str, Any]:
    body = body_of(document.resolved(operation.get("requestBody")), schemas, document)
    properties: dict[str, Any] = {}
    required: dict[str, None] = {}
    for name, schema, needed in _parameters(operation, body, schemas, document):
        properties[name] = schema
        if needed:
            required[name] = None
    properties.update(body.properties)
    required.update(dict.fromkeys(body.required))
    object_schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        object_schema["required"] = [*required]
    if body.others is not None:
        object_schema["additionalProperties"] = body.others
    return {**object_schema, "$defs": schemas.defs} if schemas.defs else object_schema


def _parameters(
    operation: Mapping[str, Any], body: Body, schemas: Schemas, document: Document
) -> Iterator[tuple[str, Any, bool]]:
    """
    Yield each parameter: name, schema, and whether it is required; the innermost definition counts.
    """
    by_name: dict[tuple[str, str], Mapping[str, Any]] = {}
    for parameter in document.objects(operation["parameters"]):
        name, place = parameter.get("name"), parameter.get("in")
        if not isinstance(name, str) or not name or place not in _PLACES:
            continue
        if place != "header" or name.casefold() not in _IGNORED_HEADERS:
            by_name[name, str(place)] = parameter
    for (name, place), parameter in by_name.items():
        # OpenAPI allows one name in the path and in the query
        twice = name in body.properties or sum(other == name for other, _ in by_name) > 1
        needed = parameter.get("required") is True
        yield f"{name}__{place}" if twice else name, _schema(parameter, schemas), needed


def _schema(parameter: Mapping[str, Any], schemas: Schemas) -> Any:
    source = parameter.get("schema")
    content = parameter.get("content")
    if source is None and isinstance(content, Mapping):
        first = next(iter(content.values()), None)  # OpenAPI allows one entry
        source = first.get("schema") if isinstance(first, Mapping) else None
    converted = schemas.converted(source if source is not None else {})
    about = parameter.get("description")
    if not isinstance(converted, dict) or not isinstance(about, str) or "description" in converted:
        return converted
    # OpenAPI 3.0 ignores what is beside a reference
    whole = {"allOf": [converted]} if "$ref" in converted else converted
    return {**whole, "description": about}
