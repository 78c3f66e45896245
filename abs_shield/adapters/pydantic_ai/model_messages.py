"""Conversion of the framework's messages and calls, and answers to blocked calls."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelRetry, ToolFailed, ToolRetryError
from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryInfo,
    TextContent,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
)
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets.abstract import ToolsetTool

from abs_shield.core import Decision, ToolCall
from abs_shield.core.messages import decode_json
from abs_shield.shield.message_content import content_of
from abs_shield.shield.tool_call_loop import feedback_text

_METADATA_PARTS = frozenset(
    {
        "tool-availability-delta",
        "capability-load-delta",
        "model-settings-delta",
        "instruction-baseline",
    }
)
"""Parts with the framework's own metadata, without text for the model."""
_REMOTE_CONVERSATION = ("openai_previous_response_id", "openai_conversation_id")
"""Settings with the id of a conversation that the provider stores."""


def as_tool_call(call: ToolCallPart, logprobs: Any = None) -> ToolCall:
    """Return the call as the model wrote it; missing arguments become an empty object."""
    return ToolCall(call.tool_name, call.args or {}, call.tool_call_id, logprobs)


def logprobs_of(response: ModelResponse) -> list[Any] | None:
    """Return the tokens' log-probabilities in OpenAI's format; None if there are none."""
    tokens = (response.provider_details or {}).get("logprobs")
    if isinstance(tokens, Mapping):
        chosen = tokens.get("chosen_candidates") or ()
        tokens = [
            {"token": token.get("token"), "logprob": token.get("log_probability")}
            for token in chosen
            if isinstance(token, Mapping)
        ]
    return tokens if isinstance(tokens, list) and tokens else None


