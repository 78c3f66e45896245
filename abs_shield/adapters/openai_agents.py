"""The OpenAI Agents SDK: every turn of a run is judged as a whole, every tool at its dispatch."""

from __future__ import annotations

import copy
import functools
import weakref
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from agents import (
    Agent,
    AgentHooks,
    CustomTool,
    FunctionTool,
    Handoff,
    RunConfig,
    RunContextWrapper,
    Runner,
    Tool,
    ToolErrorFormatterArgs,
)
from agents.agent_tool_state import get_agent_tool_state_scope, peek_agent_tool_run_result
from agents.tracing import get_current_trace

from abs_shield.core import Decision, Mode, ToolCall
from abs_shield.errors import CallBlocked
from abs_shield.session import Session
from abs_shield.session.scope import RUNNING
from abs_shield.shield import Shield
from abs_shield.shield.guard import Guard
from abs_shield.shield.seam import Seam
from abs_shield.shield.turns import feedback_text

_RUN = "_abs_shield_run"
_SHOWN = frozenset({"message", "reasoning"})
_TEXT = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
    "additionalProperties": False,
}
"""What a custom tool takes: one free text."""


class ShieldedRunner:
    """
    Stands where `agents.Runner` stood: the same runs, judged.

    Share it between runs, tasks and threads.

    Args:
        firewall: The Shield.
        session: The session of every run; the current one, that of the run's conversation, or a
            new one for each run where None.
    """

    def __init__(self, firewall: Shield, *, session: Session | None = None) -> None:
        self._firewall = firewall
        self._desk = _Desk(firewall, session)

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """
        Give the agent as it is run here, such as to make a tool of it, or to restore a run state.

        Args:
            agent: The agent; it is left as it is.
        """
        return self._desk.shielded(agent)

    async def run(self, starting_agent: Agent[Any], input: Any, **options: Any) -> Any:
        """
        As ``Runner.run``.

        Args:
            starting_agent: The agent to start with.
            input: The user's text, a list of items, or a run state to go on with.
            options: The options of ``Runner.run``, ``run_config`` included.

        Returns:
            The SDK's ``RunResult``.
        """
        with self._asked(options):
            return await Runner.run(self.agent(starting_agent), input, **options)

    def run_sync(self, starting_agent: Agent[Any], input: Any, **options: Any) -> Any:
        """As ``Runner.run_sync``."""
        with self._asked(options):
            return Runner.run_sync(self.agent(starting_agent), input, **options)

    def run_streamed(self, starting_agent: Agent[Any], input: Any, **options: Any) -> Any:
        """As ``Runner.run_streamed``."""
        with self._asked(options):
            return Runner.run_streamed(self.agent(starting_agent), input, **options)

    @contextmanager
    def _asked(self, options: dict[str, Any]) -> Iterator[None]:
        """Complete the options; what a run that fails has proposed is told as it stands."""
        options["run_config"] = shielded_config(options.get("run_config"), firewall=self._firewall)
        conversation = options.get("conversation_id")
        kept = bool(conversation or options.get("previous_response_id"))
        history = getattr(options.get("session"), "session_id", None)
        asked = _Asked(conversation or history, kept)
        token = _ASKED.set(asked)
        try:
            yield
        except BaseException:
            for session in asked.sessions:
                session.settle()
            raise
        finally:
            _ASKED.reset(token)


def shielded_agent(
    agent: Agent[Any], *, firewall: Shield, session: Session | None = None
) -> Agent[Any]:
    """
    Give a copy of an agent, of its tools and of the agents it hands off to, that is judged.

    `ShieldedRunner` does so by itself, and tells the model of calls of unknown tools as well;
    with ``Runner.run`` that takes `shielded_config`.

    Args:
        agent: The agent; it is left as it is.
        firewall: The Shield.
        session: The session of every run; the current one, that of the run's trace group, or a
            new one for each run where None.
    """
    return _Desk(firewall, session).shielded(agent)


def shielded_config(
    config: RunConfig | Mapping[str, Any] | None = None, *, firewall: Shield
) -> RunConfig:
    """
    Give a run's configuration with which the model, and not the host, hears of unknown tools.

    Args:
        config: The configuration so far; it is left as it is.
        firewall: The Shield; where its policy enforces nothing, nothing is changed.
    """
    given: Any = config
    if config is None or isinstance(config, Mapping):
        given = RunConfig(**(config or {}))
    enforced = Mode.STRICT in (firewall.policy.mode, *firewall.policy.modes.values())
    if not enforced or isinstance(given.tool_error_formatter, _Unknown):
        return given
    return replace(
        given,
        tool_not_found_behavior="return_error_to_model",
        tool_error_formatter=_Unknown(given.tool_error_formatter),
    )


