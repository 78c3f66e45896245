"""What the framework's messages and calls say, in the shapes that a session reads."""

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
from abs_shield.shield.content import content_of

_SILENT = frozenset(
    {
        "tool-availability-delta",
        "capability-load-delta",
        "model-settings-delta",
        "instruction-baseline",
    }
)
"""Parts that hold names and marks of the framework, and no text for the model."""
_KEPT_ELSEWHERE = ("openai_previous_response_id", "openai_conversation_id")
"""Settings that name a conversation which the provider keeps."""


def proposed(call: ToolCallPart, logprobs: Any = None) -> ToolCall:
    """The call as the model wrote it; nothing written is no argument."""
    return ToolCall(call.tool_name, call.args or {}, call.tool_call_id, logprobs)


def logprobs_of(response: ModelResponse) -> list[Any] | None:
    """The tokens' log-probabilities: OpenAI's as they are, Google's in OpenAI's shape."""
    tokens = (response.provider_details or {}).get("logprobs")
    if isinstance(tokens, Mapping):
        chosen = tokens.get("chosen_candidates") or ()
        tokens = [
            {"token": token.get("token"), "logprob": token.get("log_probability")}
            for token in chosen
            if isinstance(token, Mapping)
        ]
    return tokens if isinstance(tokens, list) and tokens else None


def unseen(response: ModelResponse, settings: Mapping[str, Any]) -> Iterator[str]:
    """Say what the model knows and this process does not."""
    if any(settings.get(name) not in (None, "auto") for name in _KEPT_ELSEWHERE):
        yield "the conversation so far is kept by the provider"
    for part in response.parts:
        if part.part_kind not in ("text", "thinking", "tool-call"):
            yield f"the model's answer holds a part of type {part.part_kind}"


def read(call: ToolCallPart, value: Any) -> Any:
    """What a tool returned, as the model reads it."""
    if isinstance(value, ToolReturn):
        value = value.return_value
    try:
        return decoded(ToolReturnPart(call.tool_name, value).model_response_str())
    except Exception:  # the framework will say what is wrong with it
        return content_of(value)


def conversation(messages: Sequence[ModelMessage]) -> Iterator[dict[str, Any]]:
    """Each message as OpenAI writes it; one that cannot be read becomes an item without a role."""
    instructions = None
    for message in messages:
        try:
            if not isinstance(message, ModelRequest):
                yield from [*_answered(message)]
                continue
            told = [*map(_told, (p for p in message.parts if p.part_kind not in _SILENT))]
            if message.instructions and message.instructions != instructions:
                instructions = message.instructions
                yield {"role": "system", "content": instructions}
            yield from told
        except Exception:
            yield {"type": f"unreadable {type(message).__name__}"}


def _told(part: Any) -> dict[str, Any]:
    """One part of what the model was sent."""
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
            # it quotes the model's own words, which are no mention
            return {"role": "assistant", "content": part.model_response()}
        case kind:
            return {"type": kind}


def _blocks(content: Any) -> Any:
    """A prompt's text; what is none keeps its kind, so that it is known to be unseen."""
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
    of = {"role": "tool", "tool_call_id": part.tool_call_id, "name": part.tool_name}
    return {**of, "content": content} | ({"error": True} if failed else {})


def _answered(message: ModelResponse) -> Iterator[dict[str, Any]]:
    """What the model answered; what the provider ran itself was not seen here."""
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
