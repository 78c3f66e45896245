"""Read and replace the text that ends a run, in the response of a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage


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


def with_answer(response: Any, text: str) -> Any:
    """Return a response with another text."""
    result = [
        each.model_copy(update={"content": text}) if isinstance(each, AIMessage) else each
        for each in response.result
    ]
    return replace(response, result=result)
