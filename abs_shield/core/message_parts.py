"""
Conversion of the parts of messages to blocks with a ``type``, and the error for others.

A part of Gemini's and Bedrock's messages has no ``type``: the one member that it has says what it
is. REST and boto3 write ``functionCall`` and ``toolUse``, the SDK of Gemini dumps
``function_call``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from abs_shield.core.events import Role
from abs_shield.errors import ShieldError
from abs_shield.text.safe_display import escaped

TEXT_BLOCKS = frozenset({"text", "input_text", "output_text", "refusal"})
"""Types of the blocks that hold text."""
_LISTED = 8  # keys in an error message: enough to recognise a shape, and fit on one line


class UnreadableMessage(ShieldError, ValueError):
    """A message, tool or call has an unknown shape."""


def keys_of(value: Mapping[str, Any]) -> str:
    """Return the member names of an unknown shape, for an error message."""
    names = [f"`{escaped(str(name), limit=40)}`" for name in value]
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"the keys {', '.join(names[:_LISTED])}{more}" if names else "no keys"


def kind_of(part: Mapping[str, Any]) -> str:
    """Return the ``type`` of a part; empty if it has none."""
    kind = part.get("type", "")
    return kind if isinstance(kind, str) else type(kind).__name__


def has_members(part: Any) -> bool:
    """Return whether *part* is a mapping or an SDK model."""
    return isinstance(part, Mapping) or hasattr(part, "model_dump")


def mapping_of(value: Any, what: str) -> Mapping[str, Any]:
    """
    Return a mapping, or an SDK model, as a mapping.

    Raises:
        UnreadableMessage: The value is neither, or reading it raises; *what* names it.
    """
    if type(value) is dict:
        return value
    try:
        if isinstance(value, Mapping):
            return dict(value)
        dump = getattr(value, "model_dump", None)
        if callable(dump):
            return _dump(dump)
    except Exception as error:  # reading a caller's object may raise
        raise UnreadableMessage(f"{what} cannot be read: {type(error).__name__}") from None
    raise UnreadableMessage(f"{what} is of type {type(value).__name__}; give an object")


def _dump(dump: Callable[..., Any]) -> Mapping[str, Any]:
    """Return an SDK model as a mapping, without pydantic's warnings about unexpected types."""
    try:
        # Without nulls, because SDK models have one for every missing member.
        return cast("Mapping[str, Any]", dump(mode="json", exclude_none=True, warnings=False))
    except TypeError:  # a method of the caller's without these options
        return cast("Mapping[str, Any]", dump(mode="json", exclude_none=True))


BODY = frozenset({"content", "parts", "tool_calls", "function_call", "refusal", "audio", "error"})
"""Members that contain the text, the proposed calls or the results of a message."""
_ABOUT = frozenset(
    {
        "role", "name", "id", "at", "type", "status", "annotations", "tool_call_id", "call_id",
        "reasoning", "reasoning_content", "thinking", "is_error", "isError", "model", "created_at",
    }
)  # fmt: skip
"""Members with metadata only."""
_MENTIONING_ROLES: tuple[Role, ...] = ("user", "system")
"""Roles whose words count as mentions; their messages must never be mistaken for empty."""
SHAPES = (
    "a message has a `role`, and `content` (OpenAI, Anthropic, Bedrock), `tool_calls` or `parts`"
    " (Gemini)"
)


def may_be_lost(message: Mapping[str, Any], role: Role, *, is_empty: bool) -> bool:
    """
    Return whether a message from which nothing was read may have content.

    Args:
        message: The message.
        role: Its role; the agent's own words do not count as mentions.
        is_empty: Whether its content is explicitly empty, such as an empty string.

    >>> may_be_lost({"role": "user", "content": "", "images": ["iVBO"]}, "user", is_empty=True)
    True
    """
    return role in _MENTIONING_ROLES and (not is_empty or _has_unread_member(message))


def _has_unread_member(message: Mapping[str, Any]) -> bool:
    return any(held and name not in _ABOUT and name not in BODY for name, held in message.items())


def require_body(message: Mapping[str, Any], role: Role | None = None) -> None:
    """
    Raise if a message has an unknown shape; it would otherwise count as empty.

    Args:
        message: The message.
        role: Its role, if it has text; a user's text is never in a member that is null.

    Raises:
        UnreadableMessage: None of its members is a known member for content.
    """
    names = [name for name in BODY if name in message]
    if names and (
        role not in _MENTIONING_ROLES or any(message[name] is not None for name in names)
    ):
        return
    if _has_unread_member(message):
        raise UnreadableMessage(
            f"message has {keys_of(message)}, which are not known here; {SHAPES}"
        )


