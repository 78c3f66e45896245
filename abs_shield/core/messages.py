"""Parsing of messages and calls of OpenAI, Anthropic, Gemini, Bedrock, MCP and run files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from math import isfinite
from typing import Any

from abs_shield.core.events import Event, MessageText, Opaque, Proposed, Returned, Role, ToolCall
from abs_shield.core.message_parts import (
    BODY,
    NAMES,
    SHAPES,
    UNSEEN,
    UnreadableMessage,
    block_of,
    has_members,
    keys_of,
    mapping_of,
    may_be_lost,
    members_of,
    require_body,
)
from abs_shield.text.safe_display import LONGEST_NAME, plain_name, shown

__all__ = [
    "UnreadableMessage", "bound_names", "decode_json", "id_of", "is_failed", "read_call",
    "read_calls", "read_message", "text_of",
]  # fmt: skip

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
}
_TEXT_BLOCKS = frozenset({"text", "input_text", "output_text", "refusal"})
_SILENT_BLOCKS = frozenset({"thinking", "redacted_thinking", "reasoning"})
_CUSTOM = "custom_tool_call"
_CALL_BLOCKS = frozenset({"tool_use", "function_call", _CUSTOM})
_RESULT_BLOCKS = frozenset({"tool_result", "function_call_output", "custom_tool_call_output"})
_UNSEEN_BLOCKS = frozenset(
    {"image", "image_url", "input_image", "document", "input_file", "audio", "input_audio"}
)
_CONTENT = frozenset({"role", "parts"})
"""Members of Gemini's ``Content``."""
_PARTS = "a part has a `type`, or one of `text`, `functionCall`, `functionResponse`, `toolUse`"
_UNSEEN_CONTENT = frozenset({"source", "data", "image_url", "file_id", "file_data", "input_audio"})


def read_message(message: Any) -> Iterator[Event]:
    """
    Yield the events of one message: its texts, proposed calls and results.

    Raises:
        UnreadableMessage: The message has none of the known shapes.

    >>> [type(e).__name__ for e in read_message({"role": "user", "content": "hello"})]
    ['MessageText']
    """
    message = mapping_of(message, "message")
    at = _time(message.get("at"))
    kind = _kind(message)
    if kind in _CALL_BLOCKS and "role" not in message:
        yield Proposed((read_call(message),), at)
        return
    if kind in _RESULT_BLOCKS and "role" not in message:
        yield _result_block(message, at)
        yield from _unseen(message.get("output"), at)
        return
    if kind in _SILENT_BLOCKS and "role" not in message:
        return
    if kind and "role" not in message:
        # cut, because the text of an unknown type may be long
        yield Opaque(f"an item of type {kind[:40]} holds content that was not read", at)
        return
    role = _role(message)
    # Messages of Gemini's function role have results as their parts.
    if role in ("tool", "function") and message.get("parts"):
        yield from _turn("user", message, at)
    elif role in ("tool", "function"):
        yield _tool_message(message, at)
        yield from _unseen(message.get("content"), at)
    elif isinstance(role, str) and role in _ROLES:
        yield from _turn(_ROLES[role], message, at)
    else:
        raise UnreadableMessage(
            f"message has role {shown(role, limit=40)} and {keys_of(message)}; "
            f"roles are system, developer, user, assistant, model, tool; {SHAPES}"
        )


def _role(message: Mapping[str, Any]) -> Any:
    """Return a message's role; a Gemini ``Content`` without one is the user's by default."""
    role, parts = message.get("role"), message.get("parts")
    if role is not None or any(message[name] is not None for name in message.keys() - _CONTENT):
        return role
    if not isinstance(parts, (list, tuple)):
        return role
    blocks = [block_of(part) for part in parts if isinstance(part, Mapping)]
    # Only the model calls functions, so text beside a call is not the user's.
    calls = any(block is not None and _kind(block) in _CALL_BLOCKS for block in blocks)
    return "assistant" if calls else "user"


def read_calls(message: Any) -> tuple[ToolCall, ...]:
    """Return all calls that an assistant message, or a list of calls, proposes."""
    if isinstance(message, ToolCall):
        return (bound_names(message),)
    if isinstance(message, (list, tuple)):
        return tuple(call for part in message for call in read_calls(part))
    message = mapping_of(message, "message")
    # `function_call` is a member of OpenAI's legacy messages and of Gemini's parts.
    if (_SPOKEN - {"function_call"}).isdisjoint(message):
        message = block_of(message) or message
    if "role" not in message and not message.keys().isdisjoint(_CALLED):
        return () if _kind(message) in _RESULT_BLOCKS else (read_call(message),)
    if message.keys().isdisjoint(_SPOKEN) and not message.get("parts"):
        raise UnreadableMessage(
            f"neither a message nor a call, but {keys_of(message)}; give the assistant's message, "
            "such as `response.choices[0].message`, `response.candidates[0].content` or "
            '`response["output"]["message"]`, or a list of calls'
        )
    if "type" in message and BODY.isdisjoint(message):
        return ()  # a block that is not a call
    try:
        events = [*read_message({"role": "assistant", **message})]
    except UnreadableMessage:
        # One malformed call must not hide the valid ones beside it.
        return _one_by_one(message)
    calls = tuple(c for event in events if isinstance(event, Proposed) for c in event.calls)
    return calls or _none_unread(message)


