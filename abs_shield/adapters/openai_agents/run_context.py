"""The state of one run of the SDK across its turns and handoffs, and lookup of the current run."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from agents import Agent, CustomTool, FunctionTool, RunContextWrapper, Tool
from agents.run import AgentRunner, get_default_agent_runner
from agents.tool_context import ToolContext
from agents.tracing import get_current_trace

from abs_shield.adapters.openai_agents.sdk_items import (
    as_message,
    call_of,
    handoff_shapes,
    tool_shape,
)
from abs_shield.core import Decision, Mode, ToolCall
from abs_shield.errors import ShieldError
from abs_shield.session import Session
from abs_shield.session.session_context import RUNNING
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.adapter_session import AdapterSession
from abs_shield.shield.guard import Guard
from abs_shield.shield.tool_messages import member

# an attribute of the SDK's context, which the SDK copies along with it
_RUN = "_abs_shield_run"
logger = logging.getLogger("abs_shield")
_UNJUDGED = (
    "tool `%s` runs an agent whose calls cannot be judged, because the tool does not name its "
    "agent, or the default runner of the SDK was replaced"
)
_READABLE = frozenset({"message", "reasoning"})


class AgentToolRefused(ShieldError):
    """A tool runs an agent whose calls cannot be judged, and the policy is strict."""


@dataclass(frozen=True)
class RunScope:
    """
    The Shield of one run, and the conversation options of the run.

    Attributes:
        runs: The runs of the Shield that judges this run.
        answers: Whether the run's configuration answers calls of unknown tools.
        agent: The agent that a tool runs; None if the host starts the run.
        call_context: The context of a call whose tool may run an agent without declaring that.
        conversation: The id of the conversation, from the options of the run.
        is_stored_remotely: Whether the provider stores the conversation so far.
        flags_output: Whether the text that ends the run is checked without revision.
        sessions: The sessions that the run used.
    """

    runs: AgentRuns
    answers: bool = False
    agent: Agent[Any] | None = None
    call_context: Any = None
    conversation: str | None = None
    is_stored_remotely: bool = False
    flags_output: bool = False
    sessions: list[Session] = field(default_factory=list)

    def with_options(self, options: Mapping[str, Any]) -> RunScope:
        """Return the scope of a run with these options."""
        conversation = options.get("conversation_id")
        return replace(
            self,
            conversation=conversation or getattr(options.get("session"), "session_id", None),
            is_stored_remotely=bool(conversation or options.get("previous_response_id")),
            sessions=[],
        )

    def inner_scope(self, tool: Any, context: Any) -> RunScope | None:
        """
        Return the scope of runs inside a tool that is an agent, or that may run one.

        Raises:
            AgentToolRefused: The inner run cannot be judged, and the policy is strict.
        """
        if not getattr(tool, "_is_agent_tool", False):
            return RunScope(self.runs, answers=self.answers, call_context=context)
        agent = getattr(tool, "_agent_instance", None)
        if isinstance(agent, Agent) and isinstance(get_default_agent_runner(), AgentRunner):
            return RunScope(self.runs, answers=self.answers, agent=agent)
        if self.runs.firewall.policy.mode is Mode.STRICT:
            raise AgentToolRefused(f"{_UNJUDGED % tool.name}; in strict mode it is not run")
        logger.warning(_UNJUDGED, tool.name)
        return None

    def matches(self, agent: Any, context: Any) -> bool:
        """
        Return whether a run belongs to the tool: to its agent, or to the context of its call.

        The SDK's agent tools always run in a copy of that context; a host that runs an agent in
        its own tool passes the context itself.
        """
        if self.call_context is None:
            return self.agent is not None and self.agent is agent
        return (
            isinstance(context, ToolContext)
            and context.usage is self.call_context.usage
            and context.tool_call_id == self.call_context.tool_call_id
        )


GUARD: ContextVar[RunScope | None] = ContextVar("abs_shield.openai_agents.guard", default=None)
"""Scope of the current run; None if it is not judged."""
NEXT: ContextVar[RunScope | None] = ContextVar("abs_shield.openai_agents.next", default=None)
"""Scope of the run that is about to start."""
INNER: ContextVar[RunScope | None] = ContextVar("abs_shield.openai_agents.inner", default=None)
"""Scope of an agent's run inside the current tool."""


