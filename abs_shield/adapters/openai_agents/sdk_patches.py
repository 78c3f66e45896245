"""Patches of the SDK that judge each call of marked runs; other runs are not changed."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any

from agents import Agent, CustomTool, FunctionTool, RunState, agent_tool_state, function_tool
from agents import run as sdk_run
from agents import tool as sdk_tool
from agents.agent_tool_state import get_agent_tool_state_scope, peek_agent_tool_run_result
from agents.lifecycle import RunHooksBase
from agents.run_internal import run_loop, tool_execution

from abs_shield.adapters.openai_agents.run_config import answer_missing_tools
from abs_shield.adapters.openai_agents.run_context import (
    CURRENT_RUN,
    GUARD,
    INNER,
    NEXT,
    AgentRun,
    AgentToolRefused,
    RunScope,
    agent_runs,
    run_of,
)
from abs_shield.adapters.openai_agents.run_hooks import ShieldRunHooks
from abs_shield.adapters.openai_agents.sdk_items import result_value, tool_shape
from abs_shield.core import ToolCall
from abs_shield.core.fork_safety import renewed
from abs_shield.errors import CallBlocked, ResultBlocked, ShieldError
from abs_shield.session.session_context import stop_running
from abs_shield.session.session_record import record_of
from abs_shield.shield.guard import Guard
from abs_shield.shield.tool_call_loop import feedback_text

Invoke = Callable[[Any, str], Any]
_HOOK = "_abs_shield_hook"


def judge_tool(tool: FunctionTool, scope: RunScope) -> FunctionTool:
    """
    Return a copy of *tool* that judges its dispatch.

    The host's hooks and results still reference the original tool.
    """
    copied = copy.copy(tool)
    invoke: Any = copied.on_invoke_tool
    if not hasattr(invoke, "_invoke_tool_impl"):
        copied.on_invoke_tool = _wrap_invoke(tool, invoke, scope)
        return copied
    # Wrapped inside the SDK's error handler, so that the guard receives the tool's own error, and
    # the SDK still finds the function and its arguments.
    wrapped = copy.copy(invoke)
    wrapped._invoke_tool_impl = _wrap_invoke(tool, invoke._invoke_tool_impl, scope)
    copied.on_invoke_tool = wrapped
    return copied


def hook_custom_tool(tool: CustomTool) -> None:
    """Make a custom tool judge its calls in judged runs; in other runs it is called directly."""
    invoke = tool.on_invoke_tool
    # it may be hooked already, because `get_all_tools` runs before each turn
    if hasattr(invoke, _HOOK):
        return

    @functools.wraps(invoke)
    async def invoke_hooked(context: Any, input: str) -> Any:
        scope = GUARD.get()
        if scope is not None:
            return await _wrap_invoke(tool, invoke, scope)(context, input)
        value: Any = invoke(context, input)
        return await value if isinstance(value, Awaitable) else value

    setattr(invoke_hooked, _HOOK, True)
    tool.on_invoke_tool = invoke_hooked


def _wrap_invoke(tool: Any, invoke: Invoke, scope: RunScope) -> Callable[..., Awaitable[Any]]:
    name = tool_shape(tool)["name"]
    is_text = isinstance(tool, CustomTool)

    @functools.wraps(invoke)
    async def invoke_judged(context: Any, input: str) -> Any:
        run = scope.runs.current(context)
        call_id = getattr(context, "tool_call_id", "")
        call = ToolCall(name, {"input": input} if is_text else input, call_id or None)
        # a call that waited for an approval was judged earlier, and continues under its guard
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
            with guard.close_on_error():
                inner_scope = scope.inner_scope(tool, context)
                value = await _call_tool(functools.partial(invoke, context, input), inner_scope)
        except AgentToolRefused as refused:
            return str(refused)  # the SDK's text for an exception would not contain the reason
        except CallBlocked as blocked:
            if guard.nested_block is None:
                raise
            _mark_failure_handled(tool, context)
            return feedback_text(blocked.decision)
        finally:
            if token is not None:
                stop_running(token)
        return await _release_result(tool, context, value, run=run, guard=guard)

    return invoke_judged


async def _release_result(
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
    Let the SDK accept feedback from a tool with a declared output, as it accepts its own errors.
    """
    if getattr(tool, "output_json_schema", None) is not None:
        context._function_tool_default_failure_handled = True


_INVOKE = "_invoke_function_tool_with_metadata"
_HANDLED_ATTRIBUTE = "_function_tool_default_failure_handled"
_INSTALLED: list[bool] = []  # because two patches would judge each call twice
_LOCK = renewed(Lock())


def install() -> None:
    """
    Patch the SDK so that marked runs are judged; called at the adapter's first use.

    Raises:
        ShieldError: The SDK does not have an attribute that the adapter needs.
    """
    with _LOCK:
        if _INSTALLED:
            return
        missing = list(missing_parts())
        if missing:
            raise ShieldError(
                f"this version of openai-agents is not supported: {', '.join(missing)} changed; "
                "install a version that `abs-shield[openai-agents]` allows"
            )
        runner: Any = sdk_run.AgentRunner
        runner.run = _patch_run(runner.run)
        runner.run_streamed = _patch_run_streamed(runner.run_streamed)
        # A subclass may override `get_all_tools`; a resumed run calls it on the agent.
        for owner in (Agent, run_loop):
            any_owner: Any = owner
            any_owner.get_all_tools = _patch_get_all_tools(any_owner.get_all_tools)
        setattr(tool_execution, _INVOKE, _patch_invoke(getattr(tool_execution, _INVOKE)))
        _INSTALLED.append(True)


