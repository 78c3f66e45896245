"""The session, run and agent of a graph's step, and the author of its calls' arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple, cast

from langchain_core.messages import AIMessage
from langchain_core.runnables import ensure_config
from langgraph.runtime import get_runtime

from abs_shield.adapters.langgraph.framework_checks import NAMESPACE, check_step
from abs_shield.adapters.langgraph.langchain_messages import arguments_as_written
from abs_shield.core import ToolCall
from abs_shield.core.call_arguments import read_arguments, same
from abs_shield.session import Session, Sessions, current_session
from abs_shield.session.session_context import RUNNING
from abs_shield.shield import Shield
from abs_shield.shield.tool_messages import member

_MAX_RUNS = 1_000  # concurrent runs without a thread id, each with a session


class GraphPosition(NamedTuple):
    """
    The position of a step in a graph.

    Attributes:
        thread: The id of the thread, which is the conversation; None without one.
        namespace: The agent's namespace inside the graph that was started.
        control: An object that every step of one run shares.
        run: The run's id, if the host set one.
    """

    thread: str | None
    namespace: str
    control: object
    run: str | None

    @classmethod
    def current(cls) -> GraphPosition:
        """Return the position of the current step."""
        config = ensure_config()
        try:
            runtime: Any = get_runtime()
        except Exception:  # called outside of a graph
            runtime = None
        if runtime is not None:
            check_step(config)
        thread = config.get("configurable", {}).get("thread_id")
        namespace = config.get("metadata", {}).get(NAMESPACE, "")
        return cls(
            thread=None if thread is None else str(thread),
            namespace=str(namespace).rpartition("|")[0],  # without the step's own node
            control=getattr(runtime, "control", None),
            run=getattr(getattr(runtime, "execution_info", None), "run_id", None),
        )


class StepNames(NamedTuple):
    """The framework's names of a step's run, agent and model; None for missing ones."""

    run: str | None
    agent: str | None
    model: str | None

    @classmethod
    def of(cls, message: AIMessage, position: GraphPosition) -> StepNames:
        """Read the names from the model's answer and its position."""
        metadata = message.response_metadata
        return cls(position.run, message.name, metadata.get("model_name") or metadata.get("model"))

    def apply_to(self, session: Session) -> None:
        """Set the names on the session."""
        session.run_id = self.run or session.run_id
        session.agent = self.agent or session.agent
        session.model = self.model or session.model


class StepSessions:
    """
    The sessions of one adapter's steps.

    Args:
        firewall: The Shield.
        session: The session of every run; None for that of its thread, or one per run.
    """

    def __init__(self, firewall: Shield, session: Session | None) -> None:
        self._firewall = firewall
        self._fixed_session = session
        self._runs = Sessions(most=_MAX_RUNS)

    def session(self, position: GraphPosition) -> Session:
        """
        Return the session of a step; an agent inside a tool has a child of the tool's session.
        """
        explicit, running = self._fixed_session or current_session(), RUNNING.get()
        # for an agent inside a tool, values of the enclosing run are not the user's
        if running is not None and explicit in (None, running):
            return self._run_session(
                position.control, running.id, position.namespace, running.child
            )
        if explicit is not None:
            return explicit
        if position.thread is not None:
            return self._firewall.session(position.thread)
        return self._run_session(position.control, "", "", self._firewall.session)

    def _run_session(
        self, control: object, parent: str, namespace: str, create: Callable[[], Session]
    ) -> Session:
        """Return the session of a run; *control* is kept alive, so that its id is not reused."""
        if control is None:
            return create()
        return self._runs.get(f"{id(control)} {parent} {namespace}", create, of=control)


_EDITS = "hitl_edited_tool_calls"
"""State key of LangChain's `HumanInTheLoopMiddleware` for a reviewer's edits, by call id."""


class JudgedTurn:
    """The last judged turn of a session, which its dispatches do not judge again."""

    def __init__(self) -> None:
        self._id: str | None = None
        self._calls: list[Mapping[str, Any]] | None = None

    def record(self, message: AIMessage) -> None:
        """Store a copy of a turn, because the host may change the message later."""
        self._id = message.id
        self._calls = [_copy_call(call) for call in message.tool_calls]

    def matches(self, message: AIMessage) -> bool:
        """Return whether *message* is that turn; it may have received an id or lost calls since."""
        if self._calls is None:
            return False
        # a message receives its id only when the graph's reducer stores it
        same_id = self._id is None or message.id is None or self._id == message.id
        ids = [call["id"] for call in self._calls]
        return same_id and all(call["id"] in ids for call in message.tool_calls)

    def calls_as_written(self, message: AIMessage) -> Iterable[Mapping[str, Any]]:
        """
        Return the calls of a turn as the model wrote them.

        The stored calls are used only for a message with the same id: call ids may repeat in
        another turn, or with another agent of the same session.
        """
        if self._calls is not None and self._id is not None and self._id == message.id:
            return self._calls
        return cast("Iterable[Mapping[str, Any]]", message.tool_calls)


def call_to_run(request: Any) -> ToolCall:
    """
    Return the call that will run; a reviewer's edit may still be applied after this middleware.
    """
    call = request.tool_call
    edits = member(request.state, _EDITS)
    edit = edits.get(call.get("id")) if isinstance(edits, Mapping) and call.get("id") else None
    if isinstance(edit, Mapping) and "name" in edit and "args" in edit:
        call = {**call, "name": edit["name"], "args": edit["args"]}
    return ToolCall(call["name"], call["args"], call.get("id"))


def proposal_of(call: ToolCall, calls_as_written: Iterable[Mapping[str, Any]]) -> ToolCall | None:
    """
    Return the model's proposal with the id of *call*, if it differs from it; else None.
    """
    own = [each for each in calls_as_written if call.id and each["id"] == call.id]
    if not own or any(_is_same(each, call) for each in own):
        return None
    return ToolCall(own[0]["name"], own[0]["args"], call.id)


def as_written(call: ToolCall, turn: AIMessage) -> Any:
    """
    Return the model's own text of a call's arguments, if the call runs with these arguments.
    """
    if not any(each["id"] == call.id and _is_same(each, call) for each in turn.tool_calls):
        return call.arguments
    text = arguments_as_written(turn).get(call.id, call.arguments)
    read = read_arguments(text)
    is_other = isinstance(read, dict) and not same(read, call.arguments)
    return call.arguments if is_other else text


def newest_turn(messages: Any) -> tuple[Sequence[Any], AIMessage | None]:
    """Return the messages before the model's newest answer, and that answer."""
    history = messages if isinstance(messages, (list, tuple)) else ()
    for index in range(len(history) - 1, -1, -1):  # from the end, because a history may be long
        if isinstance(history[index], AIMessage):
            return history[:index], history[index]
    return (), None


def _is_same(one: Mapping[str, Any], call: ToolCall) -> bool:
    return bool(one["name"] == call.name) and same(one["args"], call.arguments)


def _copy_call(call: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return deepcopy(call)
    except Exception:  # an object of the host that cannot be copied
        return dict(call)
