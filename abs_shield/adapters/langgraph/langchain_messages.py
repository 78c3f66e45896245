"""
Conversion of LangChain's messages to OpenAI's format; other content is marked as not read.
"""

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
from abs_shield.shield.tool_messages import member

_CALLS = frozenset(
    {"tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call"}
)
"""Block types that repeat the calls in `tool_calls`."""
_READABLE = frozenset({"text", "json", "search_result", "custom_tool_call_output"})
"""Block types of a tool's result that both the model and the session read."""


def calls_of(message: AIMessage) -> list[ToolCall]:
    """Return the calls of a turn, if possible with the arguments as the model wrote them."""
    texts, tokens = arguments_as_written(message), _tokens(message)
    calls = [
        ToolCall(c["name"], texts.get(c["id"], c["args"]), c["id"], tokens)
        for c in message.tool_calls
    ]
    broken = message.invalid_tool_calls
    return calls + [ToolCall(c["name"] or "", c["args"] or "", c["id"], tokens) for c in broken]


def arguments_as_written(message: AIMessage) -> dict[str | None, Any]:
    """Return the texts of the arguments by call id, if the provider's message is available."""
    provider_calls = message.additional_kwargs.get("tool_calls")
    texts: dict[str | None, Any] = {}
    for call in provider_calls if isinstance(provider_calls, list) else ():
        text = member(member(call, "function"), "arguments")
        call_id = member(call, "id")
        if isinstance(text, str) and isinstance(call_id, str):
            texts[call_id] = text
    return texts


def as_openai_message(message: Any) -> Mapping[str, Any]:
    """Return a message in OpenAI's format; without a role if it cannot be converted."""
    try:
        return _convert(message)
    # a message that cannot be converted is then reported as content that was not read
    except Exception:
        return {"role": type(message).__name__}


def returned_event(result: Any, call_id: str | None, key: str) -> Returned | None:
    """
    Return the part of a call's result that the model reads; None if it reads nothing.

    Args:
        result: A message, a command that contains one under *key*, or several of these.
        call_id: The id of the call; None for any call.
        key: The key of the messages in the graph's state.
    """
    for message in _answering_messages(result, call_id, key):
        for event in read_message(as_openai_message(message)):
            if isinstance(event, Returned):
                return event
    return None


def replace_answer_message(result: Any, call_id: str | None, key: str, message: ToolMessage) -> Any:
    """
    Return a call's result with its answer replaced by *message*, and otherwise unchanged.

    Args:
        result: A message, a command that contains one under *key*, or several of these.
        call_id: The id of the call.
        key: The key of the messages in the graph's state.
        message: The replacement; it receives the id of the message that it replaces.
    """
    if isinstance(result, ToolMessage):
        is_answer = result.tool_call_id == call_id
        return message.model_copy(update={"id": result.id}) if is_answer else result
    if isinstance(result, Command):
        update = result.update
        if isinstance(update, Mapping):
            inside = (
                {key: replace_answer_message(update[key], call_id, key, message)}
                if key in update
                else {}
            )
            return replace(result, update={**update, **inside})
        return replace(result, update=replace_answer_message(update, call_id, key, message))
    if isinstance(result, (list, tuple)):
        return [replace_answer_message(each, call_id, key, message) for each in result]
    return result


def directs_graph(result: Any) -> bool:
    """Return whether a call's result controls the graph: a goto, or a command to a parent."""
    if isinstance(result, (list, tuple)):
        return any(map(directs_graph, result))
    return isinstance(result, Command) and bool(result.goto or result.graph)


def is_summary(message: Any) -> bool:
    """Return whether a user message is the framework's summary of the earlier conversation."""
    if not isinstance(message, HumanMessage):
        return False
    return bool(message.additional_kwargs.get("lc_source") == "summarization")


def _answering_messages(result: Any, call_id: str | None, key: str) -> Iterator[ToolMessage]:
    if isinstance(result, ToolMessage):
        if call_id in (None, result.tool_call_id):
            yield result
    elif isinstance(result, Command):
        update = result.update
        yield from _answering_messages(
            update.get(key) if isinstance(update, Mapping) else update, call_id, key
        )
    elif isinstance(result, (list, tuple)):
        for each in result:
            yield from _answering_messages(each, call_id, key)


def _convert(message: Any) -> Mapping[str, Any]:
    if isinstance(message, AIMessage):
        calls = [
            {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}}
            for call in calls_of(message)
        ]
        converted = {"role": "assistant", "content": _remove_calls(message.content)}
        return {**converted, "tool_calls": calls} if calls else converted
    if isinstance(message, ToolMessage):
        result = {"role": "tool", "tool_call_id": message.tool_call_id, "name": message.name or ""}
        failed = {"error": True} if message.status == "error" else {}
        return {**result, "content": _result(message.content), **failed}
    if isinstance(message, FunctionMessage):
        return {"role": "function", "name": message.name, "content": message.content}
    if isinstance(message, BaseMessage):
        return {"role": _role(message), "content": message.content}
    return message if isinstance(message, Mapping) else {"role": type(message).__name__}


def _role(message: BaseMessage) -> str:
    if is_summary(message):  # written by the model, so it may contain invented values
        return "assistant"
    if isinstance(message, ChatMessage):
        return str(message.role)
    if isinstance(message, SystemMessage):
        return "system"
    return "user" if isinstance(message, HumanMessage) else str(message.type)


def _remove_calls(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    return [block for block in content if member(block, "type") not in _CALLS]


def _result(content: Any) -> Any:
    """Return a result's blocks; blocks that cannot be read here become documents."""
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


def answer_of(response: Any) -> str | None:
    """Return the text of a response that ends its run; None for calls and structured output."""
    result = response.result
    message = next((m for m in result if isinstance(m, AIMessage)), None)
    if message is None or message.tool_calls or message.invalid_tool_calls:
        return None
    if getattr(response, "structured_response", None) is not None:
        return None
    if any(isinstance(each, ToolMessage) for each in result):
        return None
    text = str(message.text)
    return text if text.strip() else None


def replace_answer(response: Any, text: str) -> Any:
    """Return a response with another text."""
    result = [
        each.model_copy(update={"content": text}) if isinstance(each, AIMessage) else each
        for each in response.result
    ]
    return replace(response, result=result)