@dataclass(frozen=True)
class _Unknown:
    """Answers the call of an unknown tool with feedback, all else as the host does."""

    host: Callable[[ToolErrorFormatterArgs[Any]], Any] | None

    def __call__(self, args: ToolErrorFormatterArgs[Any]) -> Any:
        run = getattr(args.run_context, _RUN, None)
        decision = None if run is None else run.unknown.get(args.call_id)
        if args.kind == "tool_not_found" and decision is not None and decision.blocked:
            return feedback_text(decision)
        return None if self.host is None else self.host(args)


@dataclass(frozen=True)
class _Asked:
    """What the one who starts a run says of its conversation, and the sessions it came to."""

    conversation: str | None
    kept: bool
    sessions: list[Session] = field(default_factory=list)


_ASKED: ContextVar[_Asked | None] = ContextVar("abs_shield.openai_agents.asked", default=None)


class _Run:
    """One run of the SDK, over all its turns and handoffs: whose session, what is open."""

    def __init__(self, desk: _Desk, context: RunContextWrapper[Any], session: Session) -> None:
        self.desk = desk
        self.usage = context.usage
        self.session = session
        self.offered: frozenset[str] = frozenset()
        self.apart: frozenset[str] = frozenset()
        self.unknown: dict[str | None, Decision] = {}
        self.paused: dict[str, Guard] = {}
        self._waits: set[str | None] = set()
        self._prompts: set[str] = set()
        self.listened = False

    def step(self, agent: Agent[Any], tools: Iterable[Tool]) -> None:
        """The model is about to be asked by *agent*, with these tools."""
        self._speaks(agent)
        judged = [tool for tool in tools if isinstance(tool, (FunctionTool, CustomTool))]
        handoffs = [_handoff_shape(target) for target in agent.handoffs]
        apart = {tool.name for tool in tools if tool not in judged}
        apart |= {shape["name"] for shape in handoffs}
        if agent.output_type not in (None, str):
            apart.add("json_tool_call")  # how some providers give a structured answer
        shapes = [_shape(tool) for tool in judged]
        self.offered = frozenset(shape["name"] for shape in shapes)
        self.apart = frozenset(apart) - self.offered
        self.desk.seam.offer(self.session, [*shapes, *handoffs])

    def listen(self, agent: Agent[Any], prompt: str | None, items: Any) -> None:
        """Take in what the model is sent."""
        self.listened = True
        if prompt and prompt not in self._prompts:
            self._prompts.add(prompt)
            self.session.system(prompt)
        if agent.prompt is not None:
            self.session.opaque("the agent's prompt is kept by the provider")
        self.desk.seam.hear(self.session, [self._told(item) for item in items])
        self._speaks(agent)

    def propose(self, agent: Agent[Any], output: Iterable[Any]) -> None:
        """Judge all that the model proposed in one turn; what is unknown is never dispatched."""
        self._speaks(agent)
        calls = []
        for item in output:
            call = _call(item)
            kind = _member(item, "type")
            if call is not None and call.name not in self.apart:
                calls.append(call)
            elif call is None and kind not in _SHOWN:
                self.session.opaque(f"the model was shown a {str(kind)[:40]}")
        self._waits |= {call.id for call in calls}
        firewall = self.desk.firewall
        firewall.inspect_turn(calls, session=self.session)
        for call in calls:
            if call.name not in self.offered:
                self.unknown[call.id] = firewall.check_call(call, session=self.session)

    def guard(self, call: ToolCall) -> Guard:
        """Stand around the dispatch of *call*."""
        if not self.listened:
            self.session.opaque("the run goes on from a state, and what it heard was not seen here")
        self._waits.discard(call.id)
        return self.desk.firewall.guard(call, session=self.session)

    def _speaks(self, agent: Agent[Any]) -> None:
        trace = get_current_trace()
        run = trace.trace_id if trace and trace.trace_id.startswith("trace_") else None
        model = agent.model if isinstance(agent.model, str) else None
        model = model or getattr(agent.model, "model", None)
        self.session.run_id = run or self.session.run_id
        self.session.model = model if isinstance(model, str) else self.session.model
        self.session.handoff(agent.name)

    def _told(self, item: Any) -> Any:
        """One item of the conversation; what was answered without a dispatch did not run."""
        if not isinstance(item, Mapping):
            return item
        if item.get("namespace") and item.get("type") == "function_call":
            return {**item, "name": _qualified(item.get("name"), item.get("namespace"))}
        is_output = item.get("type") in ("function_call_output", "custom_tool_call_output")
        if is_output and item.get("call_id") in self._waits:
            return {**item, "error": True}
        return item


