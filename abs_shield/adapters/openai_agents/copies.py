"""Copies of agents, handoffs and tools that run as theirs do, and are judged."""

from __future__ import annotations

import copy
import functools
import logging
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

from agents import Agent, AgentHooks, CustomTool, FunctionTool, Handoff, RunContextWrapper, Tool
from agents.agent_tool_state import get_agent_tool_state_scope, peek_agent_tool_run_result

from abs_shield.adapters.openai_agents.run import Runs
from abs_shield.adapters.openai_agents.shapes import given, tool_shape
from abs_shield.core import ToolCall
from abs_shield.errors import CallBlocked, ResultBlocked
from abs_shield.session.scope import stop_running
from abs_shield.shield.turns import feedback_text

Known = dict[int, Agent[Any]]
logger = logging.getLogger("abs_shield")
_UNJUDGED = (
    "tool `%s` runs an agent whose own calls are not judged; "
    "make it of the copy: `runner.agent(agent).as_tool(...)`"
)


class Copies:
    """Makes the copies; what is one already is given as it is."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self._kinds: dict[type, type] = {}

    def agent(self, agent: Agent[Any], known: Known | None = None) -> Agent[Any]:
        """
        Give the copy of an agent.

        Args:
            agent: The agent.
            known: Id of an agent of its graph to that agent's copy, for handoffs in a circle.
        """
        known = {} if known is None else known
        if self._is_copy(agent) or not isinstance(agent, Agent):
            return agent
        if id(agent) in known:
            return known[id(agent)]
        copied: Any = object.__new__(self._kind(type(agent)))
        copied.__dict__ |= {k: v for k, v in agent.__dict__.items() if k != "hooks"}
        copied.__dict__["_original"] = agent  # alive, so that its id in *known* stays its own
        known[id(agent)] = copied
        copied.hooks = agent.hooks
        copied.tools = [self.tool(tool) for tool in agent.tools]
        copied.handoffs = [self.handoff(target, known) for target in agent.handoffs]
        shielded: Agent[Any] = copied
        return shielded

    def handoff(self, target: Any, known: Known) -> Any:
        """Give the copy of what an agent hands off to: an agent, or a `Handoff`."""
        if self._is_copy(target):
            return target
        if not isinstance(target, Handoff):
            return self.agent(target, known)
        invoke = target.on_invoke_handoff

        @functools.wraps(invoke)
        async def handed(context: RunContextWrapper[Any], arguments: str) -> Any:
            return self.agent(await invoke(context, arguments), dict(known))

        copied = copy.copy(target)
        copied.__dict__["_copies"] = self
        copied.on_invoke_handoff = handed
        agent = None if target._agent_ref is None else target._agent_ref()
        if isinstance(agent, Agent):
            copied._agent_ref = weakref.ref(self.agent(agent, known))
        return copied

    def tool(self, tool: Tool) -> Tool:
        """Give the copy of a tool; a hosted tool runs elsewhere, and stays as it is."""
        if self._is_copy(tool) or not isinstance(tool, (FunctionTool, CustomTool)):
            return tool
        inside = getattr(tool, "_agent_instance", None)
        if inside is not None and not self._is_copy(inside):
            logger.warning(_UNJUDGED, tool.name)
        copied = copy.copy(tool)
        copied.__dict__["_copies"] = self
        invoke = copied.on_invoke_tool
        if hasattr(invoke, "_invoke_tool_impl"):
            # Inside of the SDK's own handler of errors: there the tool's own error is seen, and
            # the SDK still finds the function and its arguments.
            inner = copy.copy(invoke)
            inner._invoke_tool_impl = self._judged(copied, invoke._invoke_tool_impl)
            copied.on_invoke_tool = inner
        else:
            copied.on_invoke_tool = self._judged(copied, invoke)
        return copied

    def _judged(self, tool: Any, invoke: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
        name = tool_shape(tool)["name"]
        is_text = isinstance(tool, CustomTool)

        @functools.wraps(invoke)
        async def judged(context: Any, input: str) -> Any:
            run = self.runs.of(context)
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
            with guard.failing():
                try:
                    value = invoke(context, input)
                    value = await value if isinstance(value, Awaitable) else value
                finally:
                    if token is not None:
                        stop_running(token)
            if call_id and _is_paused(tool, context):
                run.paused[call_id] = guard
                guard.leave()
                return value
            guard.value = given(value)
            try:
                await guard.__aexit__(None, None, None)
            except ResultBlocked as withheld:
                _excuse(tool, context)
                return feedback_text(withheld.decision)
            return value

        return judged

    def _kind(self, kind: type) -> type:
        """The class of the copies of one class of agents."""
        if kind not in self._kinds:
            names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
            self._kinds[kind] = type(kind.__name__, (_Copy, kind), {"_copies": self, **names})
        return self._kinds[kind]

    def _is_copy(self, given: Any) -> bool:
        copies = getattr(given, "_copies", None)
        return isinstance(copies, Copies) and copies.runs.firewall is self.runs.firewall


class _Copy:
    """What the copy of an agent does beside its own: it says what it hears and offers."""

    _copies: Copies
    handoffs: list[Any]

    @property
    def hooks(self) -> Any:
        """The host's hooks, behind ours."""
        return self.__dict__["_hooks"]

    @hooks.setter
    def hooks(self, host: Any) -> None:
        host = host.host if isinstance(host, _Hooks) else host
        self.__dict__["_hooks"] = _Hooks(self._copies.runs, host)

    async def get_all_tools(self, run_context: RunContextWrapper[Any]) -> list[Any]:
        """Give the tools of this step, those of MCP servers and late ones included."""
        copies = self._copies
        run = copies.runs.enter(run_context)
        known: Known = {}
        handoffs = [copies.handoff(target, known) for target in self.handoffs]
        if any(new is not old for new, old in zip(handoffs, self.handoffs, strict=True)):
            self.handoffs = handoffs
        given = await super().get_all_tools(run_context)  # type: ignore[misc]
        tools = [copies.tool(tool) for tool in given]
        run.offer(self, tools)  # type: ignore[arg-type]
        return tools


