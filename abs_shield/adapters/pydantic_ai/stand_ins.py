"""What stands in for a tool, its arguments or its result, where a call is blocked."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelRetry, SkipToolValidation, ToolFailed, ToolRetryError
from pydantic_ai.messages import RetryInfo, ToolCallPart, ToolReturnPart
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets.abstract import ToolsetTool

from abs_shield.core import Decision
from abs_shield.shield.turns import feedback_text

_ANYTHING = TypeAdapter(Any).validator


class Phantom(ToolDefinition):
    """Stands for a tool that does not exist, so that its call reaches `wrap_tool_execute`."""


class Unvalidated(dict[str, Any]):
    """Stands for the arguments of a call that was blocked before the framework validated it."""

    def __init__(self, validate: Any, raw: str | dict[str, Any]) -> None:
        super().__init__()
        self.validate = validate
        self.raw = raw


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


async def validated(
    ctx: RunContext[Any], call: ToolCallPart, args: dict[str, Any]
) -> dict[str, Any]:
    """Validate now what was blocked when it was proposed, and is blocked no longer."""
    if not isinstance(args, Unvalidated):
        return args
    manager = ctx.tool_manager
    if manager is not None and isinstance(ctx.tools.get(call.tool_name), Phantom):
        manager.tools = {k: v for k, v in (manager.tools or {}).items() if k != call.tool_name}
        judged = await manager.validate_tool_call(call)  # the framework's own answer to it
        raise judged.validation_error or ModelRetry(f"no tool is named {call.tool_name!r}")
    try:
        return await args.validate(args.raw)  # type: ignore[no-any-return]
    except SkipToolValidation as skipped:
        return dict(skipped.validated_args)
    except Exception as error:
        # the framework wraps an approval that a tool's own validator asks for
        deferral = getattr(error, "deferral", None)
        if deferral is None:
            raise
        raise deferral from None


def refusal(decision: Decision, call: ToolCallPart, *, inside: bool) -> Exception:
    """
    How a blocked call is answered.

    A result that asks for another try keeps the run going where the same turn gave a final
    output. What cannot be tried again is a failure, and so is a call of a tool's own code, which
    takes no other answer.
    """
    text = feedback_text(decision)
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