class _Desk:
    """One Shield in front of a set of agents; it keeps nothing of a run."""

    def __init__(self, firewall: Shield, session: Session | None) -> None:
        self.firewall = firewall
        self.seam = Seam(firewall, session)

    # The agents ----------------------------------------------------------------------------------

    def shielded(self, agent: Agent[Any], known: dict[int, Agent[Any]] | None = None) -> Agent[Any]:
        """Give the copy of *agent*, one for each agent of its graph, cycles included."""
        known = {} if known is None else known
        if getattr(agent, "_desk", None) is self or not isinstance(agent, Agent):
            return agent
        if id(agent) in known:
            return known[id(agent)]
        kind = type(agent)
        members = {"_desk": self, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
        copied: Any = object.__new__(type(kind.__name__, (_Shielded, kind), members))
        copied.__dict__ |= {k: v for k, v in agent.__dict__.items() if k != "hooks"}
        copied.__dict__["_original"] = agent  # its id stands for it in *known*
        known[id(agent)] = copied
        copied.hooks = agent.hooks
        copied.tools = [self.tool(tool) for tool in agent.tools]
        copied.handoffs = [self._handoff(target, known) for target in agent.handoffs]
        return copied

    def _handoff(self, target: Any, known: dict[int, Agent[Any]]) -> Any:
        if not isinstance(target, Handoff):
            return self.shielded(target, known)
        invoke = target.on_invoke_handoff

        @functools.wraps(invoke)
        async def handed(context: RunContextWrapper[Any], arguments: str) -> Any:
            return self.shielded(await invoke(context, arguments), known)

        copied = copy.copy(target)
        copied.on_invoke_handoff = handed
        agent = None if target._agent_ref is None else target._agent_ref()
        if agent is not None:
            copied._agent_ref = weakref.ref(self.shielded(agent, known))
        return copied

    def tool(self, tool: Tool) -> Tool:
        """Give the copy of *tool* whose calls are judged; hosted tools run elsewhere."""
        if not isinstance(tool, (FunctionTool, CustomTool)) or getattr(tool, "_desk", None) is self:
            return tool
        copied = copy.copy(tool)
        invoke = copied.on_invoke_tool
        copied.__dict__["_desk"] = self
        if hasattr(invoke, "_invoke_tool_impl"):
            # Inside of the SDK's own handler, where the tool's own error is seen, and the SDK
            # still knows the tool's callable and its arguments.
            inner = copy.copy(invoke)
            inner._invoke_tool_impl = self._judged(copied, invoke._invoke_tool_impl)
            copied.on_invoke_tool = inner
        else:
            copied.on_invoke_tool = self._judged(copied, invoke)
        return copied

    # One call ------------------------------------------------------------------------------------

    def _judged(self, tool: Any, invoke: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
        name = _shape(tool)["name"]
        is_text = isinstance(tool, CustomTool)

        @functools.wraps(invoke)
        async def judged(context: Any, input: str) -> Any:
            run = self.run(context)
            call_id = getattr(context, "tool_call_id", "")
            call = ToolCall(name, {"input": input} if is_text else input, call_id or None)
            if (guard := run.paused.pop(call_id, None)) is not None:
                token = guard.running()
            else:
                token, guard = None, run.guard(call)
                try:
                    await guard.__aenter__()
                except CallBlocked as blocked:
                    return feedback_text(blocked.decision)
            with guard.failing():
                try:
                    value = invoke(context, input)
                    value = await value if isinstance(value, Awaitable) else value
                finally:
                    if token is not None:
                        RUNNING.reset(token)
            if call_id and _is_paused(tool, context):
                run.paused[call_id] = guard
                guard.leave()
                return value
            guard.value = value if isinstance(value, (dict, list)) else str(value)
            await guard.__aexit__(None, None, None)
            return value

        return judged

    # One run -------------------------------------------------------------------------------------

    def run(self, context: Any) -> _Run:
        """Give the run of a context; that of a tool's context is the one that goes on here."""
        run = getattr(context, _RUN, None)
        if run is None or run.desk is not self:
            run = _CURRENT.get()
            if run is None or run.desk is not self or run.usage is not context.usage:
                run = self._begun(context)
        return run

    def enter(self, context: RunContextWrapper[Any]) -> _Run:
        """Give the run of a run's own context, and make it current for the tools it calls."""
        run = getattr(context, _RUN, None)
        if run is None or run.desk is not self:
            run = self._begun(context)
            setattr(context, _RUN, run)  # a state that is resumed copies it
        run.usage = context.usage
        _CURRENT.set(run)
        return run

    def _begun(self, context: Any) -> _Run:
        running = RUNNING.get()
        if running is not None:  # an agent that is a tool
            return _Run(self, context, running.child())
        asked = _ASKED.get() or _Asked(None, False)
        trace = get_current_trace()
        session = self.seam.session(asked.conversation or getattr(trace, "group_id", None))
        if asked.kept and not session.turns:
            session.opaque("the conversation so far is kept by the provider")
        asked.sessions.append(session)
        return _Run(self, context, session)


_CURRENT: ContextVar[_Run | None] = ContextVar("abs_shield.openai_agents.run", default=None)


class _Shielded:
    """What the copy of an agent does beside its own: it says what it hears and offers."""

    _desk: _Desk

    @property
    def hooks(self) -> Any:
        """The host's hooks, behind ours."""
        return self.__dict__["_hooks"]

    @hooks.setter
    def hooks(self, host: Any) -> None:
        self.__dict__["_hooks"] = _Hooks(
            self._desk, host.host if isinstance(host, _Hooks) else host
        )

    async def get_all_tools(self, run_context: RunContextWrapper[Any]) -> list[Any]:
        """Give the tools of this step, those of MCP servers included."""
        desk = self._desk
        run = desk.enter(run_context)
        tools = [desk.tool(tool) for tool in await super().get_all_tools(run_context)]  # type: ignore[misc]
        run.step(self, tools)  # type: ignore[arg-type]
        return tools


class _Hooks(AgentHooks[Any]):
    """Hears what the model is sent and what it proposes, then tells the host's hooks."""

    def __init__(self, desk: _Desk, host: Any) -> None:
        self.desk = desk
        self.host = AgentHooks() if host is None else host

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["host"], name)

    async def on_llm_start(
        self, context: Any, agent: Any, system_prompt: str | None, input_items: Any
    ) -> None:
        self.desk.run(context).listen(agent, system_prompt, input_items)
        await self.host.on_llm_start(context, agent, system_prompt, input_items)

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        self.desk.run(context).propose(agent, response.output)
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


def _call(item: Any) -> ToolCall | None:
    """The call that an item of the model's answer holds, its arguments as they were written."""
    kind = _member(item, "type")
    name = _qualified(_member(item, "name"), _member(item, "namespace"))
    if kind == "function_call":
        return ToolCall(name, _member(item, "arguments"), _member(item, "call_id"))
    if kind == "custom_tool_call":
        return ToolCall(name, {"input": _member(item, "input")}, _member(item, "call_id"))
    return None


def _qualified(name: Any, namespace: Any) -> str:
    """A tool's name; a tool that was loaded late bears its own name as a namespace."""
    return str(name) if not namespace or namespace == name else f"{namespace}.{name}"


def _shape(tool: Any) -> dict[str, Any]:
    if isinstance(tool, CustomTool):
        return {"name": tool.name, "description": tool.description, "parameters": _TEXT}
    hints = tool.mcp_annotations
    return {
        "name": tool.qualified_name,
        "description": tool.description,
        "parameters": tool.params_json_schema,
        "annotations": None if hints is None else hints.model_dump(exclude_none=True),
    }


def _handoff_shape(target: Any) -> dict[str, Any]:
    if isinstance(target, Handoff):
        return {"name": target.tool_name, "parameters": target.input_json_schema}
    return {"name": Handoff.default_tool_name(target), "parameters": {}}


def _is_paused(tool: Any, context: Any) -> bool:
    """Whether a tool that is an agent waits for an approval: it will be called again."""
    call = getattr(context, "tool_call", None)
    if call is None or not getattr(tool, "_is_agent_tool", False):
        return False
    waits = peek_agent_tool_run_result(call, scope_id=get_agent_tool_state_scope(context))
    return bool(getattr(waits, "interruptions", None))


def _member(item: Any, name: str) -> Any:
    """Give a member of a dict, or of an SDK's object."""
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
