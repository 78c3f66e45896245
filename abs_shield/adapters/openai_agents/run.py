"""One run of the SDK, over all its turns and handoffs: whose session it is, and what is open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from agents import Agent, CustomTool, FunctionTool, RunContextWrapper, Tool
from agents.tracing import get_current_trace

from abs_shield.adapters.openai_agents.shapes import (
    call_of,
    handoff_shapes,
    member,
    told,
    tool_shape,
)
from abs_shield.core import Decision, ToolCall
from abs_shield.session import Session
from abs_shield.session.scope import RUNNING
from abs_shield.shield import Shield
from abs_shield.shield.guard import Guard
from abs_shield.shield.seam import Seam

_RUN = "_abs_shield_run"
_SHOWN = frozenset({"message", "reasoning"})


@dataclass(frozen=True)
class Asked:
    """What the one who starts a run says of its conversation, and the sessions it came to."""

    conversation: str | None = None
    kept: bool = False
    sessions: list[Session] = field(default_factory=list)


ASKED: ContextVar[Asked | None] = ContextVar("abs_shield.openai_agents.asked", default=None)


class Run:
    """
    What is known of one run.

    Attributes:
        unknown: Call id to the decision about a call of a tool that was not offered.
        paused: Call id to the call of an agent that waits for an approval inside.
    """

    def __init__(self, firewall: Shield, seam: Seam, session: Session) -> None:
        self.firewall = firewall
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
        if reason not in self.session.opaque_reasons:
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
        _CURRENT.set(run)
        return run

    def of(self, context: Any) -> Run:
        """Give the run of any context; a tool's own context belongs to the current run."""
        for run in (known_run(context), _CURRENT.get()):
            if run is not None and run.firewall is self.firewall and run.usage is context.usage:
                return run
        return self._begun()

    def _begun(self) -> Run:
        running = RUNNING.get()
        if running is not None:  # an agent that is a tool
            return Run(self.firewall, self._seam, running.child())
        asked = ASKED.get() or Asked()
        group = getattr(get_current_trace(), "group_id", None)
        session = self._seam.session(asked.conversation or group)
        if asked.kept and not session.turns:
            session.opaque("the conversation so far is kept by the provider")
        asked.sessions.append(session)
        return Run(self.firewall, self._seam, session)


_CURRENT: ContextVar[Run | None] = ContextVar("abs_shield.openai_agents.run", default=None)


def known_run(context: Any) -> Run | None:
    """Give the run that a context bears, whatever its Shield."""
    found: Run | None = getattr(context, _RUN, None)
    return found