def unread_content(response: ModelResponse, settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield a reason for each content that the model reads and that is not available here."""
    if any(settings.get(name) not in (None, "auto") for name in _REMOTE_CONVERSATION):
        yield "the conversation so far is stored by the provider"
    for part in response.parts:
        if part.part_kind not in ("text", "thinking", "tool-call"):
            yield f"the model's answer has a part of type {part.part_kind}"


def visible_value(call: ToolCallPart, value: Any) -> Any:
    """Return a tool's value as the model reads it."""
    if isinstance(value, ToolReturn):
        value = value.return_value
    try:
        return decode_json(ToolReturnPart(call.tool_name, value).model_response_str())
    except Exception:  # the framework reports the error
        return content_of(value)


def as_openai_messages(messages: Sequence[ModelMessage]) -> Iterator[dict[str, Any]]:
    """Yield each message in OpenAI's format; an unreadable message has no role."""
    instructions = None
    for message in messages:
        try:
            if not isinstance(message, ModelRequest):
                yield from [*_convert_response(message)]
                continue
            converted = [
                *map(
                    _convert_part, (p for p in message.parts if p.part_kind not in _METADATA_PARTS)
                )
            ]
            # the instructions are repeated in every request
            if message.instructions and message.instructions != instructions:
                instructions = message.instructions
                yield {"role": "system", "content": instructions}
            yield from converted
        except Exception:
            yield {"type": f"unreadable {type(message).__name__}"}


def _convert_part(part: Any) -> dict[str, Any]:
    """Convert one part of a request to the model."""
    match part.part_kind:
        case "system-prompt" | "instruction-delta":
            return {"role": "system", "content": part.content or ""}
        case "user-prompt":
            return {"role": "user", "content": _blocks(part.content)}
        case "tool-return":
            return _result(part)
        case "retry-prompt" if part.tool_name is not None:
            return _message(part, part.model_response(), failed=True)
        case "retry-prompt" | "retry-feedback":
            # as the model's text, because it quotes the model's own values
            return {"role": "assistant", "content": part.model_response()}
        case kind:
            return {"type": kind}


def _blocks(content: Any) -> Any:
    """Return a prompt's text; other content as its type, so that it counts as not read."""
    if isinstance(content, str):
        return content
    return [_block(item) for item in content if not isinstance(item, CachePoint)]


def _block(item: Any) -> dict[str, Any]:
    if isinstance(item, TextContent):
        item = item.content
    return {"type": "text", "text": item} if isinstance(item, str) else {"type": item.kind}


def _result(part: ToolReturnPart) -> dict[str, Any]:
    content: Any = part.model_response_str(wrap_if_error=False)
    if part.files:
        files = [{"type": "image", "source": file.kind} for file in part.files]
        content = [{"type": "text", "text": content}, *files]
    return _message(part, content, failed=part.outcome != "success")


def _message(part: Any, content: Any, *, failed: bool) -> dict[str, Any]:
    fields = {"role": "tool", "tool_call_id": part.tool_call_id, "name": part.tool_name}
    return {**fields, "content": content} | ({"error": True} if failed else {})


def _convert_response(message: ModelResponse) -> Iterator[dict[str, Any]]:
    """Convert an answer of the model; other parts than texts and calls become their type."""
    content: list[dict[str, Any]] = []
    calls = []
    for part in message.parts:
        if part.part_kind == "text":
            content.append({"type": "text", "text": part.content})
        elif isinstance(part, ToolCallPart):
            function = {"name": part.tool_name, "arguments": part.args or {}}
            calls.append({"id": part.tool_call_id, "type": "function", "function": function})
        else:
            content.append({"type": part.part_kind})
    yield {"role": "assistant", "content": content} | ({"tool_calls": calls} if calls else {})


_ANYTHING = TypeAdapter(Any).validator  # the arguments of an unknown tool have no schema


class PlaceholderTool(ToolDefinition):
    """A definition for an unknown tool, so that its call reaches `wrap_tool_execute`."""


def add_placeholders(ctx: RunContext[Any], decisions: Iterable[Decision]) -> None:
    """Add a placeholder for each blocked call of an unknown tool to the tools of this step."""
    manager = ctx.tool_manager
    if manager is None or manager.tools is None:
        return
    placeholders = {
        decision.tool: ToolsetTool(
            toolset=manager.toolset,
            tool_def=PlaceholderTool(name=decision.tool),
            max_retries=manager.default_max_retries,
            args_validator=_ANYTHING,
        )
        for decision in decisions
        if decision.blocked and decision.tool not in manager.tools
    }
    if placeholders:
        manager.tools = {**manager.tools, **placeholders}


def blocked_result(
    ctx: RunContext[Any],
    decision: Decision,
    call: ToolCallPart,
    *,
    is_nested: bool,
    counts_as_retry: bool,
) -> Exception:
    """
    Return the exception that answers a blocked call.

    A result that asks for a retry continues the run, even if the same turn has a final output. A
    block is a failure if it is not retryable, or if a tool's own code made the call, which does
    not accept another answer.

    Args:
        ctx: The context of the step.
        decision: The decision that blocked the call.
        call: The call.
        is_nested: Whether a tool's own code made the call.
        counts_as_retry: Whether the framework would have rejected the call, too, and counted it.
    """
    text = feedback_text(decision)
    if (
        not is_nested
        and (counts_as_retry or not decision.retryable)
        and exhausts_retries(ctx, call)
    ):
        # the framework ends the run, as without the Shield
        return ModelRetry(text)  # type: ignore[no-any-return]
    if is_nested or not decision.retryable:
        return ToolFailed(text)  # type: ignore[no-any-return]
    part = ToolReturnPart(
        call.tool_name,
        json.loads(text),
        call.tool_call_id,
        tool_kind=call.tool_kind,
        outcome="retried",
        retry=RetryInfo("model_retry"),
    )
    return ToolRetryError(part)  # type: ignore[no-any-return]


def exhausts_retries(ctx: RunContext[Any], call: ToolCallPart) -> bool:
    """Count a failure of the tool; return True if no retry is left."""
    if ctx.retry >= ctx.max_retries:
        return True
    if ctx.tool_manager is not None:
        ctx.tool_manager.failed_tools.add(call.tool_name)
    return False


def tool_descriptions(tools: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """Return the descriptions of the user's tools, without output tools and placeholders."""
    return [
        {
            "name": tool.name,
            "description": tool.description or "",
            "parameters": tool.parameters_json_schema,
        }
        for tool in tools
        if tool.kind != "output" and not isinstance(tool, PlaceholderTool)
    ]
