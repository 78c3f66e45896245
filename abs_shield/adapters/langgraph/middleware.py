"""The middleware of an agent, whose wrappers serve a graph's `ToolNode` as well."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelResponse
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.errors import GraphBubbleUp, ParentCommand

from abs_shield.adapters.answers import Revisions
from abs_shield.adapters.langgraph.answers import answer_of, said_instead
from abs_shield.adapters.langgraph.checks import check_framework
from abs_shield.adapters.langgraph.dispatched import (
    Judged,
    as_written,
    dispatched,
    newest_turn,
    proposal_of,
)
from abs_shield.adapters.langgraph.passing import passing
from abs_shield.adapters.langgraph.spoken import (
    answered,
    calls_of,
    is_summary,
    leads,
    member,
    returned,
    shaped,
)
from abs_shield.adapters.langgraph.steps import Place, Step, Steps
from abs_shield.core import Decision, ToolCall
from abs_shield.errors import CallBlocked, ResultBlocked
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.guard import Guard
from abs_shield.shield.seam import Seam
from abs_shield.shield.settling import AnswerRevision
from abs_shield.shield.turns import feedback_text

_INJECTED = "runtime"
"""The one argument that a `ToolNode` sets by its name alone."""


class ShieldModelMiddleware(AgentMiddleware[Any, Any, Any]):
    """
    Judges what the model proposes; the middleware of an agent that has no tools.

    LangChain gives an agent a node of tools where a middleware stands around tool calls, although
    it has none. This one does not, so that the graph stays as it is.

    Args:
        firewall: The Shield.
        session: The session of every run; None for that of its thread, or one a run.
        messages_key: Where a graph's state keeps its messages.
        answers: Whether the text that ends a run is settled: in strict mode the model is asked
            again with feedback, and an answer that does not hold is replaced by the refusal.
    """

    _runs_tools = False

    def __init__(
        self,
        firewall: Shield,
        *,
        session: Session | None = None,
        messages_key: str = "messages",
        answers: bool = False,
    ) -> None:
        super().__init__()
        check_framework()
        self.firewall = firewall
        self._seam = Seam(firewall, session)
        self._steps = Steps(firewall, session)
        self._key = messages_key
        self._answers = answers
        self._shapes: dict[int, tuple[Any, Mapping[str, Any]]] = {}

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """
        Judge what the model answers; where no call of it can be read, ask again with feedback.

        Args:
            request: What the model is asked.
            handler: Asks it.

        Returns:
            The response, unchanged; in strict mode with the unreadable turns before it, and the
            feedback to them.
        """
        turn = _Turn(self, request)
        while True:
            given = turn.settled(handler(turn.request))
            if given is not None:
                return given

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """As `wrap_model_call`."""
        turn = _Turn(self, request)
        while True:
            given = await turn.asettled(await handler(turn.request))
            if given is not None:
                return given

    def judge(
        self,
        message: AIMessage,
        before: Sequence[Any],
        tools: Iterable[Any],
        *,
        done: Collection[str | None] = (),
    ) -> list[tuple[ToolCall, Decision]]:
        """
        Judge one answer of the model, and take in what it was asked.

        Args:
            message: What the model answered.
            before: The messages that it was sent.
            tools: The tools that it was offered.
            done: Ids of calls that the framework answers itself: of its structured output.

        Returns:
            Each call that is to be run, with what was decided about it.
        """
        calls = [call for call in calls_of(message) if call.id not in done]
        place = Place.here()
        session = self._steps.session(place)
        record = record_of(session)
        with record.lock:
            if not record.log.version and any(map(is_summary, before)):
                session.opaque("an earlier part of the conversation is told as a summary")
            self._seam.offer(session, self._offered(tools))
            self._seam.hear(session, [*map(shaped, before), shaped(message)])
            Step.of(message, place).name(session)
            record.derive(Judged, owner=self).take(message)
            decisions = self.firewall.inspect_turn(calls, session=session)
            if not (message.tool_calls and self._runs_tools):
                record.settle()  # nothing of this turn will be dispatched
        return [*zip(calls, decisions, strict=True)]

    def revision(self) -> AnswerRevision | None:
        """Return the revision of this run's answer; None where answers are not judged."""
        if not self._answers:
            return None
        session = self._steps.session(Place.here())
        return record_of(session).derive(Revisions, owner=self).of(self.firewall, session)

    def _offered(self, tools: Iterable[Any]) -> list[Mapping[str, Any]]:
        """The tools as a provider is told of them; each is described once while it is offered."""
        known = self._shapes
        self._shapes = now = {
            id(tool): known.get(id(tool)) or (tool, _described(tool)) for tool in tools
        }
        return [shape for _, shape in now.values()]


