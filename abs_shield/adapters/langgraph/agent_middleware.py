"""Agent middleware, whose wrappers can also be used for a graph's `ToolNode`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.errors import GraphBubbleUp, ParentCommand

from abs_shield.adapters.answer_rewriting import Revisions
from abs_shield.adapters.langgraph.framework_checks import check_framework, let_errors_pass
from abs_shield.adapters.langgraph.graph_steps import (
    GraphPosition,
    JudgedTurn,
    StepNames,
    StepSessions,
    as_written,
    call_to_run,
    newest_turn,
    proposal_of,
)
from abs_shield.adapters.langgraph.langchain_messages import (
    as_openai_message,
    calls_of,
    directs_graph,
    is_summary,
    replace_answer_message,
    returned_event,
)
from abs_shield.adapters.langgraph.model_turn import ModelTurn, feedback_message
from abs_shield.core import Decision, ToolCall
from abs_shield.errors import CallBlocked, ResultBlocked
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.adapter_session import AdapterSession
from abs_shield.shield.answer_check import AnswerRevision
from abs_shield.shield.guard import Guard
from abs_shield.shield.tool_messages import member

_INJECTED = "runtime"
"""The name of the argument that a `ToolNode` always sets itself."""


class ShieldModelMiddleware(AgentMiddleware[Any, Any, Any]):
    """
    Judges the model's proposals; the middleware for an agent without tools.

    If a middleware wraps tool calls, LangChain adds a tool node even to an agent without tools.
    This class does not wrap them.

    Args:
        firewall: The Shield.
        session: The session of every run; None for that of its thread, or one per run.
        messages_key: The key of the messages in a graph's state.
        answers: Whether the text that ends a run is settled: in strict mode the model is asked
            again with feedback, and an unsupported answer is replaced by the refusal.
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
        self._adapter = AdapterSession(firewall, session)
        self._sessions = StepSessions(firewall, session)
        self._key = messages_key
        self._answers = answers
        self._shapes: dict[int, tuple[Any, Mapping[str, Any]]] = {}

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """
        Judge the model's answer; if none of its calls can be parsed, ask again with feedback.

        Args:
            request: The request to the model.
            handler: Calls the model.

        Returns:
            The response, unchanged; in strict mode preceded by the unreadable turns and their
            feedback.
        """
        turn = ModelTurn(self, request)
        while True:
            outcome = turn.handle_response(handler(turn.request))
            if outcome is not None:
                return outcome

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Async version of `wrap_model_call`."""
        turn = ModelTurn(self, request)
        while True:
            outcome = await turn.ahandle_response(await handler(turn.request))
            if outcome is not None:
                return outcome

    def judge(
        self,
        message: AIMessage,
        before: Sequence[Any],
        tools: Iterable[Any],
        *,
        answered_ids: Collection[str | None] = (),
    ) -> list[tuple[ToolCall, Decision]]:
        """
        Judge one answer of the model, and record it with the messages that were sent to the model.

        Args:
            message: The answer of the model.
            before: The messages that were sent to the model.
            tools: The tools that it was offered.
            answered_ids: Ids of calls that the framework answers itself, for structured output.

        Returns:
            Each call that will run, with its decision.
        """
        calls = [call for call in calls_of(message) if call.id not in answered_ids]
        position = GraphPosition.current()
        session = self._sessions.session(position)
        record = record_of(session)
        # steps of one session may run in parallel threads, but a turn is recorded as a whole
        with record.lock:
            # only at the start: later summaries are of messages that the session already has
            if not record.log.version and any(map(is_summary, before)):
                session.opaque("an earlier part of the conversation was summarised")
            self._adapter.offer(session, self._descriptions(tools))
            self._adapter.add_messages(
                session, [*map(as_openai_message, before), as_openai_message(message)]
            )
            StepNames.of(message, position).apply_to(session)
            record.derive(JudgedTurn, owner=self).record(message)
            decisions = self.firewall.inspect_turn(calls, session=session)
            if not (message.tool_calls and self._runs_tools):
                record.settle()  # nothing of this turn will be dispatched
        return [*zip(calls, decisions, strict=True)]

    def revision(self) -> AnswerRevision | None:
        """Return the revision of this run's answer; None if answers are not checked."""
        if not self._answers:
            return None
        session = self._sessions.session(GraphPosition.current())
        return (
            record_of(session)
            .derive(Revisions, owner=self)
            .current_revision(self.firewall, session)
        )

    def _descriptions(self, tools: Iterable[Any]) -> list[Mapping[str, Any]]:
        """Return the descriptions of the tools, cached while the tools are offered."""
        previous = self._shapes
        self._shapes = now = {
            # the tool is stored as well, so that its id is not reused
            id(tool): previous.get(id(tool)) or (tool, _description_of(tool))
            for tool in tools
        }
        return [shape for _, shape in now.values()]


