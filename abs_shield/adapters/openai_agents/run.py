"""One run of the SDK, over all its turns and handoffs: whose session it is, and what is open."""

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

from abs_shield.adapters.openai_agents.shapes import (
    call_of,
    handoff_shapes,
    member,
    told,
    tool_shape,
)
from abs_shield.core import Decision, Mode, ToolCall
from abs_shield.errors import ShieldError
from abs_shield.session import Session
from abs_shield.session.session_context import RUNNING
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.guard import Guard
from abs_shield.shield.seam import Seam

_RUN = "_abs_shield_run"
logger = logging.getLogger("abs_shield")
_UNJUDGED = (
    "tool `%s` runs an agent whose own calls cannot be judged: it does not name its agent, "
    "or the default runner of the SDK was replaced"
)
_SHOWN = frozenset({"message", "reasoning"})


class AgentToolRefused(ShieldError):
    """A tool runs an agent that cannot be judged, and the policy is strict."""


@dataclass(frozen=True)
class Entry:
    """
    How one run is judged, and what its options say of its conversation.

    Attributes:
        runs: The runs of the Shield that judges it.
        answers: Whether the model is told of unknown tools by the run's configuration.
        agent: The agent that a tool runs; None where the host starts the run.
        call: The context of the call whose tool may run an agent that it does not name.
        conversation: The id of the conversation, as the options of the run say it.
        is_remote: Whether the provider holds the conversation so far.
        flags_output: Whether the text that ends the run is checked as it stands.
        sessions: The sessions that the run came to.
    """

    runs: Runs
    answers: bool = False
    agent: Agent[Any] | None = None
    call: Any = None
    conversation: str | None = None
    is_remote: bool = False
    flags_output: bool = False
    sessions: list[Session] = field(default_factory=list)

    def heard(self, options: Mapping[str, Any]) -> Entry:
        """Return the entry of a run with these options."""
        conversation = options.get("conversation_id")
        return replace(
            self,
            conversation=conversation or getattr(options.get("session"), "session_id", None),
            is_remote=bool(conversation or options.get("previous_response_id")),
            sessions=[],
        )

    def inner(self, tool: Any, context: Any) -> Entry | None:
        """
        Return how a run inside of a tool is judged, where that is an agent, or stands around one.

        Raises:
            AgentToolRefused: It cannot be judged, and the policy is strict.
        """
        if not getattr(tool, "_is_agent_tool", False):
            return Entry(self.runs, answers=self.answers, call=context)
        agent = getattr(tool, "_agent_instance", None)
        if isinstance(agent, Agent) and isinstance(get_default_agent_runner(), AgentRunner):
            return Entry(self.runs, answers=self.answers, agent=agent)
        if self.runs.firewall.policy.mode is Mode.STRICT:
            raise AgentToolRefused(f"{_UNJUDGED % tool.name}; in strict mode it is not run")
        logger.warning(_UNJUDGED, tool.name)
        return None

    def is_of(self, agent: Any, context: Any) -> bool:
        """
        Return whether a run is that of the tool: of its agent, or in the context of its call.

        The SDK's agent tools run in a copy of that context, whoever calls them; a host that runs
        an agent in a tool of its own passes on what it keeps in the context.
        """
        if self.call is None:
            return self.agent is not None and self.agent is agent
        return (
            isinstance(context, ToolContext)
            and context.usage is self.call.usage
            and context.tool_call_id == self.call.tool_call_id
        )


GUARD: ContextVar[Entry | None] = ContextVar("abs_shield.openai_agents.guard", default=None)
"""How the current run is judged; None where it is not."""
NEXT: ContextVar[Entry | None] = ContextVar("abs_shield.openai_agents.next", default=None)
"""How the run is judged that is about to start."""
INNER: ContextVar[Entry | None] = ContextVar("abs_shield.openai_agents.inner", default=None)
"""How the run of the agent is judged that the current tool is, or stands around."""


