"""Parsing of messages and calls of OpenAI, Anthropic, Gemini, Bedrock, MCP and run files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from math import isfinite
from typing import Any

from abs_shield.core.call_parsing import CALL_BLOCKS, bound_names, id_of, read_call
from abs_shield.core.events import Event, MessageText, Opaque, Proposed, Returned, Role, ToolCall
from abs_shield.core.message_parts import (
    BODY,
    NAMES,
    SHAPES,
    TEXT_BLOCKS,
    UnreadableMessage,
    block_of,
    keys_of,
    kind_of,
    mapping_of,
    may_be_lost,
    members_of,
    require_body,
)
from abs_shield.core.result_parsing import (
    RESULT_BLOCKS,
    decode_json,
    find_unseen_parts,
    is_failed,
    read_result_block,
    read_tool_message,
)
from abs_shield.text.safe_display import shown

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
_SILENT_BLOCKS = frozenset({"thinking", "redacted_thinking", "reasoning"})
_CONTENT = frozenset({"role", "parts"})
"""Members of Gemini's ``Content``."""
_PARTS = "a part has a `type`, or one of `text`, `functionCall`, `functionResponse`, `toolUse`"


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
    kind = kind_of(message)
    if kind in CALL_BLOCKS and "role" not in message:
        yield Proposed((read_call(message),), at)
        return
    if kind in RESULT_BLOCKS and "role" not in message:
        yield read_result_block(message, at)
        yield from find_unseen_parts(message.get("output"), at)
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
        yield read_tool_message(message, at)
        yield from find_unseen_parts(message.get("content"), at)
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
    calls = any(block is not None and kind_of(block) in CALL_BLOCKS for block in blocks)
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
        return () if kind_of(message) in RESULT_BLOCKS else (read_call(message),)
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
        return _read_each_call(message)
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


def _read_each_call(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """Return the calls of a message; a part that cannot be parsed becomes a nameless call."""
    content = message.get("content") or message.get("parts")
    blocks = content if isinstance(content, (list, tuple)) else ()
    typed = [_with_type_or_none(b) for b in blocks if isinstance(b, Mapping)]
    inside = [b for b in typed if b is not None and kind_of(b) in CALL_BLOCKS]
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
        kind = kind_of(block)
        if kind in TEXT_BLOCKS:
            texts.append(str(block.get("text") or block.get("refusal") or ""))
        elif kind in CALL_BLOCKS:
            calls.append(read_call(block))
        elif kind in RESULT_BLOCKS:
            later.append(read_result_block(block, at))
            later += find_unseen_parts(block.get("content", block.get("output")), at)
            later += find_unseen_parts(block.get("shown"), at)
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
        return f"{_with_article(role)} message holds a block of type {kind_of(block)[:40]}"
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
        return None if kind_of(block) in TEXT_BLOCKS and is_empty else block
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
