"""Reads the SDK's tools, calls and items, each in the shape that the door takes."""

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

_TEXT = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
    "additionalProperties": False,
}
"""What a custom tool takes: one free text."""
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
_SHOWN = (ToolOutputFileContent, ToolOutputImage)
"""Outputs that the model sees, and we do not: the items of its next request say that."""


def tool_shape(tool: Any) -> dict[str, Any]:
    """Give a function tool or a custom tool, named as a call of it is."""
    if isinstance(tool, CustomTool):
        return {"name": tool.name, "description": tool.description, "parameters": _TEXT}
    hints = getattr(tool, "mcp_annotations", None)  # since 0.24
    return {
        "name": tool.qualified_name,
        "description": tool.description,
        "parameters": tool.params_json_schema,
        "annotations": None if hints is None else hints.model_dump(exclude_none=True),
    }


def handoff_shapes(targets: Any) -> list[dict[str, Any]]:
    """Give the tools by which an agent hands off."""
    shapes = []
    for target in targets:
        if isinstance(target, Handoff):
            shapes.append({"name": target.tool_name, "parameters": target.input_json_schema})
        elif isinstance(target, Agent):
            shapes.append({"name": Handoff.default_tool_name(target), "parameters": {}})
    return shapes


def call_of(item: Any) -> ToolCall | None:
    """Give the call that an item of the model's answer holds, its arguments as it wrote them."""
    kind = member(item, "type")
    name = _qualified(member(item, "name"), member(item, "namespace"))
    call_id = id_of(member(item, "call_id"))
    if kind == "function_call":
        return ToolCall(name, member(item, "arguments"), call_id)
    if kind == "custom_tool_call":
        return ToolCall(name, {"input": member(item, "input")}, call_id)
    return None


def told(item: Any, waits: Collection[str | None]) -> Any:
    """
    Give one item of what the model is sent, as a message.

    Args:
        item: An item of the Responses API.
        waits: Ids of calls that were proposed and never dispatched: they were answered by the
            SDK, a guardrail or a human, and did not run.
    """
    if not isinstance(item, Mapping):
        return item
    if item.get("namespace") and item.get("type") == "function_call":
        return {**item, "name": _qualified(item.get("name"), item.get("namespace"))}
    if item.get("type") in _OUTPUTS and id_of(item.get("call_id")) in waits:
        return {**item, "error": True}
    return item


def given(value: Any) -> Any:
    """
    Give what a tool returned as it is judged: data as data, though the model reads its ``str``.

    Of the SDK's own outputs it is what their texts say, one after the other.
    """
    parts = value if isinstance(value, (list, tuple)) else [value]
    texts = [_text(part) for part in parts if not isinstance(part, _SHOWN)]
    if texts and None not in texts:
        return "\n".join(map(str, texts))
    return value if isinstance(as_json(value), (Mapping, list, tuple)) else str(value)


def _text(part: Any) -> str | None:
    """The text of one of the SDK's texts, as an object or as a dict; None of anything else."""
    if isinstance(part, ToolOutputText):
        return str(part.text)
    if isinstance(part, dict) and part.keys() == {"type", "text"} and part["type"] == "text":
        return part["text"] if isinstance(part["text"], str) else None
    return None


def member(item: Any, name: str) -> Any:
    """Give a member of a dict, or of an SDK's object."""
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)


def _qualified(name: Any, namespace: Any) -> str:
    """A tool's name; a tool that was loaded late bears its own name as a namespace."""
    return str(name) if not namespace or namespace == name else f"{namespace}.{name}"
