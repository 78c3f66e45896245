"""Conversion of the SDK's tools, calls and items to the formats that the Shield reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from agents import (
    Agent,
    CustomTool,
    Handoff,
    ToolOutputFileContent,
    ToolOutputImage,
    ToolOutputText,
)

from abs_shield.core import ToolCall
from abs_shield.core.messages import id_of
from abs_shield.session.result_json import as_json
from abs_shield.shield.tool_messages import member

_TEXT = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
    "additionalProperties": False,
}
"""Parameters of a custom tool: one free text."""
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
_MODEL_ONLY = (ToolOutputFileContent, ToolOutputImage)
"""Outputs that only the model can read; the items of its next request mark them."""


def tool_shape(tool: Any) -> dict[str, Any]:
    """Return the description of a function tool or a custom tool, with the name used in calls."""
    if isinstance(tool, CustomTool):
        return {"name": tool.name, "description": tool.description, "parameters": _TEXT}
    hints = getattr(tool, "mcp_annotations", None)  # since 0.24
    return {
        "name": tool.qualified_name,
        "description": tool.description,
        "parameters": tool.params_json_schema,
        "strict": tool.strict_json_schema,
        "annotations": None if hints is None else hints.model_dump(exclude_none=True),
    }


def handoff_shapes(targets: Any) -> list[dict[str, Any]]:
    """Return the descriptions of the tools with which an agent hands off."""
    shapes = []
    for target in targets:
        if isinstance(target, Handoff):
            shapes.append({"name": target.tool_name, "parameters": target.input_json_schema})
        elif isinstance(target, Agent):
            shapes.append({"name": Handoff.default_tool_name(target), "parameters": {}})
    return shapes


def call_of(item: Any) -> ToolCall | None:
    """
    Return the call in an item, with the arguments as the model wrote them; None without one.
    """
    kind = member(item, "type")
    name = _qualified_name(member(item, "name"), member(item, "namespace"))
    call_id = id_of(member(item, "call_id"))
    if kind == "function_call":
        return ToolCall(name, member(item, "arguments"), call_id)
    if kind == "custom_tool_call":
        return ToolCall(name, {"input": member(item, "input")}, call_id)
    return None


def as_message(item: Any, undispatched: Collection[str | None]) -> Any:
    """
    Return one input item of the model as a message.

    Args:
        item: An item of the Responses API.
        undispatched: Ids of calls that were proposed but not dispatched: the SDK, a guardrail or a
            person answered them.
    """
    if not isinstance(item, Mapping):
        return item
    if item.get("namespace") and item.get("type") == "function_call":
        return {**item, "name": _qualified_name(item.get("name"), item.get("namespace"))}
    if item.get("type") in _OUTPUTS and id_of(item.get("call_id")) in undispatched:
        return {**item, "error": True}
    return item


def result_value(value: Any) -> Any:
    """
    Return a tool's value for judging.

    Data stays data, although the model reads its ``str``; the SDK's own outputs become their
    joined texts.
    """
    parts = value if isinstance(value, (list, tuple)) else [value]
    texts = [_text(part) for part in parts if not isinstance(part, _MODEL_ONLY)]
    if texts and None not in texts:
        return "\n".join(map(str, texts))
    return value if isinstance(as_json(value), (Mapping, list, tuple)) else str(value)


def _text(part: Any) -> str | None:
    """Return the text of the SDK's text output, an object or a dict; None for anything else."""
    if isinstance(part, ToolOutputText):
        return str(part.text)
    if isinstance(part, dict) and part.keys() == {"type", "text"} and part["type"] == "text":
        return part["text"] if isinstance(part["text"], str) else None
    return None


def _qualified_name(name: Any, namespace: Any) -> str:
    """Return a tool's qualified name; the namespace of a deferred tool is its own name."""
    return str(name) if not namespace or namespace == name else f"{namespace}.{name}"
