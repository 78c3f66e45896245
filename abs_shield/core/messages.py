"""Reads OpenAI, Anthropic, MCP and run-file shapes, once, for everybody."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from abs_shield.core.call import ToolCall
from abs_shield.core.events import Event, Opaque, Proposed, Returned, Role, Said
from abs_shield.errors import ShieldError
from abs_shield.text.show import LONGEST_NAME, plain, shown

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
_UNSEEN_CONTENT = frozenset({"source", "data", "image_url", "file_id", "file_data", "input_audio"})


class UnreadableMessage(ShieldError, ValueError):
    """A message, tool or call has none of the shapes that are read here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolShape:
    """A tool as its run or server describes it; *annotations* are MCP's hints."""

    name: str
    description: str = ""
    parameters: Any = None
    annotations: Mapping[str, Any] | None = None


def read_message(message: Any) -> Iterator[Event]:
    """
    Give the events of one message: what was said, proposed and returned.

    Raises:
        UnreadableMessage: The message has none of the known shapes.

    >>> [type(e).__name__ for e in read_message({"role": "user", "content": "hello"})]
    ['Said']
    """
    message = _mapping(message, "message")
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
        yield Opaque(f"an item of type {kind[:40]} holds what was not seen here", at)
        return
    role = message.get("role")
    if role in ("tool", "function"):
        yield _tool_message(message, at)
        yield from _unseen(message.get("content"), at)
    elif isinstance(role, str) and role in _ROLES:
        yield from _turn(_ROLES[role], message, at)
    else:
        raise UnreadableMessage(
            f"message has role {shown(role, limit=40)}; "
            "roles are system, developer, user, assistant, tool"
        )


def read_calls(message: Any) -> tuple[ToolCall, ...]:
    """Give every call that one assistant message, or a list of call shapes, proposes."""
    if isinstance(message, ToolCall):
        return (sound(message),)
    if isinstance(message, (list, tuple)):
        return tuple(call for part in message for call in read_calls(part))
    message = _mapping(message, "message")
    if "role" not in message and not message.keys().isdisjoint(_CALLED):
        return (read_call(message),)
    if message.keys().isdisjoint(_SPOKEN):
        raise UnreadableMessage(
            "neither a message nor a call; give the assistant's message, such as "
            "`response.choices[0].message`, or a list of calls"
        )
    try:
        events = [*read_message({"role": "assistant", **message})]
    except UnreadableMessage:
        return _one_by_one(message)
    return tuple(c for event in events if isinstance(event, Proposed) for c in event.calls)