class _Hooks(AgentHooks[Any]):
    """Hears what the model is sent and what it proposes, then tells the host's hooks."""

    def __init__(self, runs: Runs, host: Any) -> None:
        self._runs = runs
        self.host = AgentHooks() if host is None else host

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__.get("host"), name)

    async def on_llm_start(
        self, context: Any, agent: Any, system_prompt: str | None, input_items: Any
    ) -> None:
        self._runs.of(context).listen(agent, system_prompt, input_items)
        await self.host.on_llm_start(context, agent, system_prompt, input_items)

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        self._runs.of(context).propose(agent, response.output)
        await self.host.on_llm_end(context, agent, response)

    async def on_start(self, context: Any, agent: Any) -> None:
        await self.host.on_start(context, agent)

    async def on_end(self, context: Any, agent: Any, output: Any) -> None:
        await self.host.on_end(context, agent, output)

    async def on_handoff(self, context: Any, agent: Any, source: Any) -> None:
        await self.host.on_handoff(context, agent, source)

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        await self.host.on_tool_start(context, agent, tool)

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        await self.host.on_tool_end(context, agent, tool, result)


def _is_paused(tool: Any, context: Any) -> bool:
    """Whether a tool that is an agent waits for an approval: it will be called again."""
    call = getattr(context, "tool_call", None)
    if call is None or not getattr(tool, "_is_agent_tool", False):
        return False
    waits = peek_agent_tool_run_result(call, scope_id=get_agent_tool_state_scope(context))
    return bool(getattr(waits, "interruptions", None))


def _excuse(tool: Any, context: Any) -> None:
    """Feedback is no value of a tool with a declared output: the SDK passes over its own errors."""
    if getattr(tool, "output_json_schema", None) is not None:
        context._function_tool_default_failure_handled = True
