"""What LangChain's messages say, in OpenAI's shape; what has none is told as not seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.types import Command

from abs_shield.core import ToolCall
from abs_shield.core.events import Returned
from abs_shield.core.messages import read_message

_CALLS = frozenset(
    {"tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call"}
)
"""Blocks that say once more what stands in `tool_calls`."""
_READABLE = frozenset({"text", "json", "search_result", "custom_tool_call_output"})
"""Blocks of a tool's result that the model and we read alike."""


def member(part: Any, name: str) -> Any:
    """Give a member of a dict, or of an object; None where there is none."""
    return part.get(name) if isinstance(part, Mapping) else getattr(part, name, None)


def calls_of(message: AIMessage) -> list[ToolCall]:
    """The calls of a turn; their arguments as the model wrote them, where that was kept."""
    texts, tokens = written(message), _tokens(message)
    calls = [
        ToolCall(c["name"], texts.get(c["id"], c["args"]), c["id"], tokens)
        for c in message.tool_calls
    ]
    broken = message.invalid_tool_calls
    return calls + [ToolCall(c["name"] or "", c["args"] or "", c["id"], tokens) for c in broken]


def written(message: AIMessage) -> dict[str | None, Any]:
    """Call id to the text of its arguments, where the provider's own message was kept."""
    kept = message.additional_kwargs.get("tool_calls")
    texts: dict[str | None, Any] = {}
    for call in kept if isinstance(kept, list) else ():
        text = member(member(call, "function"), "arguments")
        call_id = member(call, "id")
        if isinstance(text, str) and isinstance(call_id, str):
            texts[call_id] = text
    return texts


def shaped(message: Any) -> Mapping[str, Any]:
    """A message in OpenAI's shape; one that has none, or breaks when it is read, has no role."""
    try:
        return _spoken(message)
    except Exception:
        return {"role": type(message).__name__}


def returned(result: Any, call_id: str | None, key: str) -> Returned | None:
    """
    What the model will read of a call's result; None where it reads nothing.

    Args:
        result: A message, a command that holds one under *key*, or several of these.
        call_id: The call; None for any.
        key: Where the graph's state keeps its messages.
    """
    for message in _answers(result, call_id, key):
        for event in read_message(shaped(message)):
            if isinstance(event, Returned):
                return event
    return None


def answered(result: Any, call_id: str | None, key: str, message: ToolMessage) -> Any:
    """
    Give a call's result with *message* in place of its answer, and all else of it as it is.

    Args:
        result: A message, a command that holds one under *key*, or several of these.
        call_id: The call.
        key: Where the graph's state keeps its messages.
        message: What the model reads instead; it takes the id of the one that it replaces.
    """
    if isinstance(result, ToolMessage):
        is_answer = result.tool_call_id == call_id
        return message.model_copy(update={"id": result.id}) if is_answer else result
    if isinstance(result, Command):
        update = result.update
        if isinstance(update, Mapping):
            inside = {key: answered(update[key], call_id, key, message)} if key in update else {}
            return replace(result, update={**update, **inside})
        return replace(result, update=answered(update, call_id, key, message))
    if isinstance(result, (list, tuple)):
        return [answered(each, call_id, key, message) for each in result]
    return result


def leads(result: Any) -> bool:
    """Whether a call's result says where the graph goes on: it is a signal of the framework's."""
    if isinstance(result, (list, tuple)):
        return any(map(leads, result))
    return isinstance(result, Command) and bool(result.goto or result.graph)


def is_summary(message: Any) -> bool:
    """Whether a message in the user's name is a model's summary of what was said before."""
    if not isinstance(message, HumanMessage):
        return False
    return bool(message.additional_kwargs.get("lc_source") == "summarization")


def _answers(result: Any, call_id: str | None, key: str) -> Iterator[ToolMessage]:
    if isinstance(result, ToolMessage):
        if call_id in (None, result.tool_call_id):
            yield result
    elif isinstance(result, Command):
        update = result.update
        yield from _answers(
            update.get(key) if isinstance(update, Mapping) else update, call_id, key
        )
    elif isinstance(result, (list, tuple)):
        for each in result:
            yield from _answers(each, call_id, key)


def _spoken(message: Any) -> Mapping[str, Any]:
    if isinstance(message, AIMessage):
        calls = [
            {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}}
            for call in calls_of(message)
        ]
        said = {"role": "assistant", "content": _without_calls(message.content)}
        return {**said, "tool_calls": calls} if calls else said
    if isinstance(message, ToolMessage):
        told = {"role": "tool", "tool_call_id": message.tool_call_id, "name": message.name or ""}
        failed = {"error": True} if message.status == "error" else {}
        return {**told, "content": _result(message.content), **failed}
    if isinstance(message, FunctionMessage):
        return {"role": "function", "name": message.name, "content": message.content}
    if isinstance(message, BaseMessage):
        return {"role": _role(message), "content": message.content}
    return message if isinstance(message, Mapping) else {"role": type(message).__name__}


def _role(message: BaseMessage) -> str:
    if is_summary(message):
        return "assistant"
    if isinstance(message, ChatMessage):
        return str(message.role)
    if isinstance(message, SystemMessage):
        return "system"
    return "user" if isinstance(message, HumanMessage) else str(message.type)


def _without_calls(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    return [block for block in content if member(block, "type") not in _CALLS]


def _result(content: Any) -> Any:
    """A result's blocks; what the model saw of it and we did not is named as that."""
    if not isinstance(content, list):
        return content
    return [
        block
        if isinstance(block, str) or member(block, "type") in _READABLE
        else {"type": "document", "source": str(member(block, "type"))}
        for block in content
    ]


def _tokens(message: AIMessage) -> Any:
    tokens = member(message.response_metadata.get("logprobs"), "content")
    return tokens if isinstance(tokens, list) and tokens else None