_CAPITAL = re.compile(r"(?<=[a-z])([A-Z])")
UNSEEN = frozenset(
    {
        "inline_data", "file_data", "executable_code", "code_execution_result", "image",
        "document", "video", "audio", "search_result", "tool_call", "tool_response",
    }
)  # fmt: skip
"""Parts with content that only the model can see, such as images."""
_SILENT = frozenset({"reasoning_content", "cache_point", "thought_signature"})
NAMES = frozenset(
    {
        "text", "function_call", "function_response", "tool_use", "tool_result", "guard_content",
        "citations_content", *UNSEEN, *_SILENT,
    }
)  # fmt: skip
_VALUES = ("output", "result")
"""Members of a function's response that contain its value, by Gemini's convention."""


def snake(name: str) -> str:
    """
    Return the name of a member in snake case.

    >>> snake("functionCall"), snake("tool_use")
    ('function_call', 'tool_use')
    """
    return _CAPITAL.sub(r"_\1", name).lower()


def members_of(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a part that are not null, by their names in snake case."""
    return {snake(str(name)): held for name, held in part.items() if held is not None}


def block_of(part: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """
    Return a part of Gemini or Bedrock as a block with a ``type``; None for anything else.

    >>> block_of({"toolUse": {"toolUseId": "t1", "name": "refund", "input": {"id": "tx_1"}}})
    {'type': 'tool_use', 'id': 't1', 'name': 'refund', 'input': {'id': 'tx_1'}}
    >>> block_of({"functionResponse": {"name": "find", "response": {"output": [7]}}})
    {'type': 'tool_result', 'tool_use_id': None, 'name': 'find', 'content': [7], 'is_error': False}
    """
    held = members_of(part)
    kinds = [name for name in held if name in NAMES]
    if not kinds:
        return None
    # Calls and results before texts: a call's part also has members such as a thought's signature.
    for kind in ("function_call", "function_response", "tool_use", "tool_result"):
        if kind in held:
            inner = held[kind]
            return _BLOCKS[kind](members_of(inner)) if isinstance(inner, Mapping) else None
    if held.get("thought") is True or _SILENT.issuperset(kinds):
        return {"type": "thinking"}
    if "text" in held:
        return {"type": "text", "text": held["text"]}
    if (text := _wrapped_text(held)) is not None:
        return {"type": "text", "text": text}
    return {"type": next(kind for kind in kinds if kind not in _SILENT)}


def _function_call(inner: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "function_call", "call_id": inner.get("id"), "name": inner.get("name"),
        "arguments": inner.get("args", inner.get("arguments")),
    }  # fmt: skip


def _tool_use(inner: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "tool_use", "id": inner.get("tool_use_id"), "name": inner.get("name"),
        "input": inner.get("input"),
    }  # fmt: skip


def _function_response(inner: Mapping[str, Any]) -> dict[str, Any]:
    value, error = inner.get("response"), False
    if isinstance(value, Mapping) and len(value) == 1:
        # A single member is Gemini's wrapper of the value; several members are the value itself.
        [(name, held)] = value.items()
        error = name == "error"
        value = held if error or name in _VALUES else value
    shown = [{"type": snake(str(name)), "data": ""} for part in inner.get("parts") or ()
             if isinstance(part, Mapping) for name in part]  # fmt: skip
    return {
        "type": "tool_result", "tool_use_id": inner.get("id"), "name": inner.get("name"),
        "content": value, "is_error": error,
    } | ({"shown": shown} if shown else {})  # fmt: skip


def _tool_result(inner: Mapping[str, Any]) -> dict[str, Any]:
    content = inner.get("content")
    items = content if isinstance(content, (list, tuple)) else [content]
    parts = [members_of(item) if isinstance(item, Mapping) else {"text": item} for item in items]
    values = [part["json"] for part in parts if "json" in part]
    texts = [{"type": "text", "text": part["text"]} for part in parts if "text" in part]
    shown = [{"type": kind, "data": ""} for part in parts for kind in part if kind in UNSEEN]
    value: Any = texts if not values else values[0] if len(values) == 1 and not texts else None
    if value is None:
        value = [part.get("json", part.get("text")) for part in parts if not UNSEEN & part.keys()]
    return {
        "type": "tool_result", "tool_use_id": inner.get("tool_use_id"), "content": value,
        "is_error": inner.get("status") == "error",
    } | ({"shown": shown} if shown else {})  # fmt: skip


def _wrapped_text(held: Mapping[str, Any]) -> str | None:
    """Return the text that Bedrock wraps in guardrail content, or sends with citations."""
    guarded, cited = held.get("guard_content"), held.get("citations_content")
    if isinstance(guarded, Mapping) and isinstance(guarded.get("text"), Mapping):
        return str(guarded["text"].get("text") or "")
    content = cited.get("content") if isinstance(cited, Mapping) else None
    if not isinstance(content, (list, tuple)):
        return None
    texts = [part.get("text") for part in content if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))


_BLOCKS = {
    "function_call": _function_call,
    "function_response": _function_response,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
}