def _none_unread(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """
    Return no calls.

    Raises:
        UnreadableMessage: A block of unknown shape has a name and arguments, so may be a call.
    """
    content = message.get("content") or message.get("parts")
    blocks = content if isinstance(content, (list, tuple)) else (content,)
    for block in blocks:
        if not isinstance(block, Mapping) or "type" in block or block_of(block) is not None:
            continue
        for inner in (block, *block.values()):
            if isinstance(inner, Mapping) and "name" in inner and not _ARGUMENTS.isdisjoint(inner):
                raise UnreadableMessage(f"a part has {keys_of(_block_members(block))}; {_PARTS}")
    return ()


def _one_by_one(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """Return the calls of a message; a part that cannot be parsed becomes a nameless call."""
    content = message.get("content") or message.get("parts")
    blocks = content if isinstance(content, (list, tuple)) else ()
    typed = [_with_type_or_none(b) for b in blocks if isinstance(b, Mapping)]
    inside = [b for b in typed if b is not None and _kind(b) in _CALL_BLOCKS]
    listed = message.get("tool_calls")
    parts = [*inside, *(listed if isinstance(listed, (list, tuple)) else ())]
    if not any(isinstance(part, Mapping) for part in parts):
        raise UnreadableMessage("no call of this message can be read; give `id` and `function`")
    return tuple(_call_or_nameless(part) for part in parts)


def _call_or_nameless(part: Any) -> ToolCall:
    try:
        return read_call(part)
    except UnreadableMessage:
        call = part.get("id") if isinstance(part, Mapping) else None
        return ToolCall("", None, call if isinstance(call, str) else None)


_CALLED = frozenset({"name", "function", "custom", "params"})
_ARGUMENTS = frozenset({"arguments", "input", "args"})
_SPOKEN = frozenset({"role", "type", "content", "tool_calls", "function_call"})


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


def text_of(content: Any) -> str:
    """
    Return a message's text as a plain string.

    Raises:
        UnreadableMessage: The content is not text.
    """
    if not isinstance(content, str):
        raise UnreadableMessage(
            f"a message's text is of type {type(content).__name__}; give a string"
        )
    return str.__str__(content)


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


def decode_json(value: Any) -> Any:
    """Return the object or list that a JSON string contains; any other *value* unchanged."""
    # Only objects and lists: a text such as "007" is an id, not the number 7.
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def is_failed(message: Mapping[str, Any]) -> bool:
    """Return whether a tool message says that the call failed."""
    error = message.get("error")
    status = message.get("is_error") is True or message.get("isError") is True
    return status or error is True or (isinstance(error, str) and bool(error))


def _turn(role: Role, message: Mapping[str, Any], at: float | None) -> Iterator[Event]:
    require_body(message, role)
    content = message.get("content")
    if content in (None, "", []) or (isinstance(content, Mapping) and "parts" in content):
        content = (content or message).get("parts", content)
    texts = [str(content)] if isinstance(content, str) else []
    if isinstance(refusal := message.get("refusal"), str):
        texts.append(refusal)
    calls = [_legacy(message)] if message.get("function_call") else []
    later: list[Event] = []
    blocks = [] if isinstance(content, str) else [*filter(None, map(_with_type, _blocks(content)))]
    for block in blocks:
        kind = _kind(block)
        if kind in _TEXT_BLOCKS:
            texts.append(str(block.get("text") or block.get("refusal") or ""))
        elif kind in _CALL_BLOCKS:
            calls.append(read_call(block))
        elif kind in _RESULT_BLOCKS:
            later.append(_result_block(block, at))
            later += _unseen(block.get("content", block.get("output")), at)
            later += _unseen(block.get("shown"), at)
        elif kind not in _SILENT_BLOCKS:
            later.append(Opaque(_unread(role, block), at))
    if message.get("audio"):
        later.append(Opaque(f"{_with_article(role)} message holds audio", at))
    if listed := message.get("tool_calls"):
        calls += map(read_call, _as_list(listed))
    is_empty = content in ("", []) or bool(blocks)
    if not (any(texts) or calls or later) and may_be_lost(message, role, is_empty=is_empty):
        later.append(Opaque(f"{_with_article(role)} message holds nothing that can be read", at))
    # Results first: they belong to the previous turn, and the user's text may refer to them.
    yield from [event for event in later if isinstance(event, Returned)]
    if any(texts):
        yield MessageText(role, "\n".join(texts), at)
    yield from [event for event in later if not isinstance(event, Returned)]
    if calls:
        yield Proposed(tuple(calls), at)


def _unread(role: Role, block: Mapping[str, Any]) -> str:
    """Return the reason why a block counts as unseen."""
    if "type" in block:
        return f"{_with_article(role)} message holds a block of type {_kind(block)[:40]}"
    keys = keys_of(block)
    return f"{_with_article(role)} message holds a block with {keys}, which are not known here"


def _with_type(block: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """
    Return a block with its ``type``, one of an unknown kind unchanged; None if it is empty.

    Raises:
        UnreadableMessage: A block of a known kind cannot be parsed: it may be a call.
    """
    if "type" in block:
        is_empty = block.get("text") is None and block.get("refusal") is None
        return None if _kind(block) in _TEXT_BLOCKS and is_empty else block
    if (typed := block_of(block)) is not None:
        return typed
    members = members_of(block)
    if not NAMES.isdisjoint(members):
        raise UnreadableMessage(f"a part has {keys_of(_block_members(block))}; {_PARTS}")
    return _block_members(block) or None


def _block_members(block: Mapping[str, Any]) -> dict[str, Any]:
    return {name: held for name, held in block.items() if held is not None}


def _with_type_or_none(block: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return block if "type" in block else block_of(block)


def _kind(part: Mapping[str, Any], *, otherwise: str = "") -> str:
    kind = part.get("type", otherwise)
    return kind if isinstance(kind, str) else type(kind).__name__


def _as_list(calls: Any) -> Iterable[Any]:
    if isinstance(calls, (list, tuple)):
        return calls
    raise UnreadableMessage(f"`tool_calls` is of type {type(calls).__name__}; give a list")


def _legacy(message: Mapping[str, Any]) -> ToolCall:
    return read_call({"function": message["function_call"]})


def _blocks(content: Any) -> Iterable[Mapping[str, Any]]:
    if content is None:
        return ()
    if isinstance(content, (list, tuple)):
        return [
            {"type": "text", "text": block}
            if isinstance(block, str)
            else mapping_of(block, "block")
            for block in content
            if block is not None
        ]
    return (mapping_of(content, "content"),)


def _tool_message(message: Mapping[str, Any], at: float | None) -> Returned:
    require_body(message)
    call_id = message.get("tool_call_id") or message.get("call_id")
    error = is_failed(message)
    content = message.get("content")
    # Some hosts put the error in a member of its own, without content.
    if error and content in (None, "") and isinstance(message.get("error"), str):
        content = message["error"]
    return Returned(
        name=str(message.get("name") or ""),
        value=_value(content),
        call_id=id_of(call_id),
        error=error,
        at=at,
    )


def _result_block(block: Mapping[str, Any], at: float | None) -> Returned:
    call_id = block.get("tool_use_id") or block.get("call_id")
    return Returned(
        name=str(block.get("name") or ""),
        value=_value(block.get("content", block.get("output"))),
        call_id=id_of(call_id),
        error=is_failed(block),
        at=at,
    )


def _unseen(content: Any, at: float | None) -> Iterator[Opaque]:
    """Yield an event for each image and file of a result, which only the model can see."""
    for part in content if isinstance(content, (list, tuple)) else ():
        if not isinstance(part, Mapping) or _UNSEEN_CONTENT.isdisjoint(part.keys()):
            continue
        if (kind := _kind(part)) in _UNSEEN_BLOCKS or kind in UNSEEN:
            yield Opaque(f"a tool result holds a block of type {kind}", at)


def _value(content: Any) -> Any:
    """Return a result's value, with text blocks joined and JSON strings decoded."""
    if isinstance(content, (list, tuple)) and content:
        parts = [mapping_of(part, "block") for part in content if has_members(part)]
        # Blocks with an image or another part among them are returned unchanged.
        if len(parts) == len(content) and all(_kind(part) in _TEXT_BLOCKS for part in parts):
            return decode_json("\n".join(str(part.get("text") or "") for part in parts))
    return decode_json(content)


def _time(at: Any) -> float | None:
    if isinstance(at, bool):  # `bool` is a subclass of `int`
        return None
    if not isinstance(at, (int, float, str)):
        return None
    try:
        seconds = datetime.fromisoformat(at).timestamp() if isinstance(at, str) else float(at)
    except (ValueError, OverflowError, OSError):  # OSError: a year outside the platform's range
        return None
    return seconds if isfinite(seconds) else None


def _with_article(role: str) -> str:
    return f"an {role}" if role[:1] in "aeio" else f"a {role}"