class Run:
    """
    What is known of one run.

    Attributes:
        unknown: Call id to the decision about a call of a tool that was not offered.
        paused: Call id to the call of an agent that waits for an approval inside.
    """

    def __init__(self, runs: Runs, seam: Seam, session: Session) -> None:
        self.runs = runs
        self.firewall = runs.firewall
        self.session = session
        self.usage: Any = None
        self.unknown: dict[str | None, Decision] = {}
        self.paused: dict[str, Guard] = {}
        self._seam = seam
        self._offered: frozenset[str] = frozenset()
        self._apart: frozenset[str] = frozenset()
        self._waits: set[str | None] = set()
        self._prompts: set[str] = set()
        self._listened = False

    def __deepcopy__(self, memo: dict[int, Any]) -> Run:
        """Return the run itself: a host may copy a result, whose context bears the run."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the run out of a pickle: it is of this process alone."""
        return _no_run, ()

    def offer(self, agent: Agent[Any], tools: Sequence[Tool]) -> None:
        """Take in that *agent* is about to ask its model, and with which tools."""
        self._speaks(agent)
        judged = [tool for tool in tools if isinstance(tool, (FunctionTool, CustomTool))]
        shapes, handoffs = [tool_shape(tool) for tool in judged], handoff_shapes(agent.handoffs)
        apart = {shape["name"] for shape in handoffs}
        apart |= {t.name for t in tools if not isinstance(t, (FunctionTool, CustomTool))}
        if agent.output_type not in (None, str):
            apart.add("json_tool_call")  # how some providers give a structured answer
        self._offered = frozenset(shape["name"] for shape in shapes)
        self._apart = frozenset(apart) - self._offered
        self._seam.offer(self.session, [*shapes, *handoffs])

    def listen(self, agent: Agent[Any], prompt: str | None, items: Iterable[Any]) -> None:
        """Take in what the model is sent."""
        self._listened = True
        if prompt and prompt not in self._prompts:
            self._prompts.add(prompt)
            self.session.system(prompt)
        if agent.prompt is not None:
            self._blind("the agent's prompt is kept by the provider")
        self._seam.hear(self.session, [told(item, self._waits) for item in items])
        self._speaks(agent)

    def propose(self, agent: Agent[Any], output: Iterable[Any]) -> None:
        """Judge all that the model proposed in one turn; what is unknown is never dispatched."""
        self._speaks(agent)
        calls = []
        for item in output:
            call, kind = call_of(item), member(item, "type")
            if call is not None and call.name not in self._apart:
                calls.append(call)
            elif call is None and kind not in _SHOWN:
                self._blind(f"the model has what a {str(kind)[:40]} showed it")
        self._waits |= {call.id for call in calls}
        self.firewall.inspect_turn(calls, session=self.session)
        for call in calls:
            if call.name not in self._offered:
                self.unknown[call.id] = self.firewall.check_call(call, session=self.session)

    def guard(self, call: ToolCall) -> Guard:
        """Stand around the dispatch of *call*."""
        if not (self._listened or self.session.turns):
            self._blind("the run goes on from a state, and what it heard was not seen here")
        self._waits.discard(call.id)
        return self.firewall.guard(call, session=self.session)

    def _blind(self, reason: str) -> None:
        if reason not in record_of(self.session).opaque_reasons:
            self.session.opaque(reason)

    def _speaks(self, agent: Agent[Any]) -> None:
        """The session bears the names of who speaks; a user's message gave it another run id."""
        trace = get_current_trace()
        run = trace.trace_id if trace and trace.trace_id.startswith("trace_") else None
        model = getattr(agent.model, "model", agent.model)
        self.session.run_id = run or self.session.run_id
        self.session.model = model if isinstance(model, str) else self.session.model
        self.session.handoff(agent.name)


class Runs:
    """Finds the run of a context; it keeps none, the contexts do."""

    def __init__(self, firewall: Shield, session: Session | None) -> None:
        self.firewall = firewall
        self._seam = Seam(firewall, session)

    def enter(self, context: RunContextWrapper[Any]) -> Run:
        """Give the run of a run's own context, and make it current for the tools it calls."""
        run = known_run(context)
        if run is None or run.firewall is not self.firewall:
            run = self._begun()
            setattr(context, _RUN, run)  # the copy of a run that is interrupted keeps it
        run.usage = context.usage
        CURRENT_RUN.set(run)
        return run

    def of(self, context: Any) -> Run:
        """Give the run of any context; a tool's own context belongs to the current run."""
        for run in (known_run(context), CURRENT_RUN.get()):
            if run is not None and run.firewall is self.firewall and run.usage is context.usage:
                return run
        return self._begun()

    def _begun(self) -> Run:
        running = RUNNING.get()
        if running is not None:  # an agent that is a tool
            return Run(self, self._seam, running.child())
        asked = GUARD.get() or Entry(self)
        group = getattr(get_current_trace(), "group_id", None)
        session = self._seam.session(asked.conversation or group)
        if asked.is_remote and not session.turns:
            session.opaque("the conversation so far is kept by the provider")
        asked.sessions.append(session)
        return Run(self, self._seam, session)


CURRENT_RUN: ContextVar[Run | None] = ContextVar("abs_shield.openai_agents.run", default=None)


def _no_run() -> None:
    """What a run is in a pickle."""


def known_run(context: Any) -> Run | None:
    """Give the run that a context bears, whatever its Shield."""
    found: Run | None = getattr(context, _RUN, None)
    return found


class _Marked:
    """The mark of an agent whose runs are judged; its clones have it too."""

    _abs_shield_runs: Runs


def marked_agent(agent: Agent[Any], runs: Runs) -> Agent[Any]:
    """Return a copy of an agent that bears the mark of *runs*; one that has it is returned."""
    known = agent_runs(agent)
    if known is not None and known.firewall is runs.firewall:
        return agent
    kind = type(agent)
    names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
    marked = type(kind.__name__, (_Marked, kind), {"_abs_shield_runs": runs, **names})
    copied: Agent[Any] = object.__new__(marked)
    copied.__dict__ |= agent.__dict__
    return copied


def agent_runs(agent: Any) -> Runs | None:
    """Return the runs whose mark an agent bears."""
    return agent._abs_shield_runs if isinstance(agent, _Marked) else None
