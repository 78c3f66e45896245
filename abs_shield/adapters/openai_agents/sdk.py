"""The places of the SDK at which a run is judged; any other run passes them as before."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any

from agents import Agent, CustomTool, FunctionTool, RunState, agent_tool_state, function_tool
from agents import run as sdk_run
from agents import tool as sdk_tool
from agents.lifecycle import RunHooksBase
from agents.run_internal import run_loop, tool_execution

from abs_shield.adapters.openai_agents.config import answered_config
from abs_shield.adapters.openai_agents.dispatch import hook_custom_tool, judged_tool
from abs_shield.adapters.openai_agents.hooks import Listener
from abs_shield.adapters.openai_agents.run import (
    CURRENT_RUN,
    GUARD,
    INNER,
    NEXT,
    Entry,
    agent_runs,
    known_run,
)
from abs_shield.core.forked import renewed
from abs_shield.errors import ShieldError
from abs_shield.session.session_record import record_of

_INVOKE = "_invoke_function_tool_with_metadata"
_EXCUSE = "_function_tool_default_failure_handled"
_DONE: list[bool] = []
_LOCK = renewed(Lock())


def install() -> None:
    """
    Judge at the SDK's own places from now on; called at the adapter's first use.

    Raises:
        ShieldError: The SDK lacks a part that judging depends on.
    """
    with _LOCK:
        if _DONE:
            return
        gone = list(missing_parts())
        if gone:
            raise ShieldError(
                f"this openai-agents cannot be guarded: {', '.join(gone)} is gone or has changed; "
                "install a version that `abs-shield[openai-agents]` allows"
            )
        runner: Any = sdk_run.AgentRunner
        runner.run = _run(runner.run)
        runner.run_streamed = _run_streamed(runner.run_streamed)
        # A subclass may have a `get_all_tools` of its own; a run that is resumed asks the agent.
        for owner in (Agent, run_loop):
            asks: Any = owner
            asks.get_all_tools = _get_all_tools(asks.get_all_tools)
        setattr(tool_execution, _INVOKE, _invoke(getattr(tool_execution, _INVOKE)))
        _DONE.append(True)


def missing_parts() -> Iterator[str]:
    """Name each part of the SDK that is gone or has changed; nothing is sent anywhere."""
    agent: Agent[Any] = Agent(name="a")
    made: Any = function_tool(_probe)
    inner: Any = agent.as_tool("a", "a")
    parts: dict[str, bool] = {
        "`FunctionTool.on_invoke_tool._invoke_tool_impl`": all(
            hasattr(tool.on_invoke_tool, "_invoke_tool_impl") for tool in (made, inner)
        ),
        "`FunctionTool._is_agent_tool`": getattr(inner, "_is_agent_tool", False) is True,
        "`FunctionTool._agent_instance`": getattr(inner, "_agent_instance", None) is agent,
        f"`ToolContext.{_EXCUSE}`": getattr(sdk_tool, "_DEFAULT_FAILURE_HANDLED_ATTR", "")
        == _EXCUSE,
        "`agents.agent_tool_state`": _takes(
            getattr(agent_tool_state, "peek_agent_tool_run_result", None), "scope_id"
        )
        and hasattr(agent_tool_state, "get_agent_tool_state_scope"),
        f"`agents.run_internal.tool_execution.{_INVOKE}`": _takes(
            getattr(tool_execution, _INVOKE, None), "function_tool", "context", "arguments"
        ),
        "`Agent.get_all_tools`": _takes(getattr(Agent, "get_all_tools", None), "run_context"),
        "`agents.run_internal.run_loop.get_all_tools`": _takes(
            getattr(run_loop, "get_all_tools", None), "agent", "context_wrapper"
        ),
        "`RunState._context`": "_context" in getattr(RunState, "__dataclass_fields__", ()),
    }
    for name in ("run", "run_streamed"):
        method = getattr(getattr(sdk_run, "AgentRunner", None), name, None)
        parts[f"`AgentRunner.{name}`"] = _takes(method, "starting_agent", "input", "kwargs")
    yield from (name for name, is_there in parts.items() if not is_there)


def _probe() -> str:
    return ""


def _takes(function: Any, *names: str) -> bool:
    return callable(function) and {*names} <= {*inspect.signature(function).parameters}


@contextmanager
def _entered(agent: Any, state: Any, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Make a run judged or not, whatever the run around it is; yield its options."""
    entry = _entry(agent, state, options.get("context"))
    if entry is not None:
        entry = entry.heard(options)
        options = _options(options, entry)
    tokens = [(var, var.set(value)) for var, value in _scope(entry)]
    try:
        yield options
    except BaseException:
        for session in () if entry is None else entry.sessions:
            record_of(session).settle()  # what a run that fails has proposed is logged as it stands
        raise
    finally:
        for var, token in tokens:
            var.reset(token)


def _scope(entry: Entry | None) -> list[tuple[Any, Any]]:
    return [(GUARD, entry), (NEXT, None), (INNER, None), (CURRENT_RUN, CURRENT_RUN.get())]


def _entry(agent: Any, state: Any, context: Any) -> Entry | None:
    """How a run is judged: by its runner, its agent, the tool that it is, or its state."""
    if (entry := NEXT.get()) is not None:
        return entry
    if (runs := agent_runs(agent)) is not None:
        return Entry(runs)
    inner = INNER.get()
    if inner is not None and inner.is_of(agent, context):
        return inner
    run = known_run(state._context) if isinstance(state, RunState) else None
    return None if run is None else Entry(run.runs)


def _options(options: Mapping[str, Any], entry: Entry) -> dict[str, Any]:
    host, given = options.get("hooks"), dict(options)
    if host is None or isinstance(host, RunHooksBase):  # the SDK refuses all else
        given["hooks"] = Listener(entry.runs, host, flags_output=entry.flags_output)
    if entry.answers:
        config = options.get("run_config")
        given["run_config"] = answered_config(config, firewall=entry.runs.firewall)
    return given


def _run(theirs: Any) -> Any:
    @functools.wraps(theirs)
    async def run(self: Any, starting_agent: Any, input: Any, **kwargs: Any) -> Any:
        with _entered(starting_agent, input, kwargs) as options:
            return await theirs(self, starting_agent, input, **options)

    return run


def _run_streamed(theirs: Any) -> Any:
    @functools.wraps(theirs)
    def run_streamed(self: Any, starting_agent: Any, input: Any, **kwargs: Any) -> Any:
        with _entered(starting_agent, input, kwargs) as options:
            return theirs(self, starting_agent, input, **options)

    return run_streamed


def _get_all_tools(theirs: Any) -> Any:
    @functools.wraps(theirs)
    async def get_all_tools(agent: Any, run_context: Any) -> Any:
        entry = GUARD.get()
        if entry is None:
            return await theirs(agent, run_context)
        run = entry.runs.enter(run_context)
        tools = await theirs(agent, run_context)
        for tool in tools:
            if isinstance(tool, CustomTool):
                hook_custom_tool(tool)
        run.offer(agent, tools)
        return tools

    return get_all_tools


def _invoke(theirs: Any) -> Any:
    @functools.wraps(theirs)
    async def invoke(*, function_tool: FunctionTool, **more: Any) -> Any:
        entry = GUARD.get()
        tool = function_tool if entry is None else judged_tool(function_tool, entry)
        return await theirs(function_tool=tool, **more)

    return invoke
