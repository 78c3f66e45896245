"""Distinguish arguments that the model wrote from edits by a person or the host."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, cast

from langchain_core.messages import AIMessage

from abs_shield.adapters.langgraph.langchain_messages import arguments_as_written
from abs_shield.core import ToolCall
from abs_shield.core.call_arguments import read_arguments, same
from abs_shield.shield.tool_messages import member

_EDITS = "hitl_edited_tool_calls"
"""The state key of LangChain's `HumanInTheLoopMiddleware` for a reviewer's edits, by call id."""


class JudgedTurn:
    """The last judged turn of a session, so that its dispatches do not judge it again."""

    def __init__(self) -> None:
        self._id: str | None = None
        self._calls: list[Mapping[str, Any]] | None = None

    def record(self, message: AIMessage) -> None:
        """Store a turn as the model wrote it; a host may change the message later."""
        self._id = message.id
        self._calls = [_copy(call) for call in message.tool_calls]

    def matches(self, message: AIMessage) -> bool:
        """Return whether *message* is that turn; it may have received an id or lost calls since."""
        if self._calls is None:
            return False
        # the graph's reducer gives a message its id only when it is stored
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
    Return the call that the model proposed under this id if it differs from *call*; else None.
    """
    own = [each for each in calls_as_written if call.id and each["id"] == call.id]
    if not own or any(_is_same(each, call) for each in own):
        return None
    return ToolCall(own[0]["name"], own[0]["args"], call.id)


def as_written(call: ToolCall, turn: AIMessage) -> Any:
    """
    Return a call's arguments as the model's own text, if they are the arguments that will run.
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
    for index in range(len(history) - 1, -1, -1):  # from the end: a history may be long
        if isinstance(history[index], AIMessage):
            return history[:index], history[index]
    return (), None


def _is_same(one: Mapping[str, Any], call: ToolCall) -> bool:
    return bool(one["name"] == call.name) and same(one["args"], call.arguments)


def _copy(call: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return deepcopy(call)
    except Exception:  # an object of the host that cannot be copied
        return dict(call)