class ShieldMiddleware(ShieldModelMiddleware):
    """
    Judges what the model proposes, and stands around every tool call.

    An agent takes it as ``create_agent(model, tools, middleware=[ShieldMiddleware(firewall)])``.
    A graph of one's own takes its two wrappers: ``ToolNode(tools, wrap_tool_call=
    guard.wrap_tool_call, awrap_tool_call=guard.awrap_tool_call)``. One object serves many runs.

    Args:
        firewall: The Shield.
        session: The session of every run; None for that of its thread, or one a run.
        messages_key: Where a graph's state keeps its messages.
        answers: Whether the text that ends a run is settled: in strict mode the model is asked
            again with feedback, and an answer that does not hold is replaced by the refusal.
    """

    _runs_tools = True

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """
        Run one call, or give the feedback as its result.

        Args:
            request: The call, as the framework dispatches it.
            handler: Runs it.

        Returns:
            What *handler* returns, unchanged; the feedback's message where the call is blocked.
            Where its result is withheld, the message that answers the call is replaced, and the
            rest of a `Command` kept.
        """
        guard, call = self._dispatched(request)
        with passing(handler, self.wrap_tool_call):
            try:
                return self._run(request, handler, guard, call)
            except CallBlocked as blocked:
                if guard.stopped is None:
                    raise
                return _feedback(call, blocked.decision)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """As `wrap_tool_call`."""
        guard, call = self._dispatched(request)
        with passing(handler, self.awrap_tool_call):
            try:
                return await self._arun(request, handler, guard, call)
            except CallBlocked as blocked:
                if guard.stopped is None:
                    raise
                return _feedback(call, blocked.decision)

    def _run(
        self, request: Any, handler: Callable[[Any], Any], guard: Guard, call: ToolCall
    ) -> Any:
        with ExitStack() as door:
            try:
                door.enter_context(guard)
            except CallBlocked as blocked:
                return _feedback(call, blocked.decision)
            with _signals(guard, self._key):
                result = handler(request)
            _note(guard, result, call.id, self._key)
            try:
                door.close()
            except ResultBlocked as withheld:
                feedback = _feedback(call, withheld.decision)
                return answered(result, call.id, self._key, feedback)
        return result

    async def _arun(
        self, request: Any, handler: Callable[[Any], Awaitable[Any]], guard: Guard, call: ToolCall
    ) -> Any:
        async with AsyncExitStack() as door:
            try:
                await door.enter_async_context(guard)
            except CallBlocked as blocked:
                return _feedback(call, blocked.decision)
            with _signals(guard, self._key):
                result = await handler(request)
            _note(guard, result, call.id, self._key)
            try:
                await door.aclose()
            except ResultBlocked as withheld:
                feedback = _feedback(call, withheld.decision)
                return answered(result, call.id, self._key, feedback)
        return result

    def _dispatched(self, request: Any) -> tuple[Guard, ToolCall]:
        """The guard of a call as it will run; its turn is judged first where nobody saw it come."""
        call = dispatched(request)
        before, turn = newest_turn(member(request.state, self._key))
        place = Place.here()
        session = self._steps.session(place)
        record = record_of(session)
        if turn is None:
            if not record.log.version:
                session.opaque("the messages of this graph are not in its state")
            return self._seam.guard(call, session), call
        Step.of(turn, place).name(session)
        with record.lock:
            judged = record.derive(Judged, owner=self)
            if not judged.knows(turn):
                self.judge(turn, before, getattr(request.runtime, "tools", None) or ())
            self._add_offer(session, request)
            proposed = proposal_of(call, judged.proposals(turn))
        if proposed is None:
            call = replace(call, arguments=as_written(call, turn))
        return self._seam.guard(call, session, proposed=proposed), call

    def _add_offer(self, session: Session, request: Any) -> None:
        """Know a tool that a middleware put into the request, and the node does not know."""
        tool, known = request.tool, getattr(request.runtime, "tools", None)
        if tool is None or known is None or request.tool_call["name"] != tool.name:
            return
        if all(getattr(each, "name", None) != tool.name for each in known):
            self._seam.add_offer(session, _described(tool))


