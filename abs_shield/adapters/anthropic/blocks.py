"""What the SDK's messages, blocks and tools say, in the shapes that a session reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from abs_shield.adapters.anthropic.checks import buffer_of
from abs_shield.core import ToolCall
from abs_shield.core.arguments import read_arguments
from abs_shield.session import Session
from abs_shield.shield.seam import Seam

_UNREAD = frozenset({"image", "document"})
_DROPPED = frozenset({"cache_control", "citations"})
"""What hosts move from block to block, and no model reads."""
_CHANGES = frozenset({"tool_addition", "tool_removal"})
_SUMMARY = "compaction"
_UNTOLD = _CHANGES | {_SUMMARY}
"""Blocks that tell nothing which was not told before."""
_FAMILY = re.compile(r"^(?P<family>\w+?)_toolset(_\d{8})?$")


def whole(message: Any) -> Any:
    """The message of a stream that was read to its end; any other as it is."""
    return getattr(message, "current_message_snapshot", message)


def uses(reply: Any, stream: Any) -> Iterator[tuple[dict[str, Any], str | None]]:
    """Each call of a reply, and its arguments as they were streamed."""
    content = member(reply, "content")
    for place, block in enumerate(content if isinstance(content, (list, tuple)) else ()):
        use = plain(block)
        if use.get("type") == "tool_use":
            yield use, _streamed(stream, place)


def _streamed(stream: Any, place: int) -> str | None:
    """
    The JSON of one block as the model wrote it.

    The SDK completes JSON that is cut off, and shows the whole text nowhere else.
    """
    for kind in type(stream).__mro__:
        texts = getattr(stream, buffer_of(kind), None)
        if isinstance(texts, Mapping) and place in texts:
            return bytes(texts[place]).decode("utf-8", "replace")
    return None


def call_of(use: Mapping[str, Any], raw: str | None) -> ToolCall:
    """The call of a block; its arguments are text where the SDK made something else of it."""
    given = use.get("input")
    arguments = raw if raw and read_arguments(raw) != given else given
    call_id = use.get("id")
    return ToolCall(name_of(use), arguments, None if call_id is None else str(call_id))


def name_of(use: Mapping[str, Any]) -> str:
    """A tool's name; that of a toolset's member has the toolset before it, and a dot."""
    family, name = use.get("toolset_name"), str(use.get("name") or "")
    return f"{family}.{name}" if family else name


def offered(params: Mapping[str, Any]) -> tuple[list[dict[str, Any]], set[str]]:
    """The tools that the model may call as the conversation stands, and the toolsets."""
    known = {_tool_name(tool): tool for tool in map(plain, params.get("tools") or ())}
    gone: set[str] = set()
    for change in _changes(params.get("messages") or ()):
        tool = plain(change.get("tool"))
        defined = plain(tool["definition"]) if "definition" in tool else tool
        name = _tool_name(defined)
        if change["type"] == "tool_removal":
            gone.add(name)
            continue
        gone.discard(name)
        if defined is not tool:
            known[name] = defined
    left = {name: tool for name, tool in known.items() if name not in gone}
    families = {name for name, tool in left.items() if "name" not in tool}
    return [{"name": name, **tool} for name, tool in left.items()], families


def _tool_name(tool: Mapping[str, Any]) -> str:
    """A tool's name; a toolset has none but the one in its type."""
    family = _FAMILY.match(str(tool.get("type")))
    return str(tool.get("name") or (family["family"] if family else ""))


def _changes(messages: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """What was said of tools on the way; a summary says it again for what it stands for."""
    for message in messages:
        for block in map(plain, _blocks(member(message, "content"))):
            changes = [block, *map(plain, block.get("tool_changes") or ())]
            yield from (change for change in changes if change.get("type") in _CHANGES)


def hear(seam: Seam, session: Session, messages: Iterable[Any], system: Any) -> None:
    """Take in the conversation; a message gives the same however its host caches it."""
    begins, given = not session.turns, list(messages)
    if system:  # what the SDK was not given is an object of its own, and false
        given.insert(0, {"role": "system", "content": system})
    seam.hear(session, map(_message, given))
    if begins and any(map(_is_summary, given)):
        session.opaque("the conversation so far was compacted")


def _message(message: Any) -> dict[str, Any]:
    blocks = map(plain, _blocks(member(message, "content")))
    told = [_text(block) for block in blocks if block.get("type") not in _UNTOLD]
    return {"role": member(message, "role"), "content": told}


def without_calls(reply: Any) -> dict[str, Any]:
    """A reply as it is heard, but for its calls."""
    told = _message(reply)["content"]
    return {"role": "assistant", "content": [b for b in told if b.get("type") != "tool_use"]}


def _is_summary(message: Any) -> bool:
    blocks = _blocks(member(message, "content"))
    return any(member(block, "type") == _SUMMARY for block in blocks)


def _text(block: dict[str, Any]) -> dict[str, Any]:
    """A block that is text under another name, as text; a result with plain blocks."""
    source = block.get("source")
    match block.get("type"):
        case "tool_result" if isinstance(block.get("content"), (list, tuple)):
            return {**block, "content": [_text(plain(part)) for part in block["content"]]}
        case "document" if isinstance(source, Mapping) and source.get("type") == "text":
            said = [block.get("title"), block.get("context"), source.get("data")]
        case "search_result":
            parts = map(plain, _blocks(block.get("content")))
            said = [block.get("title"), source, *(part.get("text") for part in parts)]
        case _:
            return block
    return {"type": "text", "text": "\n".join(str(each) for each in said if each)}


def _blocks(content: Any) -> list[Any]:
    if content is None:
        return []
    return list(content) if isinstance(content, (list, tuple)) else [content]


def plain(block: Any) -> dict[str, Any]:
    """A block as a dict, without what no model reads; what cannot be read has its class's name."""
    if isinstance(block, str):
        return {"type": "text", "text": block}
    try:
        dump = getattr(block, "model_dump", None)
        if dump is not None and not isinstance(block, Mapping):
            block = dump(mode="json", exclude_none=True, warnings=False)
        return {k: v for k, v in dict(block).items() if k not in _DROPPED and v is not None}
    except Exception:  # an object of the host's may break when it is read
        return {"type": type(block).__name__}


def member(part: Any, name: str) -> Any:
    """A member of a dict, or of an object of the SDK's."""
    return part.get(name) if isinstance(part, Mapping) else getattr(part, name, None)


def read(value: Any) -> Any:
    """A tool's value as the model reads it: its text, where it has nothing else."""
    if not isinstance(value, (list, tuple)):
        return value
    blocks = [_text(plain(block)) for block in value]
    if all(block.get("type") == "text" for block in blocks):
        return "\n".join(str(block.get("text") or "") for block in blocks)
    return [block for block in blocks if block.get("type") not in _UNREAD]
