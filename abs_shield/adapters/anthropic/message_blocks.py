"""Conversion of the SDK's messages, blocks and tools to the formats that a session reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from abs_shield.adapters.anthropic.sdk_checks import buffer_name
from abs_shield.core import ToolCall
from abs_shield.core.call_arguments import read_arguments
from abs_shield.session import Session
from abs_shield.shield.adapter_session import AdapterSession
from abs_shield.shield.tool_messages import member

_UNREAD = frozenset({"image", "document"})  # documents of text were converted to text blocks
_DROPPED = frozenset({"cache_control", "citations"})
"""Fields that a model does not read, and that hosts may move between blocks."""
_CHANGES = frozenset({"tool_addition", "tool_removal"})
_SUMMARY = "compaction"
_WITHOUT_CONTENT = _CHANGES | {_SUMMARY}
"""Blocks without new content: tool changes, and summaries of earlier messages."""
_TOOLSET_TYPE = re.compile(r"^(?P<family>\w+?)_toolset(_\d{8})?$")


def completed_message(message: Any) -> Any:
    """Return the message of a stream that was read to its end; other messages unchanged."""
    return getattr(message, "current_message_snapshot", message)


def tool_uses(reply: Any, stream: Any) -> Iterator[tuple[dict[str, Any], str | None]]:
    """Yield each call of a reply, with its arguments as they were streamed."""
    content = member(reply, "content")
    for index, block in enumerate(content if isinstance(content, (list, tuple)) else ()):
        use = as_dict(block)
        if use.get("type") == "tool_use":
            yield use, _streamed_arguments(stream, index)


def _streamed_arguments(stream: Any, index: int) -> str | None:
    """
    Return the JSON of one block as the model wrote it.

    The SDK completes JSON that is cut off, and has no public access to the original text.
    """
    # a private attribute is mangled with the name of the class that defines it
    for kind in type(stream).__mro__:
        texts = getattr(stream, buffer_name(kind), None)
        if isinstance(texts, Mapping) and index in texts:
            # a truncated stream may end inside a character
            return bytes(texts[index]).decode("utf-8", "replace")
    return None


def call_of(use: Mapping[str, Any], raw: str | None) -> ToolCall:
    """Return the call of a block; its arguments are the raw text if the SDK changed it."""
    input_value = use.get("input")
    # if both are equal, the parsed form, which the tool receives
    arguments = raw if raw and read_arguments(raw) != input_value else input_value
    call_id = use.get("id")
    return ToolCall(name_of(use), arguments, None if call_id is None else str(call_id))


def name_of(use: Mapping[str, Any]) -> str:
    """Return the name of a tool; for a member of a toolset, ``toolset.name``."""
    toolset, name = use.get("toolset_name"), str(use.get("name") or "")
    return f"{toolset}.{name}" if toolset else name


def offered_tools(params: Mapping[str, Any]) -> tuple[list[dict[str, Any]], set[str]]:
    """Return the tools that the model may call now, and the names of the toolsets."""
    tools = {_tool_name(tool): tool for tool in map(as_dict, params.get("tools") or ())}
    removed: set[str] = set()
    for change in _changes(params.get("messages") or ()):
        tool = as_dict(change.get("tool"))
        defined = as_dict(tool["definition"]) if "definition" in tool else tool
        name = _tool_name(defined)
        if change["type"] == "tool_removal":
            removed.add(name)
            continue
        removed.discard(name)  # added again after a removal
        if defined is not tool:
            tools[name] = defined
    remaining = {name: tool for name, tool in tools.items() if name not in removed}
    toolsets = {name for name, tool in remaining.items() if "name" not in tool}
    return [{"name": name, **tool} for name, tool in remaining.items()], toolsets


def _tool_name(tool: Mapping[str, Any]) -> str:
    """Return a tool's name; for a toolset, the name in its type."""
    toolset = _TOOLSET_TYPE.match(str(tool.get("type")))
    return str(tool.get("name") or (toolset["family"] if toolset else ""))


def _changes(messages: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield the tool changes in the conversation, including those repeated in a summary."""
    for message in messages:
        for block in map(as_dict, _blocks(member(message, "content"))):
            changes = [block, *map(as_dict, block.get("tool_changes") or ())]
            yield from (change for change in changes if change.get("type") in _CHANGES)


def record_messages(
    adapter: AdapterSession, session: Session, messages: Iterable[Any], system: Any
) -> None:
    """Record the conversation; the host's cache markers do not change a message."""
    is_first, conversation = not session.turns, list(messages)
    if system:  # the SDK's sentinel for an omitted value is falsy
        conversation.insert(0, {"role": "system", "content": system})
    adapter.add_messages(session, map(_as_message, conversation))
    if is_first and any(map(_is_summary, conversation)):
        # only at the first request: later ones repeat messages that the session already has
        session.opaque("the conversation so far was compacted")


def _as_message(message: Any) -> dict[str, Any]:
    blocks = map(as_dict, _blocks(member(message, "content")))
    content = [
        _as_text_block(block) for block in blocks if block.get("type") not in _WITHOUT_CONTENT
    ]
    return {"role": member(message, "role"), "content": content}


def remove_calls(reply: Any) -> dict[str, Any]:
    """Return the recorded form of a reply, without its calls."""
    content = _as_message(reply)["content"]
    return {"role": "assistant", "content": [b for b in content if b.get("type") != "tool_use"]}


def _is_summary(message: Any) -> bool:
    blocks = _blocks(member(message, "content"))
    return any(member(block, "type") == _SUMMARY for block in blocks)


def _as_text_block(block: dict[str, Any]) -> dict[str, Any]:
    """Convert a block with text content to a text block, also inside a tool result."""
    source = block.get("source")
    match block.get("type"):
        case "tool_result" if isinstance(block.get("content"), (list, tuple)):
            return {
                **block,
                "content": [_as_text_block(as_dict(part)) for part in block["content"]],
            }
        case "document" if isinstance(source, Mapping) and source.get("type") == "text":
            texts = [block.get("title"), block.get("context"), source.get("data")]
        case "search_result":
            parts = map(as_dict, _blocks(block.get("content")))
            texts = [block.get("title"), source, *(part.get("text") for part in parts)]
        case _:
            return block
    return {"type": "text", "text": "\n".join(str(each) for each in texts if each)}


def _blocks(content: Any) -> list[Any]:
    if content is None:
        return []
    return list(content) if isinstance(content, (list, tuple)) else [content]


def as_dict(block: Any) -> dict[str, Any]:
    """
    Return a block as a dict, without fields that a model does not read.

    The type of an unreadable block is the name of its class.
    """
    if isinstance(block, str):
        return {"type": "text", "text": block}
    try:
        dump = getattr(block, "model_dump", None)
        if dump is not None and not isinstance(block, Mapping):
            block = dump(mode="json", exclude_none=True, warnings=False)
        return {k: v for k, v in dict(block).items() if k not in _DROPPED and v is not None}
    except Exception:  # reading an object of the host may raise
        return {"type": type(block).__name__}


def visible_value(value: Any) -> Any:
    """Return a tool's value as the model reads it: a text, if it contains only text."""
    if not isinstance(value, (list, tuple)):
        return value
    blocks = [_as_text_block(as_dict(block)) for block in value]
    if all(block.get("type") == "text" for block in blocks):
        return "\n".join(str(block.get("text") or "") for block in blocks)
    return [block for block in blocks if block.get("type") not in _UNREAD]