def missing_parts() -> Iterator[str]:
    """Yield each attribute of the SDK that is missing or has changed, without any request."""
    # real objects, because attributes set in `__init__` are not visible on a class
    agent: Agent[Any] = Agent(name="a")
    plain: Any = function_tool(_sample_tool)
    agent_tool: Any = agent.as_tool("a", "a")
    parts: dict[str, bool] = {
        "`FunctionTool.on_invoke_tool._invoke_tool_impl`": all(
            hasattr(tool.on_invoke_tool, "_invoke_tool_impl") for tool in (plain, agent_tool)
        ),
        "`FunctionTool._is_agent_tool`": getattr(agent_tool, "_is_agent_tool", False) is True,
        "`FunctionTool._agent_instance`": getattr(agent_tool, "_agent_instance", None) is agent,
        f"`ToolContext.{_HANDLED_ATTRIBUTE}`": getattr(
            sdk_tool, "_DEFAULT_FAILURE_HANDLED_ATTR", ""
        )
        == _HANDLED_ATTRIBUTE,
        "`agents.agent_tool_state`": _has_parameters(
            getattr(agent_tool_state, "peek_agent_tool_run_result", None), "scope_id"
        )
        and hasattr(agent_tool_state, "get_agent_tool_state_scope"),
        f"`agents.run_internal.tool_execution.{_INVOKE}`": _has_parameters(
            getattr(tool_execution, _INVOKE, None), "function_tool", "context", "arguments"
        ),
        "`Agent.get_all_tools`": _has_parameters(
            getattr(Agent, "get_all_tools", None), "run_context"
        ),
        "`agents.run_internal.run_loop.get_all_tools`": _has_parameters(
            getattr(run_loop, "get_all_tools", None), "agent", "context_wrapper"
        ),
        "`RunState._context`": "_context" in getattr(RunState, "__dataclass_fields__", ()),
    }
    for name in ("run", "run_streamed"):
        method = getattr(getattr(sdk_run, "AgentRunner", None), name, None)
        parts[f"`AgentRunner.{name}`"] = _has_parameters(
            method, "starting_agent", "input", "kwargs"
        )
    yield from (name for name, is_there in parts.items() if not is_there)


def _sample_tool() -> str:
    return ""


def _has_parameters(function: Any, *names: str) -> bool:
    return callable(function) and {*names} <= {*inspect.signature(function).parameters}


@contextmanager
def _judge_run(agent: Any, state: Any, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Set whether a run is judged, independently of an enclosing run, and yield its options."""
    scope = _scope_of(agent, state, options.get("context"))
    if scope is not None:
        scope = scope.with_options(options)
        options = _options(options, scope)
    tokens = [(var, var.set(value)) for var, value in _context_values(scope)]
    try:
        yield options
    except BaseException:  # also a cancelled task
        for session in () if scope is None else scope.sessions:
            record_of(session).settle()  # log the proposals that were not dispatched
        raise
    finally:
        for var, token in tokens:
            var.reset(token)


def _context_values(scope: RunScope | None) -> list[tuple[Any, Any]]:
    return [(GUARD, scope), (NEXT, None), (INNER, None), (CURRENT_RUN, CURRENT_RUN.get())]


def _scope_of(agent: Any, state: Any, context: Any) -> RunScope | None:
    """Return the scope of a run: that of its runner, its agent, its tool or its state."""
    if (scope := NEXT.get()) is not None:
        return scope
    if (runs := agent_runs(agent)) is not None:
        return RunScope(runs)
    inner = INNER.get()
    if inner is not None and inner.matches(agent, context):
        return inner
    run = run_of(state._context) if isinstance(state, RunState) else None
    return None if run is None else RunScope(run.runs)


def _options(options: Mapping[str, Any], scope: RunScope) -> dict[str, Any]:
    host, changed = options.get("hooks"), dict(options)
    if host is None or isinstance(host, RunHooksBase):  # the SDK rejects other values
        changed["hooks"] = ShieldRunHooks(scope.runs, host, flags_output=scope.flags_output)
    if scope.answers:
        config = options.get("run_config")
        changed["run_config"] = answer_missing_tools(config, firewall=scope.runs.firewall)
    return changed


def _patch_run(original: Any) -> Any:
    @functools.wraps(original)
    async def run(self: Any, starting_agent: Any, input: Any, **kwargs: Any) -> Any:
        with _judge_run(starting_agent, input, kwargs) as options:
            return await original(self, starting_agent, input, **options)

    return run


def _patch_run_streamed(original: Any) -> Any:
    @functools.wraps(original)
    def run_streamed(self: Any, starting_agent: Any, input: Any, **kwargs: Any) -> Any:
        with _judge_run(starting_agent, input, kwargs) as options:
            return original(self, starting_agent, input, **options)

    return run_streamed


def _patch_get_all_tools(original: Any) -> Any:
    @functools.wraps(original)
    async def get_all_tools(agent: Any, run_context: Any) -> Any:
        scope = GUARD.get()
        if scope is None:
            return await original(agent, run_context)
        run = scope.runs.enter_run(run_context)
        tools = await original(agent, run_context)
        for tool in tools:
            if isinstance(tool, CustomTool):
                hook_custom_tool(tool)
        run.offer(agent, tools)
        return tools

    return get_all_tools


def _patch_invoke(original: Any) -> Any:
    @functools.wraps(original)
    async def invoke(*, function_tool: FunctionTool, **more: Any) -> Any:
        scope = GUARD.get()
        tool = function_tool if scope is None else judge_tool(function_tool, scope)
        return await original(function_tool=tool, **more)

    return invoke
