"""The messages that answer a model's calls, in the shape of the model's message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from abs_shield.core import ToolCall
from abs_shield.core.messages import decode_json

_FUNCTION, _CUSTOM = "function_call", "custom_tool_call"
_GEMINI = {"functionCall": "functionResponse", "function_call": "function_response"}
"""Member name of a call to that of its response, in the REST API and in the SDK."""


class CallAnswer(NamedTuple):
    """
    The answer to one call.

    Attributes:
        call: The call.
        content: The text for the model: the result, the error or the feedback.
        error: Whether the call failed or was blocked.
    """

    call: ToolCall
    content: str
    error: bool


def messages_of(message: Any, answers: list[CallAnswer]) -> list[dict[str, Any]]:
    """Return the messages that answer the calls of *message*, in its provider's shape."""
    # First, because a part of Gemini's SDK has a `function_call`, like OpenAI's old messages.
    if parts := _gemini_parts(message):
        return _gemini(parts, answers)
    if _is_bedrock(message):
        results: list[dict[str, Any]] = [{"toolResult": _bedrock_result(a)} for a in answers]
        return [{"role": "user", "content": results}]
    if _is_anthropic(message):
        blocks = [
            {"type": "tool_result", "tool_use_id": a.call.id, "content": a.content}
            | ({"is_error": True} if a.error else {})
            for a in answers
        ]
        return [{"role": "user", "content": blocks}] if blocks else []
    if _is_responses(message):
        custom = {member(item, "call_id") for item in _items(message) if _has_type(item, _CUSTOM)}
        return [
            {
                "type": f"{_CUSTOM if a.call.id in custom else _FUNCTION}_output",
                "call_id": a.call.id,
                "output": a.content,
            }
            for a in answers
        ]
    if member(message, "function_call"):
        return [{"role": "function", "name": a.call.name, "content": a.content} for a in answers]
    return [
        {"role": "tool", "tool_call_id": a.call.id, "name": a.call.name, "content": a.content}
        | ({"error": True} if a.error else {})
        for a in answers
    ]


def _gemini_parts(message: Any) -> list[Any]:
    """Return the parts with function calls; empty if it is not a Gemini message."""
    parts = member(message, "parts")
    if parts is None and isinstance(message, (list, tuple)):
        parts = [part for part in message if member(part, "role") is None]
    if not isinstance(parts, (list, tuple)):
        return []
    return [part for part in parts if any(member(part, name) for name in _GEMINI)]


def _gemini(parts: list[Any], answers: list[CallAnswer]) -> list[dict[str, Any]]:
    """Return one message with the ids and member names that the model's message uses."""
    field = _GEMINI[next(name for name in _GEMINI if member(parts[0], name))]
    calls = [member(part, name) for part in parts for name in _GEMINI if member(part, name)]
    # Only the model's own ids: it does not know generated ones.
    ids = {member(call, "id") for call in calls} - {None, ""}
    responses = [
        ({"id": a.call.id} if a.call.id in ids else {})
        | {
            "name": a.call.name,
            "response": {"error" if a.error else "output": decode_json(a.content)},
        }
        for a in answers
    ]
    return [{"role": "user", "parts": [{field: response} for response in responses]}]


def _is_bedrock(message: Any) -> bool:
    content = message if isinstance(message, (list, tuple)) else member(message, "content")
    if not isinstance(content, (list, tuple)):
        return False
    return any(member(block, "toolUse") for block in content)


def _bedrock_result(answer: CallAnswer) -> dict[str, Any]:
    status = "error" if answer.error else "success"
    content = [{"text": answer.content}]
    return {"toolUseId": answer.call.id, "content": content, "status": status}


def _is_responses(message: Any) -> bool:
    return any(_has_type(item, _FUNCTION) or _has_type(item, _CUSTOM) for item in _items(message))


def _items(message: Any) -> list[Any]:
    return list(message) if isinstance(message, (list, tuple)) else [message]


def _has_type(part: Any, kind: str) -> bool:
    return bool(member(part, "type") == kind)


def _is_anthropic(message: Any) -> bool:
    content = member(message, "content")
    if not isinstance(content, (list, tuple)):
        return False
    return any(_has_type(block, "tool_use") for block in content)


def member(part: Any, name: str) -> Any:
    """Return a member of a dict or an attribute of an SDK object; None if it is missing."""
    return part.get(name) if isinstance(part, Mapping) else getattr(part, name, None)
