"""Parsing of one proposed call of OpenAI, Anthropic, Gemini, Bedrock, MCP or a run file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from abs_shield.core.events import ToolCall
from abs_shield.core.message_parts import UnreadableMessage, block_of, keys_of, mapping_of
from abs_shield.text.safe_display import LONGEST_NAME, plain_name

_CUSTOM = "custom_tool_call"
CALL_BLOCKS = frozenset({"tool_use", "function_call", _CUSTOM})
"""Types of the blocks that hold a call."""


def read_call(call: Any) -> ToolCall:
    """
    Return a call of any shape: `ToolCall`, OpenAI, Anthropic, Gemini, Bedrock, MCP or flat.

    Raises:
        UnreadableMessage: The call has no name.

    >>> read_call({"id": "c1", "function": {"name": "refund", "arguments": "{}"}}).name
    'refund'
    """
    if isinstance(call, ToolCall):
        return bound_names(call)
    call = mapping_of(call, "call")
    if "type" not in call and "name" not in call and "function" not in call:
        call = block_of(call) or call
    inner = call.get("function", call.get("custom"))
    if inner is not None and not isinstance(inner, str):
        inner = mapping_of(inner, "call")
    else:
        inner = mapping_of(call["params"], "call") if "params" in call else call
    name = inner.get("name")
    if not isinstance(name, str):
        raise UnreadableMessage(
            f"call has no name but a value of type {type(name).__name__} and {keys_of(call)};"
            " give it a `name`"
        )
    # `arguments`: OpenAI; `input`: Anthropic and Bedrock; `args`: Gemini.
    arguments = next((inner[k] for k in ("arguments", "input", "args") if k in inner), None)
    ids = map(id_of, (call.get("call_id"), call.get("id"), call.get("toolUseId")))
    logprobs = call.get("logprobs", inner.get("logprobs"))
    if isinstance(arguments, str) and ("custom" in call or call.get("type") == _CUSTOM):
        arguments = {"input": arguments}  # free text, not JSON
    return ToolCall(plain_name(name), arguments, next(filter(None, ids), None), logprobs)


def id_of(raw: Any) -> str | None:
    """
    Return a call's id as a string of at most 1,024 characters; None if it has none.

    >>> id_of(7), id_of(None), len(id_of("x" * 5000) or "")
    ('7', None, 1024)
    """
    if isinstance(raw, str):
        # `str.__str__`, because a subclass may override `__str__`.
        return str.__str__(raw)[:LONGEST_NAME]
    try:
        return None if raw is None else str(raw)[:LONGEST_NAME]
    except Exception:  # raised by a caller's object
        return None


def bound_names(call: ToolCall) -> ToolCall:
    """Return *call* with a name and an id of bounded length; a missing name becomes empty."""
    name, call_id = call.name, call.id
    short = type(name) is str and len(name) <= LONGEST_NAME
    if short and (call_id is None or (type(call_id) is str and len(call_id) <= LONGEST_NAME)):
        return call
    return replace(call, name=plain_name(call.name), id=id_of(call.id))
