"""What stands in for a tool, or its result, where a call is blocked."""

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
from abs_shield.shield.turns import feedback_text

_ANYTHING = TypeAdapter(Any).validator


class Phantom(ToolDefinition):
    """Stands for a tool that does not exist, so that its call reaches `wrap_tool_execute`."""


def answer_phantoms(ctx: RunContext[Any], decisions: Iterable[Decision]) -> None:
    """Give the framework a tool, for this step, for each blocked name that it does not know."""
    manager = ctx.tool_manager
    if manager is None or manager.tools is None:
        return
    phantoms = {
        decision.tool: ToolsetTool(
            toolset=manager.toolset,
            tool_def=Phantom(name=decision.tool),
            max_retries=manager.default_max_retries,
            args_validator=_ANYTHING,
        )
        for decision in decisions
        if decision.blocked and decision.tool not in manager.tools
    }
    if phantoms:
        manager.tools = {**manager.tools, **phantoms}


def refusal(
    ctx: RunContext[Any], decision: Decision, call: ToolCallPart, *, inside: bool, counts: bool
) -> Exception:
    """
    Return how a blocked call is answered.

    A result that asks for another try keeps the run going where the same turn gave a final
    output. What cannot be tried again is a failure, and so is a call of a tool's own code, which
    takes no other answer.

    Args:
        ctx: The step.
        decision: The block.
        call: The call.
        inside: Whether a tool's own code made it.
        counts: Whether the framework would have refused it as well, and counted that.
    """
    text = feedback_text(decision)
    if not inside and (counts or not decision.retryable) and spent(ctx, call):
        # the framework ends the run, as it does by itself
        return ModelRetry(text)  # type: ignore[no-any-return]
    if inside or not decision.retryable:
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


def spent(ctx: RunContext[Any], call: ToolCallPart) -> bool:
    """Count a refusal among the tool's failures; True where the framework allows no more."""
    if ctx.retry >= ctx.max_retries:
        return True
    if ctx.tool_manager is not None:
        ctx.tool_manager.failed_tools.add(call.tool_name)
    return False


def shapes(tools: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """Describe the tools that are a user's, for the Shield."""
    return [
        {
            "name": tool.name,
            "description": tool.description or "",
            "parameters": tool.parameters_json_schema,
        }
        for tool in tools
        if tool.kind != "output" and not isinstance(tool, Phantom)
    ]