class _Turn:
    """One question to the model; asked again while no call that came back can be read."""

    def __init__(self, watch: ShieldModelMiddleware, request: Any) -> None:
        self.request = request
        self._watch = watch
        self._earlier: list[Any] = []
        self._drafts: list[Any] = []
        self._left = watch.firewall.policy.retries

    def settled(self, response: Any) -> Any:
        """What the agent goes on with; None where the model has to be asked again."""
        text = answer_of(response)
        revision = None if text is None else self._watch.revision()
        given = self.taken(response)
        if text is None or revision is None:
            return given
        return self._written(response, text, revision.submit(text))

    async def asettled(self, response: Any) -> Any:
        """As `settled`."""
        text = answer_of(response)
        revision = None if text is None else self._watch.revision()
        given = self.taken(response)
        if text is None or revision is None:
            return given
        return self._written(response, text, await revision.asubmit(text))

    def _written(self, response: Any, text: str, done: Any) -> Any:
        """Go on with a settled answer, or ask for another one."""
        if isinstance(done, str):
            asked = [*response.result, HumanMessage(done)]
            self._drafts += asked
            self.request = self.request.override(messages=[*self.request.messages, *asked])
            return None
        self._drafts.clear()  # nobody reads a draft that did not hold
        return self._joined(
            response if done.text == text else said_instead(response, done.text), []
        )

    def taken(self, response: Any) -> Any:
        """What the agent goes on with by its calls; None where the model has to be asked again."""
        result = response.result
        message = next((m for m in result if isinstance(m, AIMessage)), None)
        if message is None:
            return self._joined(response, [])
        system = self.request.system_message
        asked = [*([] if system is None else [system]), *self.request.messages]
        done = {m.tool_call_id for m in result if isinstance(m, ToolMessage)}
        judged = self._watch.judge(message, asked, self.request.tools, done=done)
        broken = {call["id"] for call in message.invalid_tool_calls if call["id"]}
        feedback = [_feedback(c, d) for c, d in judged if c.id in broken and d.blocked]
        if message.tool_calls or not feedback:
            return self._joined(response, feedback)
        if not self._left:
            return self._joined(response, [])
        self._left -= 1
        self._earlier += [*result, *feedback]
        said = [*self.request.messages, *result, *feedback]
        self.request = self.request.override(messages=said)
        return None

    def _joined(self, response: ModelResponse[Any], feedback: list[ToolMessage]) -> Any:
        before = [*self._earlier, *self._drafts]
        if not (before or feedback):
            return response
        return replace(response, result=[*before, *response.result, *feedback])


def _described(tool: Any) -> Mapping[str, Any]:
    if isinstance(tool, Mapping):
        return tool
    try:
        shape: Mapping[str, Any] = convert_to_openai_tool(tool)
        return _without_runtime(shape)
    except Exception:  # a schema that has no JSON form
        return {"name": str(getattr(tool, "name", ""))}


def _without_runtime(shape: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool's shape, where `runtime` may be missing or anything: a node puts its own there."""
    function = shape["function"]
    parameters = function.get("parameters") or {}
    if _INJECTED not in parameters.get("properties", {}):
        return shape
    properties = {**parameters["properties"], _INJECTED: {}}
    required = [name for name in parameters.get("required", ()) if name != _INJECTED]
    parameters = {**parameters, "properties": properties, "required": required}
    return {**shape, "function": {**function, "parameters": parameters}}


def _feedback(call: ToolCall, decision: Decision) -> ToolMessage:
    return ToolMessage(
        feedback_text(decision), name=call.name, tool_call_id=call.id or "", status="error"
    )


@contextmanager
def _signals(guard: Guard, key: str) -> Iterator[None]:
    """Let the framework's signals through: an interrupt suspends the call, a handoff ends it."""
    try:
        yield
    except ParentCommand as handed:
        guard.failed = False
        _note(guard, handed.args[0], None, key)
        raise
    except GraphBubbleUp:
        guard.suspend()
        raise


def _note(guard: Guard, result: Any, call_id: str | None, key: str) -> None:
    """Tell the guard what the model will read of *result*; a way through the graph stays open."""
    guard.given = guard.given or leads(result)
    found = returned(result, call_id, key)
    if found is not None:
        guard.value, guard.failed = found.value, found.error
