"""Replacements for unknown tools and for the results of blocked calls."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelRetry, ToolFailed, ToolRetryError
from pydantic_ai.messages import RetryInfo, ToolCallPart, ToolReturnPart
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets.abstract import ToolsetTool

from abs_shield.core import Decision
from abs_shield.shield.tool_call_loop import feedback_text

_ANYTHING = TypeAdapter(Any).validator  # the arguments of an unknown tool have no schema


class PlaceholderTool(ToolDefinition):
    """A definition for an unknown tool, so that its call reaches `wrap_tool_execute`."""


def add_placeholders(ctx: RunContext[Any], decisions: Iterable[Decision]) -> None:
    """Add a tool to the framework, for this step, for each blocked name that it does not know."""
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

    A result that asks for a retry keeps the run going even if the same turn had a final output.
    A block that is not retryable is a failure, as is that of a call from a tool's own code, which
    accepts no other answer.

    Args:
        ctx: The context of the step.
        decision: The block.
        call: The call.
        is_nested: Whether a tool's own code made the call.
        counts_as_retry: Whether the framework would have refused the call, too, and counted it.
    """
    text = feedback_text(decision)
    if (
        not is_nested
        and (counts_as_retry or not decision.retryable)
        and exhausts_retries(ctx, call)
    ):
        # the framework ends the run, as it does by itself
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
    """Count a refusal among the tool's failures; return True if no retry is left."""
    if ctx.retry >= ctx.max_retries:
        return True
    if ctx.tool_manager is not None:
        ctx.tool_manager.failed_tools.add(call.tool_name)
    return False


def tool_descriptions(tools: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """Describe the user's tools for the Shield."""
    return [
        {
            "name": tool.name,
            "description": tool.description or "",
            "parameters": tool.parameters_json_schema,
        }
        for tool in tools
        if tool.kind != "output" and not isinstance(tool, PlaceholderTool)
    ]