def _one_by_one(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """Give the calls of a message of which one is no call: that one has an empty name."""
    content = message.get("content")
    blocks = content if isinstance(content, (list, tuple)) else ()
    inside = [b for b in blocks if isinstance(b, Mapping) and _kind(b) in _CALL_BLOCKS]
    listed = message.get("tool_calls")
    parts = [*inside, *(listed if isinstance(listed, (list, tuple)) else ())]
    if not any(isinstance(part, Mapping) for part in parts):
        raise UnreadableMessage("no call of this message can be read; give `id` and `function`")
    return tuple(_call_or_nameless(part) for part in parts)


def _call_or_nameless(part: Any) -> ToolCall:
    try:
        return read_call(part)
    except UnreadableMessage:
        found = part.get("id") if isinstance(part, Mapping) else None
        return ToolCall("", None, found if isinstance(found, str) else None)


_CALLED = frozenset({"name", "function", "custom", "params"})
_SPOKEN = frozenset({"role", "type", "content", "tool_calls", "function_call"})


def read_call(call: Any) -> ToolCall:
    """
    Give a call from any shape: ours, OpenAI's, Anthropic's, MCP's or the flat one.

    Raises:
        UnreadableMessage: There is no name in it.

    >>> read_call({"id": "c1", "function": {"name": "refund", "arguments": "{}"}}).name
    'refund'
    """
    if isinstance(call, ToolCall):
        return sound(call)
    call = _mapping(call, "call")
    inner = call.get("function", call.get("custom"))
    if inner is not None and not isinstance(inner, str):
        inner = _mapping(inner, "call")
    else:
        inner = _mapping(call["params"], "call") if "params" in call else call
    name = inner.get("name")
    if not isinstance(name, str):
        raise UnreadableMessage(
            f"call has no name but a value of type {type(name).__name__}; give it a `name`"
        )
    arguments = next((inner[k] for k in ("arguments", "input", "args") if k in inner), None)
    ids = map(id_of, (call.get("call_id"), call.get("id")))
    logprobs = call.get("logprobs", inner.get("logprobs"))
    if isinstance(arguments, str) and ("custom" in call or call.get("type") == _CUSTOM):
        arguments = {"input": arguments}  # free text, and no JSON
    return ToolCall(plain(name), arguments, next(filter(None, ids), None), logprobs)


def text_of(given: Any) -> str:
    """
    Give a message's text as a plain string.

    Raises:
        UnreadableMessage: It is none.
    """
    if not isinstance(given, str):
        raise UnreadableMessage(
            f"a message's text is of type {type(given).__name__}; give a string"
        )
    return str.__str__(given)


def id_of(given: Any) -> str | None:
    """
    Give a call's id as a text of at most 1,024 characters; None where there is none to read.

    >>> id_of(7), id_of(None), len(id_of("x" * 5000) or "")
    ('7', None, 1024)
    """
    if isinstance(given, str):
        return str.__str__(given)[:LONGEST_NAME]
    try:
        return None if given is None else str(given)[:LONGEST_NAME]
    except Exception:  # an object of the host's
        return None


def sound(call: ToolCall) -> ToolCall:
    """Give *call* with a name and an id of bounded length; the name is empty where it was none."""
    name, call_id = call.name, call.id
    short = type(name) is str and len(name) <= LONGEST_NAME
    if short and (call_id is None or (type(call_id) is str and len(call_id) <= LONGEST_NAME)):
        return call
    return replace(call, name=plain(call.name), id=id_of(call.id))


def read_tool(tool: Any) -> ToolShape:
    """
    Give a tool from any shape: OpenAI's, Anthropic's, MCP's or the flat one.

    Raises:
        UnreadableMessage: There is no name in it.
    """
    tool = _mapping(tool, "tool")
    inner = tool.get("function", tool)
    inner = _mapping(inner, "tool")
    if not isinstance(inner.get("name"), str) or not inner["name"]:
        raise UnreadableMessage("tool has no `name`")
    schema = next(
        (inner[k] for k in ("parameters", "input_schema", "inputSchema") if k in inner), None
    )
    description = inner.get("description")
    return ToolShape(
        name=inner["name"],
        description=description if isinstance(description, str) else "",
        parameters=schema,
        annotations=inner.get("annotations"),
    )


def decoded(value: Any) -> Any:
    """Give the JSON that a string holds where it holds an object or list, else *value*."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def failed(message: Mapping[str, Any]) -> bool:
    """Whether a tool message says that the call failed."""
    error = message.get("error")
    told = message.get("is_error") is True or message.get("isError") is True
    return told or error is True or (isinstance(error, str) and bool(error))


def _turn(role: Role, message: Mapping[str, Any], at: float | None) -> Iterator[Event]:
    content = message.get("content")
    texts = [str(content)] if isinstance(content, str) else []
    calls = [_legacy(message)] if message.get("function_call") else []
    later: list[Event] = []
    for block in () if texts else _blocks(content):
        kind = _kind(block, otherwise="text")
        if kind in _TEXT_BLOCKS:
            texts.append(str(block.get("text") or block.get("refusal") or ""))
        elif kind in _CALL_BLOCKS:
            calls.append(read_call(block))
        elif kind in _RESULT_BLOCKS:
            later.append(_result_block(block, at))
            later += _unseen(block.get("content", block.get("output")), at)
        elif kind not in _SILENT_BLOCKS:
            later.append(Opaque(f"a {role} message holds a block of type {kind[:40]}", at))
    if listed := message.get("tool_calls"):
        calls += map(read_call, _listed(listed))
    yield from [event for event in later if isinstance(event, Returned)]
    if any(texts):
        yield Said(role, "\n".join(texts), at)
    yield from [event for event in later if not isinstance(event, Returned)]
    if calls:
        yield Proposed(tuple(calls), at)


def _kind(part: Mapping[str, Any], *, otherwise: str = "") -> str:
    kind = part.get("type", otherwise)
    return kind if isinstance(kind, str) else type(kind).__name__


def _listed(calls: Any) -> Iterable[Any]:
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
            {"type": "text", "text": block} if isinstance(block, str) else _mapping(block, "block")
            for block in content
        ]
    return (_mapping(content, "content"),)


def _tool_message(message: Mapping[str, Any], at: float | None) -> Returned:
    call_id = message.get("tool_call_id") or message.get("call_id")
    error = failed(message)
    content = message.get("content")
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
        error=failed(block),
        at=at,
    )


def _unseen(content: Any, at: float | None) -> Iterator[Opaque]:
    """What a result shows the model and not us: its images and files."""
    for part in content if isinstance(content, (list, tuple)) else ():
        if not isinstance(part, Mapping) or _UNSEEN_CONTENT.isdisjoint(part.keys()):
            continue
        if (kind := _kind(part)) in _UNSEEN_BLOCKS:
            yield Opaque(f"a tool result holds a block of type {kind}", at)


def _value(content: Any) -> Any:
    """A result's value: text blocks joined, JSON in strings decoded."""
    if isinstance(content, (list, tuple)) and content:
        parts = [_mapping(part, "block") for part in content if not isinstance(part, str)]
        if len(parts) == len(content) and all(_kind(part) in _TEXT_BLOCKS for part in parts):
            return decoded("\n".join(str(part.get("text") or "") for part in parts))
    return decoded(content)


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if type(value) is dict:
        return value
    try:
        if isinstance(value, Mapping):
            return dict(value)
        dump = getattr(value, "model_dump", None)
        if callable(dump):
            return _dumped(dump)
    except Exception as error:  # an object of the caller's may break when it is read
        raise UnreadableMessage(f"{what} cannot be read: {type(error).__name__}") from None
    raise UnreadableMessage(f"{what} is of type {type(value).__name__}; give an object")


def _dumped(dump: Callable[..., Any]) -> Mapping[str, Any]:
    """A model as an object; what an SDK parsed into it may be of a type that pydantic warns of."""
    try:
        return cast("Mapping[str, Any]", dump(mode="json", exclude_none=True, warnings=False))
    except TypeError:  # the caller's own method, which knows no such option
        return cast("Mapping[str, Any]", dump(mode="json", exclude_none=True))


def _time(at: Any) -> float | None:
    if isinstance(at, bool):
        return None
    if isinstance(at, (int, float)):
        return float(at)
    if isinstance(at, str):
        try:
            return datetime.fromisoformat(at).timestamp()
        except ValueError:
            return None
    return None
