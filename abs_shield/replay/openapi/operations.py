"""Operations as tools: the parameters and the body of each are one object of arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.plan.tool_action import parse_action
from abs_shield.policy import Tool
from abs_shield.policy.tool import LONGEST_NAME
from abs_shield.replay.openapi.openapi_document import Document
from abs_shield.replay.openapi.openapi_schemas import Schemas
from abs_shield.replay.openapi.request_body import Body, body_of
from abs_shield.text.show import escaped
from abs_shield.text.verbs import Does

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_READING = frozenset({"get", "head", "options", "trace"})
_PLACES = ("path", "query", "header")
"""Cookies are the host's."""
_NOT_GIVEN = frozenset({"accept", "content-type", "authorization"})
"""Headers of which the standard says that a description of them counts for nothing."""
_SLUG = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    """
    What a description holds.

    Attributes:
        tools: A tool an operation, in the document's order.
        reasons: Tool to the route that says whether it reads or deletes.
        remarks: Tool to what could not be read of it.
    """

    tools: tuple[Tool, ...]
    reasons: Mapping[str, str]
    remarks: Mapping[str, tuple[str, ...]]


def operations(whole: Any) -> Operations:
    """
    Read an OpenAPI description, 3.0 or 3.1, as it was parsed; nothing is fetched.

    Raises:
        PolicyError: It is none.
    """
    document = Document.of(whole)
    tools: dict[str, Tool] = {}
    reasons: dict[str, str] = {}
    remarks: dict[str, tuple[str, ...]] = {}
    for method, path, said in _operations(document):
        name = _free(_name(method, path, said), tools)
        schemas = Schemas(document)
        parameters = _arguments(said, schemas, document)
        reasons[name] = f"it is `{method.upper()} {escaped(path, limit=200)}`"
        if schemas.remarks:
            remarks[name] = tuple(schemas.remarks)
        tools[name] = Tool(
            name=name,
            description=_described(said),
            parameters=parameters,
            destructive=method == "delete",
            read_only=method in _READING and parse_action(name).does is not Does.UNMAKE,
        )
    return Operations(tools=tuple(tools.values()), reasons=reasons, remarks=remarks)


def _operations(document: Document) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Each operation with its method and path, the parameters of its path among its own."""
    for path, item in document.whole["paths"].items():
        item = document.resolved(item)
        shared = item.get("parameters")
        for method in _METHODS:
            operation = document.resolved(item.get(method))
            if method in item and isinstance(item[method], Mapping):
                own = operation.get("parameters")
                lists = (each for each in (shared, own) if isinstance(each, list))
                yield (
                    method,
                    str(path),
                    {**operation, "parameters": [p for ps in lists for p in ps]},
                )


def _name(method: str, path: str, said: Mapping[str, Any]) -> str:
    given = said.get("operationId")
    if isinstance(given, str) and given.strip():
        return given[:LONGEST_NAME]
    return f"{method}_{_SLUG.sub('_', path).strip('_')}"[:LONGEST_NAME].rstrip("_")


def _free(name: str, taken: Mapping[str, Tool]) -> str:
    made, n = name, 1
    while made in taken:
        n += 1
        made = f"{name[: LONGEST_NAME - 8]}_{n}"
    return made


def _described(said: Mapping[str, Any]) -> str:
    texts = (said.get("summary"), said.get("description"))
    return "\n".join(dict.fromkeys(text for text in texts if isinstance(text, str) and text))


def _arguments(said: Mapping[str, Any], schemas: Schemas, document: Document) -> dict[str, Any]:
    body = body_of(document.resolved(said.get("requestBody")), schemas, document)
    properties: dict[str, Any] = {}
    required: dict[str, None] = {}
    for name, schema, needed in _parameters(said, body, schemas, document):
        properties[name] = schema
        if needed:
            required[name] = None
    properties.update(body.properties)
    required.update(dict.fromkeys(body.required))
    made: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        made["required"] = [*required]
    if body.others is not None:
        made["additionalProperties"] = body.others
    return {**made, "$defs": schemas.defs} if schemas.defs else made


def _parameters(
    said: Mapping[str, Any], body: Body, schemas: Schemas, document: Document
) -> Iterator[tuple[str, Any, bool]]:
    """Each parameter: its name, its schema, and whether it is required; the nearest one counts."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for parameter in document.objects(said["parameters"]):
        name, place = parameter.get("name"), parameter.get("in")
        if not isinstance(name, str) or not name or place not in _PLACES:
            continue
        if place != "header" or name.casefold() not in _NOT_GIVEN:
            found[name, str(place)] = parameter
    for (name, place), parameter in found.items():
        twice = name in body.properties or sum(other == name for other, _ in found) > 1
        needed = parameter.get("required") is True
        yield f"{name}__{place}" if twice else name, _schema(parameter, schemas), needed


def _schema(parameter: Mapping[str, Any], schemas: Schemas) -> Any:
    given = parameter.get("schema")
    content = parameter.get("content")
    if given is None and isinstance(content, Mapping):
        first = next(iter(content.values()), None)
        given = first.get("schema") if isinstance(first, Mapping) else None
    made = schemas.converted(given if given is not None else {})
    about = parameter.get("description")
    if not isinstance(made, dict) or not isinstance(about, str) or "description" in made:
        return made
    whole = {"allOf": [made]} if "$ref" in made else made
    return {**whole, "description": about}
