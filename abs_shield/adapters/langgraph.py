"""LangChain's agents and LangGraph's graphs: each turn is judged, each tool call admitted."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import replace
from threading import Lock
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelResponse
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.runnables import ensure_config
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.errors import GraphBubbleUp, ParentCommand
from langgraph.runtime import get_runtime
from langgraph.types import Command

from abs_shield.core import Decision, ToolCall
from abs_shield.core.arguments import same
from abs_shield.core.events import Returned
from abs_shield.core.messages import read_message
from abs_shield.errors import CallBlocked
from abs_shield.session import Session, current_session
from abs_shield.session.scope import RUNNING
from abs_shield.shield import Shield
from abs_shield.shield.guard import Guard
from abs_shield.shield.seam import Seam
from abs_shield.shield.turns import feedback_text

_TEXT = frozenset({"text", "refusal"})
_SILENT = frozenset({"thinking", "redacted_thinking", "reasoning"})
_CALLS = frozenset(
    {"tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call"}
)
_READABLE = frozenset({"text", "json", "search_result", "custom_tool_call_output"})
"""Blocks of a tool's result that the model and we read alike."""
_RUNS = 1_000


class ShieldMiddleware(AgentMiddleware[Any, Any, Any]):
    """
    Judges what the model proposes, and stands around every tool call.

    An agent takes it as ``create_agent(model, tools, middleware=[ShieldMiddleware(firewall)])``.
    A graph of one's own takes its two wrappers: ``ToolNode(tools, wrap_tool_call=
    guard.wrap_tool_call, awrap_tool_call=guard.awrap_tool_call)``. One object serves many runs.

    Args:
        firewall: The Shield.
        session: The session of every run; where None, that of the thread, or one a run.
        messages_key: Where a graph's state keeps its messages.
    """

    def __init__(
        self, firewall: Shield, *, session: Session | None = None, messages_key: str = "messages"
    ) -> None:
        super().__init__()
        self.firewall = firewall
        self._seam = Seam(firewall, session)
        self._given = session
        self._key = messages_key
        self._runs = _Runs()
        self._shapes: dict[int, tuple[Any, Mapping[str, Any]]] = {}

    # The model ---------------------------------------------------------------------------------

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """
        Judge what the model answers; where nothing of it can be read, ask again with feedback.

        Args:
            request: What the model is asked.
            handler: Asks it.

        Returns:
            The response; in strict mode with the unreadable turns and feedback before it.
        """
        turn = _Turn(self, request)
        while True:
            given = turn.taken(handler(turn.request))
            if given is not None:
                return given

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """As `wrap_model_call`."""
        turn = _Turn(self, request)
        while True:
            given = turn.taken(await handler(turn.request))
            if given is not None:
                return given

    def judged(
        self,
        message: AIMessage,
        before: Iterable[Any],
        tools: Iterable[Any],
        *,
        done: Iterable[str],
    ) -> list[tuple[ToolCall, Decision]]:
        """
        Judge one answer of the model, and take in what it was asked.

        Args:
            message: What the model answered.
            before: The messages it was sent.
            tools: The tools it was offered.
            done: Ids of calls that the framework answers itself: of its structured output.

        Returns:
            Each call that is to be run, with what was decided about it.
        """
        calls = [call for call in _calls(message) if call.id is None or call.id not in done]
        session = self._session(message)
        with session.lock:
            self._seam.offer(session, self._offered(tools))
            self._seam.hear(session, [*map(_shaped, before), _shaped(message)])
            session.derived(_Judged, owner=self).take(message)
            decisions = self.firewall.inspect_turn(calls, session=session)
            if not message.tool_calls:
                session.settle()  # nothing of this turn will be dispatched
        return [*zip(calls, decisions, strict=True)]

    # The tools ---------------------------------------------------------------------------------

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """
        Run one call, or give the feedback as its result.

        Args:
            request: The call, as the framework dispatches it.
            handler: Runs it.

        Returns:
            What *handler* returns, unchanged; the feedback's message where the call is blocked.
        """
        call, session = self._dispatched(request)
        with ExitStack() as door:
            try:
                guard = door.enter_context(self.firewall.guard(call, session=session))
            except CallBlocked as blocked:
                return _feedback(call, blocked.decision)
            with _signals(guard, self._key):
                result = handler(request)
            _note(guard, result, call.id, self._key)
        return result

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """As `wrap_tool_call`."""
        call, session = self._dispatched(request)
        async with AsyncExitStack() as door:
            try:
                guard = await door.enter_async_context(self.firewall.guard(call, session=session))
            except CallBlocked as blocked:
                return _feedback(call, blocked.decision)
            with _signals(guard, self._key):
                result = await handler(request)
            _note(guard, result, call.id, self._key)
        return result

    def _dispatched(self, request: Any) -> tuple[ToolCall, Session]:
        """The call as the model wrote it; its turn is judged first where nobody saw it come."""
        messages = _member(request.state, self._key)
        messages = messages if isinstance(messages, (list, tuple)) else []
        place = next((n for n, m in _reversed(messages) if isinstance(m, AIMessage)), None)
        turn = AIMessage("") if place is None else messages[place]
        session = self._session(turn)
        proposed = request.tool_call
        call = ToolCall(proposed["name"], proposed["args"], proposed.get("id"))
        with session.lock:
            if place is not None and not session.derived(_Judged, owner=self).knows(turn):
                tools = getattr(request.runtime, "tools", None) or ()
                self.judged(turn, messages[:place], tools, done=())
            elif place is None and not session.log.version:
                session.opaque("the messages of this graph are not in its state")
        if any(c["id"] == call.id and same(c["args"], call.arguments) for c in turn.tool_calls):
            written = _written(turn).get(call.id)
            call = call if written is None else replace(call, arguments=written)
        return call, session

    # Whose step it is --------------------------------------------------------------------------

    def _session(self, message: AIMessage) -> Session:
        """The session of this step: of a sub-agent that a tool runs, a child of that tool's."""
        config, runtime = ensure_config(), _runtime()
        given, running = self._given or current_session(), RUNNING.get()
        thread = config.get("configurable", {}).get("thread_id")
        run = getattr(getattr(runtime, "execution_info", None), "run_id", None)
        metadata = message.response_metadata
        told = {
            "run": run,
            "agent": message.name,
            "model": metadata.get("model_name") or metadata.get("model"),
        }
        control = getattr(runtime, "control", None)
        if running is not None and (given is None or given is running):
            space = str(config.get("metadata", {}).get("langgraph_checkpoint_ns", ""))
            key = (running.id, space.rpartition("|")[0])
            return _named(self._runs.of(control, key, running.child), **told)
        if given is None and thread is None:
            return _named(self._runs.of(control, ("", ""), self.firewall.session), **told)
        return self._seam.session(None if thread is None else str(thread), **told)

    def _offered(self, tools: Iterable[Any]) -> list[Mapping[str, Any]]:
        """The tools as a provider is told of them; each is described once while it is offered."""
        known = self._shapes
        shapes = {id(tool): known.get(id(tool)) or (tool, _described(tool)) for tool in tools}
        self._shapes = shapes
        return [shape for _, shape in shapes.values()]


