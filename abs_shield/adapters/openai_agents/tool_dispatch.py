"""Judge each call before its tool runs, and its result afterwards."""

from __future__ import annotations

import copy
import functools
from collections.abc import Awaitable, Callable
from typing import Any

from agents import CustomTool, FunctionTool
from agents.agent_tool_state import get_agent_tool_state_scope, peek_agent_tool_run_result

from abs_shield.adapters.openai_agents.run_context import (
    GUARD,
    INNER,
    AgentRun,
    AgentToolRefused,
    RunScope,
)
from abs_shield.adapters.openai_agents.sdk_items import result_value, tool_shape
from abs_shield.core import ToolCall
from abs_shield.errors import CallBlocked, ResultBlocked
from abs_shield.session.session_context import stop_running
from abs_shield.shield.guard import Guard
from abs_shield.shield.tool_call_loop import feedback_text

Invoke = Callable[[Any, str], Any]
_HOOK = "_abs_shield_hook"


def judged_tool(tool: FunctionTool, scope: RunScope) -> FunctionTool:
    """
    Return a copy of *tool* that judges its dispatch.

    The host does not see the copy: its hooks and results reference the original tool.
    """
    copied = copy.copy(tool)
    invoke: Any = copied.on_invoke_tool
    if not hasattr(invoke, "_invoke_tool_impl"):
        copied.on_invoke_tool = _judging_invoke(tool, invoke, scope)
        return copied
    # Wrapped inside the SDK's error handler: the tool's own error is visible there, and the SDK
    # still finds the function and its arguments.
    wrapped = copy.copy(invoke)
    wrapped._invoke_tool_impl = _judging_invoke(tool, invoke._invoke_tool_impl, scope)
    copied.on_invoke_tool = wrapped
    return copied


def hook_custom_tool(tool: CustomTool) -> None:
    """Make a custom tool judge its calls in judged runs; in other runs it is called directly."""
    invoke = tool.on_invoke_tool
    # `get_all_tools` runs before each turn
    if hasattr(invoke, _HOOK):
        return

    @functools.wraps(invoke)
    async def hooked(context: Any, input: str) -> Any:
        scope = GUARD.get()
        if scope is not None:
            return await _judging_invoke(tool, invoke, scope)(context, input)
        value: Any = invoke(context, input)
        return await value if isinstance(value, Awaitable) else value

    setattr(hooked, _HOOK, True)
    tool.on_invoke_tool = hooked


def _judging_invoke(tool: Any, invoke: Invoke, scope: RunScope) -> Callable[..., Awaitable[Any]]:
    name = tool_shape(tool)["name"]
    is_text = isinstance(tool, CustomTool)

    @functools.wraps(invoke)
    async def judged(context: Any, input: str) -> Any:
        run = scope.runs.current(context)
        call_id = getattr(context, "tool_call_id", "")
        call = ToolCall(name, {"input": input} if is_text else input, call_id or None)
        # a call that waited for an approval was judged before, and continues under its guard
        guard, token = run.paused.pop(call_id, None), None
        if guard is not None:
            token = guard.resume()
        else:
            guard = run.guard(call)
            try:
                await guard.__aenter__()
            except CallBlocked as blocked:
                _mark_failure_handled(tool, context)
                return feedback_text(blocked.decision)
        try:
            with guard.failing():
                inner_scope = scope.inner_scope(tool, context)
                value = await _call_tool(functools.partial(invoke, context, input), inner_scope)
        except AgentToolRefused as refused:
            return str(refused)  # the SDK's own text for an exception would not contain the reason
        except CallBlocked as blocked:
            if guard.stopped is None:
                raise
            _mark_failure_handled(tool, context)
            return feedback_text(blocked.decision)
        finally:
            if token is not None:
                stop_running(token)
        return await _released_value(tool, context, value, run=run, guard=guard)

    return judged


async def _released_value(
    tool: Any, context: Any, value: Any, *, run: AgentRun, guard: Guard
) -> Any:
    """Return the tool's value, or feedback if its result is withheld."""
    call_id = getattr(context, "tool_call_id", "")
    if call_id and _is_paused(context):
        run.paused[call_id] = guard
        guard.pause()
        return value
    guard.value = result_value(value)
    try:
        await guard.__aexit__(None, None, None)
    except (CallBlocked, ResultBlocked) as blocked:
        _mark_failure_handled(tool, context)
        return feedback_text(blocked.decision)
    return value


async def _call_tool(invoke: Callable[[], Any], inner_scope: RunScope | None) -> Any:
    """Call the tool; if it runs an agent, that run is judged, too."""
    token = INNER.set(inner_scope)
    try:
        value = invoke()
        return await value if isinstance(value, Awaitable) else value
    finally:
        INNER.reset(token)


def _is_paused(context: Any) -> bool:
    """Return whether a tool that runs an agent waits for an approval, and will be called again."""
    call = getattr(context, "tool_call", None)
    if call is None:
        return False
    waits = peek_agent_tool_run_result(call, scope_id=get_agent_tool_state_scope(context))
    return bool(getattr(waits, "interruptions", None))


def _mark_failure_handled(tool: Any, context: Any) -> None:
    """
    Let feedback pass for a tool with a declared output: the SDK does not validate its own errors.
    """
    if getattr(tool, "output_json_schema", None) is not None:
        context._function_tool_default_failure_handled = True
