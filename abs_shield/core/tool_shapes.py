"""Parsing of tool descriptions of OpenAI, Anthropic, Gemini, Bedrock, MCP and run files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.core.message_parts import UnreadableMessage, keys_of, mapping_of, members_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolShape:
    """A tool's description; *annotations* are MCP's hints."""

    name: str
    description: str = ""
    parameters: Any = None
    annotations: Mapping[str, Any] | None = None


_SCHEMAS = (
    "parameters", "parameters_json_schema", "input_schema", "inputSchema", "parametersJsonSchema",
)  # fmt: skip
_WRAPPERS = ("function", "tool_spec")
_DECLARED = "function_declarations"
_TYPES = frozenset(("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"))
_NUMBERS = frozenset("minItems maxItems minLength maxLength minProperties maxProperties".split())
_DEEPEST = 100  # ends the recursion in a schema that contains itself


def read_tool(tool: Any) -> ToolShape:
    """
    Return a tool of any shape: OpenAI, Anthropic, Gemini, Bedrock, MCP or flat.

    Raises:
        UnreadableMessage: The description has no name, or describes several tools.

    >>> read_tool({"toolSpec": {"name": "lend", "inputSchema": {"json": {}}}}).parameters
    {}
    """
    [shape, *others] = read_tools(tool)
    if others:
        raise UnreadableMessage(f"it describes {1 + len(others)} tools; give them one by one")
    return shape


def read_tools(tool: Any) -> tuple[ToolShape, ...]:
    """
    Return the tools of one entry of a list of tools; an entry of Gemini may have several.

    Raises:
        UnreadableMessage: A tool has no name, or the entry is empty.

    >>> [one.name for one in read_tools({"functionDeclarations": [{"name": "a"}, {"name": "b"}]})]
    ['a', 'b']
    """
    tool = mapping_of(tool, "tool")
    listed = members_of(tool).get(_DECLARED)
    if isinstance(listed, (list, tuple)) and listed:
        return tuple(_shape(mapping_of(each, "tool"), is_gemini=True) for each in listed)
    return (_shape(tool),)


def _shape(tool: Mapping[str, Any], *, is_gemini: bool = False) -> ToolShape:
    members = members_of(tool)
    inner = next((mapping_of(members[k], "tool") for k in _WRAPPERS if k in members), tool)
    name = inner.get("name")
    if not isinstance(name, str) or not name:
        raise UnreadableMessage(f"tool has no `name`, but {keys_of(inner)}")
    keyword = next((name for name in _SCHEMAS if inner.get(name) is not None), "")
    schema = inner.get(keyword)
    if "tool_spec" in members and isinstance(schema, Mapping):
        schema = schema.get("json", schema)
    description = inner.get("description")
    return ToolShape(
        name=name,
        description=description if isinstance(description, str) else "",
        # Only this keyword contains Gemini's dialect; the others contain JSON Schema.
        parameters=_json_schema(schema)
        if is_gemini and keyword == _SCHEMAS[0]
        else restore_optional(schema)
        if inner.get("strict") is True
        else schema,
        annotations=inner.get("annotations"),
    )


def _json_schema(schema: Any, depth: int = 0) -> Any:
    """Return a Gemini schema, which has type names in capitals, as JSON Schema."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return schema
    translated: dict[str, Any] = {}
    for keyword, value in schema.items():
        name = _camel(str(keyword))
        if name == "properties" and isinstance(value, Mapping):
            translated[name] = {k: _json_schema(held, depth + 1) for k, held in value.items()}
        elif name in ("items", "additionalProperties"):
            translated[name] = _json_schema(value, depth + 1)
        elif name in ("anyOf", "prefixItems") and isinstance(value, (list, tuple)):
            translated[name] = [_json_schema(held, depth + 1) for held in value]
        elif name == "type" and isinstance(value, str) and value.upper() in _TYPES:
            translated[name] = value.lower()
        elif name in _NUMBERS and isinstance(value, str) and value.isdigit():
            translated[name] = int(value)  # REST encodes 64-bit integers as strings
        elif name not in ("nullable", "propertyOrdering") and value is not None:
            translated[name] = value
    return _nullable(translated) if schema.get("nullable") is True else translated


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others)) if first else name


_DATA = frozenset({"const", "default", "enum", "examples"})
"""Keywords whose values are data."""
_DEEPEST = 100  # ends the recursion in a schema that contains itself


def restore_optional(schema: Any, depth: int = 0) -> Any:
    """
    Return a strict schema without the requirement of members that may be omitted.

    Only OpenAI's own models always write every member. Others omit those that are optional for the
    tool: it has a default for them, or rejects the call itself.

    >>> restore_optional({"properties": {"a": {}, "b": {"default": 1}}, "required": ["a", "b"]})
    {'properties': {'a': {}, 'b': {'default': 1}}, 'required': ['a']}
    """
    if depth > _DEEPEST:
        return schema
    if isinstance(schema, list):
        return [restore_optional(each, depth + 1) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    restored = {
        key: inner if key in _DATA else restore_optional(inner, depth + 1)
        for key, inner in schema.items()
    }
    required, members = schema.get("required"), schema.get("properties")
    if isinstance(required, list) and isinstance(members, Mapping):
        restored["required"] = [n for n in required if not _may_be_omitted(members.get(str(n)))]
    return restored


def _may_be_omitted(schema: Any) -> bool:
    """Return whether a member has a default, or can be null, as strict schemas write optional."""
    if not isinstance(schema, Mapping):
        return False
    unions = schema.get("anyOf")
    forms = [schema, *(unions if isinstance(unions, list) else ())]
    kinds = [form.get("type") for form in forms if isinstance(form, Mapping)]
    return "default" in schema or any(
        kind == "null" or (isinstance(kind, list) and "null" in kind) for kind in kinds
    )