class _Turn:
    """One question to the model; asked again while no call that came back can be read."""

    def __init__(self, shield: ShieldMiddleware, request: Any) -> None:
        self.request = request
        self._shield = shield
        self._earlier: list[Any] = []
        self._left = shield.firewall.policy.retries

    def taken(self, response: Any) -> Any:
        """What the agent goes on with; None where the model has to be asked again."""
        result = response.result
        message = next((m for m in result if isinstance(m, AIMessage)), None)
        if message is None:
            return response
        system = self.request.system_message
        asked = [*([] if system is None else [system]), *self.request.messages]
        done = {m.tool_call_id for m in result if isinstance(m, ToolMessage)}
        judged = self._shield.judged(message, asked, self.request.tools, done=done)
        broken = {call["id"] for call in message.invalid_tool_calls if call["id"]}
        feedback = [_feedback(c, d) for c, d in judged if c.id in broken and d.blocked]
        if not feedback:
            return self._with(response, [])
        if message.tool_calls or not self._left:
            return self._with(response, feedback if message.tool_calls else [])
        self._left -= 1
        self._earlier += [*result, *feedback]
        said = [*self.request.messages, *result, *feedback]
        self.request = self.request.override(messages=said)
        return None

    def _with(self, response: ModelResponse[Any], feedback: list[ToolMessage]) -> Any:
        if not (self._earlier or feedback):
            return response
        return replace(response, result=[*self._earlier, *response.result, *feedback])


class _Judged:
    """Which turn of a session was judged last, so that its dispatches do not judge it again."""

    def __init__(self) -> None:
        self._id: str | None = None
        self._calls: list[Any] | None = None

    def take(self, message: AIMessage) -> None:
        self._id, self._calls = message.id, [call["id"] for call in message.tool_calls]

    def knows(self, message: AIMessage) -> bool:
        """Whether *message* is that turn; it may have got its id since, and lost calls."""
        named = self._id is None or message.id is None or self._id == message.id
        ids = self._calls
        return named and ids is not None and all(c["id"] in ids for c in message.tool_calls)


