"""The dispatch of a tool: the call is judged before the tool runs, and its result after."""

from __future__ import annotations

import copy
import functools
from collections.abc import Awaitable, Callable
from typing import Any

from agents import CustomTool, FunctionTool
from agents.agent_tool_state import get_agent_tool_state_scope, peek_agent_tool_run_result

from abs_shield.adapters.openai_agents.run import GUARD, INNER, AgentToolRefused, Entry, Run
from abs_shield.adapters.openai_agents.shapes import given, tool_shape
from abs_shield.core import ToolCall
from abs_shield.errors import CallBlocked, ResultBlocked
from abs_shield.session.session_context import stop_running
from abs_shield.shield.guard import Guard
from abs_shield.shield.turns import feedback_text

Invoke = Callable[[Any, str], Any]
_HOOK = "_abs_shield_hook"


def judged_tool(tool: FunctionTool, entry: Entry) -> FunctionTool:
    """
    Return a copy of *tool* for one dispatch, which is judged.

    The host never sees the copy: its hooks and results hold the tool itself.
    """
    copied = copy.copy(tool)
    invoke: Any = copied.on_invoke_tool
    if not hasattr(invoke, "_invoke_tool_impl"):
        copied.on_invoke_tool = _judged(tool, invoke, entry)
        return copied
    # Inside of the SDK's own handler of errors: there the tool's own error is seen, and the SDK
    # still finds the function and its arguments.
    inner = copy.copy(invoke)
    inner._invoke_tool_impl = _judged(tool, invoke._invoke_tool_impl, entry)
    copied.on_invoke_tool = inner
    return copied


def hook_custom_tool(tool: CustomTool) -> None:
    """Judge a custom tool in runs that are judged; in any other run it is called directly."""
    invoke = tool.on_invoke_tool
    if hasattr(invoke, _HOOK):
        return

    @functools.wraps(invoke)
    async def hooked(context: Any, input: str) -> Any:
        entry = GUARD.get()
        if entry is not None:
            return await _judged(tool, invoke, entry)(context, input)
        value: Any = invoke(context, input)
        return await value if isinstance(value, Awaitable) else value

    setattr(hooked, _HOOK, True)
    tool.on_invoke_tool = hooked


def _judged(tool: Any, invoke: Invoke, entry: Entry) -> Callable[..., Awaitable[Any]]:
    name = tool_shape(tool)["name"]
    is_text = isinstance(tool, CustomTool)

    @functools.wraps(invoke)
    async def judged(context: Any, input: str) -> Any:
        run = entry.runs.of(context)
        call_id = getattr(context, "tool_call_id", "")
        call = ToolCall(name, {"input": input} if is_text else input, call_id or None)
        guard, token = run.paused.pop(call_id, None), None
        if guard is not None:
            token = guard.running()
        else:
            guard = run.guard(call)
            try:
                await guard.__aenter__()
            except CallBlocked as blocked:
                _excuse(tool, context)
                return feedback_text(blocked.decision)
        try:
            with guard.failing():
                inner = entry.inner(tool, context)
                value = await _called(functools.partial(invoke, context, input), inner)
        except AgentToolRefused as refused:
            return str(refused)  # the SDK's own text for an exception would not say why
        except CallBlocked as blocked:
            if guard.stopped is None:
                raise
            _excuse(tool, context)
            return feedback_text(blocked.decision)
        finally:
            if token is not None:
                stop_running(token)
        return await _returned(tool, context, value, run=run, guard=guard)

    return judged


async def _returned(tool: Any, context: Any, value: Any, *, run: Run, guard: Guard) -> Any:
    """Return what the tool returned, or why its result is withheld."""
    call_id = getattr(context, "tool_call_id", "")
    if call_id and _is_paused(context):
        run.paused[call_id] = guard
        guard.leave()
        return value
    guard.value = given(value)
    try:
        await guard.__aexit__(None, None, None)
    except (CallBlocked, ResultBlocked) as blocked:
        _excuse(tool, context)
        return feedback_text(blocked.decision)
    return value


async def _called(invoke: Callable[[], Any], inner: Entry | None) -> Any:
    """Call the tool; where it runs an agent, that run is judged too."""
    token = INNER.set(inner)
    try:
        value = invoke()
        return await value if isinstance(value, Awaitable) else value
    finally:
        INNER.reset(token)


def _is_paused(context: Any) -> bool:
    """Whether a tool that runs an agent waits for an approval: it will be called again."""
    call = getattr(context, "tool_call", None)
    if call is None:
        return False
    waits = peek_agent_tool_run_result(call, scope_id=get_agent_tool_state_scope(context))
    return bool(getattr(waits, "interruptions", None))


def _excuse(tool: Any, context: Any) -> None:
    """Feedback is no value of a tool with a declared output: the SDK passes over its own errors."""
    if getattr(tool, "output_json_schema", None) is not None:
        context._function_tool_default_failure_handled = True