class ShieldMiddleware(ShieldModelMiddleware):
    """
    Judges the model's proposals, and guards every tool call.

    For an agent, use ``create_agent(model, tools, middleware=[ShieldMiddleware(firewall)])``. In a
    custom graph, use its two wrappers: ``ToolNode(tools, wrap_tool_call=guard.wrap_tool_call,
    awrap_tool_call=guard.awrap_tool_call)``. One object can be used for many runs.

    Args:
        firewall: The Shield.
        session: The session of every run; None for that of its thread, or one per run.
        messages_key: The key of the messages in a graph's state.
        answers: Whether the text that ends a run is settled: in strict mode the model is asked
            again with feedback, and an unsupported answer is replaced by the refusal.
    """

    _runs_tools = True

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """
        Run one call, or return feedback as its result.

        Args:
            request: The call, as the framework dispatches it.
            handler: Runs the call.

        Returns:
            The result of *handler*, unchanged; a feedback message if the call is blocked. If the
            result is withheld, the message that answers the call is replaced, and the rest of a
            `Command` is unchanged.
        """
        guard, call = self._prepare_dispatch(request)
        with let_errors_pass(handler, self.wrap_tool_call):
            try:
                return self._run(request, handler, guard, call)
            except CallBlocked as blocked:
                # a block that is not due to this call's values is an ordinary error of the tool
                if guard.nested_block is None:
                    raise
                return feedback_message(call, blocked.decision)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Async version of `wrap_tool_call`."""
        guard, call = self._prepare_dispatch(request)
        with let_errors_pass(handler, self.awrap_tool_call):
            try:
                return await self._arun(request, handler, guard, call)
            except CallBlocked as blocked:
                if guard.nested_block is None:
                    raise
                return feedback_message(call, blocked.decision)

    def _run(
        self, request: Any, handler: Callable[[Any], Any], guard: Guard, call: ToolCall
    ) -> Any:
        with ExitStack() as stack:
            try:
                stack.enter_context(guard)
            except CallBlocked as blocked:
                return feedback_message(call, blocked.decision)
            with _framework_signals(guard, self._key):
                result = handler(request)
            _record_result(guard, result, call.id, self._key)
            try:
                stack.close()
            except ResultBlocked as withheld:
                feedback = feedback_message(call, withheld.decision)
                return replace_answer_message(result, call.id, self._key, feedback)
        return result

    async def _arun(
        self, request: Any, handler: Callable[[Any], Awaitable[Any]], guard: Guard, call: ToolCall
    ) -> Any:
        async with AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(guard)
            except CallBlocked as blocked:
                return feedback_message(call, blocked.decision)
            with _framework_signals(guard, self._key):
                result = await handler(request)
            _record_result(guard, result, call.id, self._key)
            try:
                await stack.aclose()
            except ResultBlocked as withheld:
                feedback = feedback_message(call, withheld.decision)
                return replace_answer_message(result, call.id, self._key, feedback)
        return result

    def _prepare_dispatch(self, request: Any) -> tuple[Guard, ToolCall]:
        """
        Return the guard and the call that will run, after judging its turn if necessary.
        """
        call = call_to_run(request)
        before, turn = newest_turn(member(request.state, self._key))
        position = GraphPosition.current()
        session = self._sessions.session(position)
        record = record_of(session)
        if turn is None:
            if not record.log.version:
                session.opaque("the messages of this graph are not in its state")
            return self._adapter.guard(call, session), call
        StepNames.of(turn, position).apply_to(session)
        with record.lock:
            judged = record.derive(JudgedTurn, owner=self)
            # the graph does not use the model's middleware, or another node wrote the turn
            if not judged.matches(turn):
                self.judge(turn, before, getattr(request.runtime, "tools", None) or ())
            self._offer_added_tool(session, request)
            proposed = proposal_of(call, judged.calls_as_written(turn))
        # an edited call is judged with the values of the edit, not with the model's text
        if proposed is None:
            call = replace(call, arguments=as_written(call, turn))
        return self._adapter.guard(call, session, proposed=proposed), call

    def _offer_added_tool(self, session: Session, request: Any) -> None:
        """Register a tool that a middleware added to the request and the node does not have."""
        tool, node_tools = request.tool, getattr(request.runtime, "tools", None)
        if tool is None or node_tools is None or request.tool_call["name"] != tool.name:
            return
        if all(getattr(each, "name", None) != tool.name for each in node_tools):
            self._adapter.add_offer(session, _description_of(tool))


def _description_of(tool: Any) -> Mapping[str, Any]:
    if isinstance(tool, Mapping):
        return tool
    try:
        shape: Mapping[str, Any] = convert_to_openai_tool(tool)
        return _with_optional_runtime(shape)
    except Exception:  # a schema without a JSON form
        return {"name": str(getattr(tool, "name", ""))}


def _with_optional_runtime(shape: Mapping[str, Any]) -> Mapping[str, Any]:
    """Make `runtime` optional in a tool's schema, because the node sets it."""
    function = shape["function"]
    parameters = function.get("parameters") or {}
    if _INJECTED not in parameters.get("properties", {}):
        return shape
    properties = {**parameters["properties"], _INJECTED: {}}
    required = [name for name in parameters.get("required", ()) if name != _INJECTED]
    parameters = {**parameters, "properties": properties, "required": required}
    return {**shape, "function": {**function, "parameters": parameters}}


@contextmanager
def _framework_signals(guard: Guard, key: str) -> Iterator[None]:
    """Handle the framework's signals: an interrupt suspends the call, a handoff ends it."""
    try:
        yield
    except ParentCommand as handed:
        # a handoff is raised as an exception, but the tool has succeeded
        guard.failed = False
        _record_result(guard, handed.args[0], None, key)
        raise
    except GraphBubbleUp:
        guard.suspend()
        raise


def _record_result(guard: Guard, result: Any, call_id: str | None, key: str) -> None:
    """
    Set the guard's value to the part of *result* that the model reads; graph commands are never
    withheld.
    """
    guard.delivered = guard.delivered or directs_graph(result)
    event = returned_event(result, call_id, key)
    if event is not None:
        guard.value, guard.failed = event.value, event.error
