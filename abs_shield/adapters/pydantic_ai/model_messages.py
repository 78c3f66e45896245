"""Convert the framework's messages and calls to the formats that a session reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextContent,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
)

from abs_shield.core import ToolCall
from abs_shield.core.messages import decoded
from abs_shield.shield.message_content import content_of

_SILENT = frozenset(
    {
        "tool-availability-delta",
        "capability-load-delta",
        "model-settings-delta",
        "instruction-baseline",
    }
)
"""Parts that hold the framework's own metadata, and no text for the model."""
_REMOTE_CONVERSATION = ("openai_previous_response_id", "openai_conversation_id")
"""Settings that name a conversation stored by the provider."""


def as_tool_call(call: ToolCallPart, logprobs: Any = None) -> ToolCall:
    """Return the call as the model wrote it; empty arguments if it wrote none."""
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


def unseen_content(response: ModelResponse, settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield a reason for each content that the model has seen and this process has not."""
    if any(settings.get(name) not in (None, "auto") for name in _REMOTE_CONVERSATION):
        yield "the conversation so far is kept by the provider"
    for part in response.parts:
        if part.part_kind not in ("text", "thinking", "tool-call"):
            yield f"the model's answer holds a part of type {part.part_kind}"


def visible_value(call: ToolCallPart, value: Any) -> Any:
    """Return a tool's value as the model reads it."""
    if isinstance(value, ToolReturn):
        value = value.return_value
    try:
        return decoded(ToolReturnPart(call.tool_name, value).model_response_str())
    except Exception:  # the framework reports the error
        return content_of(value)


def as_openai_messages(messages: Sequence[ModelMessage]) -> Iterator[dict[str, Any]]:
    """Yield each message in OpenAI's format; an unreadable one as an item without a role."""
    instructions = None
    for message in messages:
        try:
            if not isinstance(message, ModelRequest):
                yield from [*_convert_response(message)]
                continue
            converted = [
                *map(_convert_part, (p for p in message.parts if p.part_kind not in _SILENT))
            ]
            # repeated in every request
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
            # it quotes the model's own text, which is not a mention
            return {"role": "assistant", "content": part.model_response()}
        case kind:
            return {"type": kind}


def _blocks(content: Any) -> Any:
    """Return a prompt's text; other content as its type, so that it counts as unseen."""
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
    """Convert an answer of the model; parts that the provider ran are kept as their type."""
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