class AgentRun:
    """
    State of one run.

    Attributes:
        unoffered: Decisions about calls of tools that were not offered, by call id.
        paused: Guards of agent tools that wait for an approval inside, by call id.
    """

    def __init__(self, runs: AgentRuns, adapter: AdapterSession, session: Session) -> None:
        self.runs = runs
        self.firewall = runs.firewall
        self.session = session
        self.usage: Any = None
        self.unoffered: dict[str | None, Decision] = {}
        self.paused: dict[str, Guard] = {}
        self._adapter = adapter
        self._offered: frozenset[str] = frozenset()
        self._framework_tools: frozenset[str] = frozenset()
        self._undispatched: set[str | None] = set()
        self._prompts: set[str] = set()
        self._has_recorded = False

    def __deepcopy__(self, memo: dict[int, Any]) -> AgentRun:
        """Return the run itself, because a host may copy a result whose context references it."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Omit the run from a pickle, because it is valid only in this process."""
        return _unpickle_run, ()

    def offer(self, agent: Agent[Any], tools: Sequence[Tool]) -> None:
        """Record the agent's next request to its model, and the tools offered in it."""
        self._set_names(agent)
        function_tools = [tool for tool in tools if isinstance(tool, (FunctionTool, CustomTool))]
        shapes = [tool_shape(tool) for tool in function_tools]
        handoffs = handoff_shapes(agent.handoffs)
        framework_tools = {shape["name"] for shape in handoffs}
        framework_tools |= {t.name for t in tools if not isinstance(t, (FunctionTool, CustomTool))}
        if agent.output_type not in (None, str):
            # the tool with which some providers return structured output
            framework_tools.add("json_tool_call")
        self._offered = frozenset(shape["name"] for shape in shapes)
        # a function tool of the same name is judged, because it is the one that runs
        self._framework_tools = frozenset(framework_tools) - self._offered
        self._adapter.offer(self.session, [*shapes, *handoffs])

    def record_request(self, agent: Agent[Any], prompt: str | None, items: Iterable[Any]) -> None:
        """Record the content that is sent to the model."""
        self._has_recorded = True
        if prompt and prompt not in self._prompts:
            self._prompts.add(prompt)
            self.session.system(prompt)
        if agent.prompt is not None:
            self._mark_unread_once("the agent's prompt is stored by the provider")
        self._adapter.add_messages(
            self.session, [as_message(item, self._undispatched) for item in items]
        )
        self._set_names(agent)

    def judge_turn(self, agent: Agent[Any], output: Iterable[Any]) -> None:
        """Judge all calls of one turn; calls of unknown tools are never dispatched."""
        self._set_names(agent)
        calls = []
        for item in output:
            call, kind = call_of(item), member(item, "type")
            if call is not None and call.name not in self._framework_tools:
                calls.append(call)
            elif call is None and kind not in _READABLE:
                self._mark_unread_once(f"the model has read the content of a {str(kind)[:40]}")
        # results of calls that never ran are error texts of the SDK, not data of a tool
        self._undispatched |= {call.id for call in calls}
        self.firewall.inspect_turn(calls, session=self.session)
        for call in calls:
            # the SDK does not dispatch unknown tools, so their calls are decided here
            if call.name not in self._offered:
                self.unoffered[call.id] = self.firewall.check_call(call, session=self.session)

    def guard(self, call: ToolCall) -> Guard:
        """Return the guard of the dispatch of *call*."""
        if not (self._has_recorded or self.session.turns):
            self._mark_unread_once(
                "the run was resumed from a state, and its earlier conversation is not available"
            )
        self._undispatched.discard(call.id)
        return self.firewall.guard(call, session=self.session)

    def _mark_unread_once(self, reason: str) -> None:
        if reason not in record_of(self.session).opaque_reasons:
            self.session.opaque(reason)

    def _set_names(self, agent: Agent[Any]) -> None:
        """
        Set the run id, model and agent of the session.

        A user's message may have changed the run id.
        """
        trace = get_current_trace()
        # a disabled trace has the id `no-op`
        run = trace.trace_id if trace and trace.trace_id.startswith("trace_") else None
        model = getattr(agent.model, "model", agent.model)
        self.session.run_id = run or self.session.run_id
        self.session.model = model if isinstance(model, str) else self.session.model
        self.session.handoff(agent.name)


class AgentRuns:
    """Looks up the run of a context; the contexts reference the runs, this object does not."""

    def __init__(self, firewall: Shield, session: Session | None) -> None:
        self.firewall = firewall
        self._adapter = AdapterSession(firewall, session)

    def enter_run(self, context: RunContextWrapper[Any]) -> AgentRun:
        """Return the run of a run's own context, and make it the current run."""
        run = run_of(context)
        if run is None or run.firewall is not self.firewall:
            run = self._start()
            setattr(context, _RUN, run)  # copied with the context when a run is interrupted
        run.usage = context.usage
        CURRENT_RUN.set(run)
        return run

    def current(self, context: Any) -> AgentRun:
        """Return the run of any context, including that of a tool."""
        # all contexts of a run, and only these, share one usage object
        for run in (run_of(context), CURRENT_RUN.get()):
            if run is not None and run.firewall is self.firewall and run.usage is context.usage:
                return run
        return self._start()

    def _start(self) -> AgentRun:
        running = RUNNING.get()
        if running is not None:  # an agent called as a tool
            return AgentRun(self, self._adapter, running.child())
        scope = GUARD.get() or RunScope(self)
        group = getattr(get_current_trace(), "group_id", None)
        session = self._adapter.session(scope.conversation or group)
        if scope.is_stored_remotely and not session.turns:
            session.opaque("the conversation so far is stored by the provider")
        scope.sessions.append(session)
        return AgentRun(self, self._adapter, session)


CURRENT_RUN: ContextVar[AgentRun | None] = ContextVar("abs_shield.openai_agents.run", default=None)


def _unpickle_run() -> None:
    """Return None, which replaces a run in a pickle."""


def run_of(context: Any) -> AgentRun | None:
    """Return the run that a context references, of any Shield; None without one."""
    run: AgentRun | None = getattr(context, _RUN, None)
    return run


class _MarkedAgent:
    """Base class of marked agents, whose runs are judged; clones of them are marked, too."""

    _abs_shield_runs: AgentRuns


def mark_agent(agent: Agent[Any], runs: AgentRuns) -> Agent[Any]:
    """Return a copy of an agent that is marked with *runs*, or the agent if it already is."""
    existing = agent_runs(agent)
    if existing is not None and existing.firewall is runs.firewall:
        return agent
    kind = type(agent)
    names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
    marked = type(kind.__name__, (_MarkedAgent, kind), {"_abs_shield_runs": runs, **names})
    # without `__init__`, which may have other parameters in a subclass
    copied: Agent[Any] = object.__new__(marked)
    copied.__dict__ |= agent.__dict__
    return copied


def agent_runs(agent: Any) -> AgentRuns | None:
    """Return the runs with which an agent is marked; None if it is not marked."""
    return agent._abs_shield_runs if isinstance(agent, _MarkedAgent) else None
