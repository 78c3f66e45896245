"""The tools in the shape of a provider's API, to offer them to the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any, Literal

from abs_shield.errors import PolicyError
from abs_shield.policy import Tool
from abs_shield.policy.tool_declaration import HINTS
from abs_shield.schema.decimal_format import PREFIX
from abs_shield.schema.duration_pattern import DURATION
from abs_shield.schema.subschemas import BY_NAME, MANY, ONE
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped, shown

FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)
"""String formats that the strict mode of every provider accepts."""

Provider = Literal["openai", "responses", "anthropic", "gemini", "bedrock", "mcp"]

# Not after an odd number of backslashes: `\(?=` is an escaped parenthesis, not a lookahead.
_LOOKAROUND = re.compile(r"(?:[^\\]|^)(?:\\\\)*\(\?<?[=!]")
_DEEPEST = 100
"""Depth to which a schema is converted, because it may contain itself."""


def tool_schemas(provider: str, tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """
    Return tools in the shape of a provider's API.

    >>> (shape,) = tool_schemas("anthropic", [Tool(name="help", description="Show the help.")])
    >>> shape["name"], shape["input_schema"]
    ('help', {'type': 'object', 'properties': {}})

    Raises:
        PolicyError: The provider is unknown.
    """
    shape = SHAPES.get(provider) if isinstance(provider, str) else None
    if shape is None:
        near = nearest(provider, SHAPES) if isinstance(provider, str) else []
        hint = f"did you mean `{near[0]}`?" if near else f"use one of {', '.join(SHAPES)}"
        raise PolicyError(f"tool_schemas: no provider is named {shown(provider)}; {hint}")
    shapes = [shape(tool, _parameters(tool)) for tool in tools]
    # Gemini expects all functions in one entry.
    return [{"functionDeclarations": shapes}] if shapes and shape is _gemini else shapes


def _openai(tool: Tool, parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {**_name_and_description(tool), "parameters": parameters},
    }


def _responses(tool: Tool, parameters: dict[str, Any]) -> dict[str, Any]:
    # this API is strict by default, and then rejects schemas with optional parameters
    return {
        "type": "function",
        **_name_and_description(tool),
        "parameters": parameters,
        "strict": False,
    }


def _anthropic(tool: Tool, parameters: dict[str, Any]) -> dict[str, Any]:
    return {**_name_and_description(tool), "input_schema": parameters}


def _gemini(tool: Tool, parameters: dict[str, Any]) -> dict[str, Any]:
    return {**_name_and_description(tool), "parametersJsonSchema": parameters}


def _bedrock(tool: Tool, parameters: dict[str, Any]) -> dict[str, Any]:
    # this API rejects an empty description
    described = {name: text for name, text in _name_and_description(tool).items() if text}
    return {"toolSpec": {**described, "inputSchema": {"json": parameters}}}


def _mcp(tool: Tool, parameters: dict[str, Any]) -> dict[str, Any]:
    hints = {hint: True for hint, own in HINTS.items() if getattr(tool, own)}
    return {**_name_and_description(tool), "inputSchema": parameters} | (
        {"annotations": hints} if hints else {}
    )


def _name_and_description(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description}


SHAPES: Mapping[str, Callable[[Tool, dict[str, Any]], dict[str, Any]]] = {
    "openai": _openai,
    "responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock": _bedrock,
    "mcp": _mcp,
}
"""Functions that build the shape of a tool, by provider."""


def _parameters(tool: Tool) -> dict[str, Any]:
    """Return the schema for the model, without keywords that a strict mode rejects."""
    if not isinstance(tool.parameters, Mapping):
        return {"type": "object", "properties": {}}
    return {"type": "object", **_copy_portable(dict(tool.parameters))}


def _copy_portable(schema: Any, depth: int = 0) -> Any:
    """Return a copy of *schema* without the formats and patterns that a provider may reject."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return deepcopy(schema)
    viewed: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in BY_NAME and isinstance(value, Mapping):
            viewed[keyword] = {
                name: _copy_portable(item, depth + 1) for name, item in value.items()
            }
        elif keyword in MANY and isinstance(value, (list, tuple)):
            viewed[keyword] = [_copy_portable(item, depth + 1) for item in value]
        elif keyword in ONE:
            viewed[keyword] = _copy_portable(value, depth + 1)
        else:
            viewed[keyword] = deepcopy(value)
    return _move_to_description(viewed)


def _move_to_description(schema: dict[str, Any]) -> dict[str, Any]:
    """Return *schema* with unsupported formats and patterns moved to its description."""
    notes: list[str] = []
    # The pattern only adds a sign to the format, which providers support.
    if schema.get("pattern") == DURATION:
        schema = {**schema, "pattern": None, "format": "duration"}
    elif isinstance(schema.get("pattern"), str) and _LOOKAROUND.search(schema["pattern"]):
        # the pattern of a decimal needs no note: it only excludes texts such as "-" and "."
        notes += [] if _is_decimal(schema) else [f"pattern: {schema['pattern']}"]
        schema = {**schema, "pattern": None}
    form = schema.get("format")
    if isinstance(form, str) and form not in FORMATS:
        bounds = form.removeprefix(PREFIX)
        notes.insert(0, f"format: {escaped(form)}" if bounds == form else f"a number {bounds}")
        schema = {**schema, "format": None}
    schema = {k: v for k, v in schema.items() if v is not None or k not in ("pattern", "format")}
    if notes:
        described = schema.get("description")
        words = [described] if isinstance(described, str) and described else []
        schema["description"] = "; ".join([*words, *notes])
    return schema


def _is_decimal(schema: Mapping[str, Any]) -> bool:
    """Return whether the pattern of a schema is one that pydantic writes for a `Decimal`."""
    return str(schema["pattern"]).startswith("^(?!^[-+.]*$)")