class _Runs:
    """The sessions of runs that have no thread, by the object that controls the run."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[Any, tuple[object, Session]] = OrderedDict()
        self._lock = Lock()

    def of(self, control: object, key: tuple[str, str], make: Callable[[], Session]) -> Session:
        """Give the session of a run; the object is kept, so that no other gets its identity."""
        if control is None:
            return make()
        with self._lock:
            found = self._sessions.setdefault((id(control), *key), (control, _LATER))[1]
            if found is _LATER:
                found = make()
                self._sessions[id(control), *key] = (control, found)
            self._sessions.move_to_end((id(control), *key))
            if len(self._sessions) > _RUNS:
                self._sessions.popitem(last=False)
            return found


_LATER = Session("")


def _named(session: Session, *, run: Any, agent: Any, model: Any) -> Session:
    session.run_id = run or session.run_id
    session.agent = agent or session.agent
    session.model = model or session.model
    return session


def _runtime() -> Any:
    try:
        return get_runtime()
    except Exception:  # called outside of a graph
        return None


def _described(tool: Any) -> Mapping[str, Any]:
    if isinstance(tool, Mapping):
        return tool
    try:
        return convert_to_openai_tool(tool)
    except Exception:  # a schema that has no JSON form
        return {"name": str(getattr(tool, "name", ""))}


# What comes back -------------------------------------------------------------------------------


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
    """Tell the guard what the model will read of *result*."""
    found = next(_answers(result, call_id, key), None)
    if found is None:
        return
    returned = next((e for e in read_message(_shaped(found)) if isinstance(e, Returned)), None)
    if returned is not None:
        guard.value, guard.failed = returned.value, returned.error


def _answers(result: Any, call_id: str | None, key: str) -> Iterator[ToolMessage]:
    if isinstance(result, ToolMessage):
        if call_id is None or result.tool_call_id == call_id:
            yield result
    elif isinstance(result, Command):
        update = result.update
        written = update.get(key) if isinstance(update, Mapping) else update
        for message in written if isinstance(written, (list, tuple)) else (written,):
            yield from _answers(message, call_id, key)
    elif isinstance(result, (list, tuple)):
        for each in result:
            yield from _answers(each, call_id, key)


# What is read ----------------------------------------------------------------------------------


def _calls(message: AIMessage) -> list[ToolCall]:
    """The calls of a turn, arguments as the model wrote them where that was kept."""
    written, tokens = _written(message), _tokens(message)
    calls = [
        ToolCall(c["name"], written.get(c["id"], c["args"]), c["id"], tokens)
        for c in message.tool_calls
    ]
    broken = message.invalid_tool_calls
    return calls + [ToolCall(c["name"] or "", c["args"] or "", c["id"], tokens) for c in broken]


def _written(message: AIMessage) -> dict[str | None, str]:
    """Call id to the arguments' text, where the provider's own message was kept."""
    kept = message.additional_kwargs.get("tool_calls")
    texts: dict[str | None, str] = {}
    for call in kept if isinstance(kept, list) else ():
        function = _member(call, "function")
        text = _member(function, "arguments")
        if isinstance(text, str) and isinstance(_member(call, "id"), str):
            texts[call["id"]] = text
    return texts


def _tokens(message: AIMessage) -> Any:
    tokens = _member(message.response_metadata.get("logprobs"), "content")
    return tokens if isinstance(tokens, list) and tokens else None


def _shaped(message: Any) -> Mapping[str, Any]:
    """A message in OpenAI's shape; what has none is told as what was not seen."""
    try:
        return _spoken(message)
    except Exception:  # a message class of the host's may break when it is read
        return {"role": type(message).__name__}


def _spoken(message: Any) -> Mapping[str, Any]:
    if isinstance(message, AIMessage):
        calls = [
            {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}}
            for call in _calls(message)
        ]
        said = {"role": "assistant", "content": _without_calls(message.content)}
        return {**said, "tool_calls": calls} if calls else said
    if isinstance(message, ToolMessage):
        told = {"role": "tool", "tool_call_id": message.tool_call_id, "name": message.name or ""}
        failed = {"error": True} if message.status == "error" else {}
        return {**told, "content": _result(message.content), **failed}
    if isinstance(message, FunctionMessage):
        return {"role": "function", "name": message.name, "content": message.content}
    if isinstance(message, BaseMessage):
        return {"role": _role(message), "content": message.content}
    if isinstance(message, Mapping):
        return message
    return {"role": type(message).__name__}


def _role(message: BaseMessage) -> str:
    if isinstance(message, ChatMessage):
        return str(message.role)
    if isinstance(message, SystemMessage):
        return "system"
    return "user" if isinstance(message, HumanMessage) else str(message.type)


def _without_calls(content: Any) -> Any:
    """The calls of a turn stand in its blocks as well; they are read once."""
    if not isinstance(content, list):
        return content
    return [block for block in content if _member(block, "type") not in _CALLS]


def _result(content: Any) -> Any:
    """A result's blocks; what the model saw of it and we did not is named as that."""
    if not isinstance(content, list):
        return content
    return [
        block
        if isinstance(block, str) or _member(block, "type") in _READABLE
        else {"type": "document", "source": str(_member(block, "type"))}
        for block in content
    ]


def _member(part: Any, name: str) -> Any:
    return part.get(name) if isinstance(part, Mapping) else getattr(part, name, None)


def _reversed(messages: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    return zip(range(len(messages) - 1, -1, -1), reversed(messages), strict=True)
