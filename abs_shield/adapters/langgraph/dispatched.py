"""Whose words a dispatched call is: the model's, or those of a person or the host."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, cast

from langchain_core.messages import AIMessage

from abs_shield.adapters.langgraph.spoken import member, written
from abs_shield.core import ToolCall
from abs_shield.core.arguments import read_arguments, same

_EDITS = "hitl_edited_tool_calls"
"""Where LangChain's `HumanInTheLoopMiddleware` keeps what a reviewer wrote, by call id."""


class Judged:
    """The turn of a session that was judged last, so that its dispatches do not judge it again."""

    def __init__(self) -> None:
        self._id: str | None = None
        self._calls: list[Mapping[str, Any]] | None = None

    def take(self, message: AIMessage) -> None:
        """Keep a turn as the model wrote it; a host may change the message later."""
        self._id = message.id
        self._calls = [_copy(call) for call in message.tool_calls]

    def knows(self, message: AIMessage) -> bool:
        """Whether *message* is that turn; it may have got its id since, and lost calls."""
        if self._calls is None:
            return False
        named = self._id is None or message.id is None or self._id == message.id
        ids = [call["id"] for call in self._calls]
        return named and all(call["id"] in ids for call in message.tool_calls)

    def proposals(self, message: AIMessage) -> Iterable[Mapping[str, Any]]:
        """
        Return the calls of a turn as the model wrote them.

        Only a message with the very id that was judged is compared with what was judged: ids of
        calls may come again, in another turn or from another agent of the same session.
        """
        if self._calls is not None and self._id is not None and self._id == message.id:
            return self._calls
        return cast("Iterable[Mapping[str, Any]]", message.tool_calls)


def dispatched(request: Any) -> ToolCall:
    """Return the call that will run; a reviewer's edit may be put in its place behind us."""
    call = request.tool_call
    edits = member(request.state, _EDITS)
    edit = edits.get(call.get("id")) if isinstance(edits, Mapping) and call.get("id") else None
    if isinstance(edit, Mapping) and "name" in edit and "args" in edit:
        call = {**call, "name": edit["name"], "args": edit["args"]}
    return ToolCall(call["name"], call["args"], call.get("id"))


def proposal_of(call: ToolCall, proposals: Iterable[Mapping[str, Any]]) -> ToolCall | None:
    """Return what the model proposed under a call's id, where that is another call; else None."""
    own = [each for each in proposals if call.id and each["id"] == call.id]
    if not own or any(_is_same(each, call) for each in own):
        return None
    return ToolCall(own[0]["name"], own[0]["args"], call.id)


def as_written(call: ToolCall, turn: AIMessage) -> Any:
    """Return a call's arguments as the model's own text, where that is what will run."""
    if not any(each["id"] == call.id and _is_same(each, call) for each in turn.tool_calls):
        return call.arguments
    text = written(turn).get(call.id, call.arguments)
    read = read_arguments(text)
    is_other = isinstance(read, dict) and not same(read, call.arguments)
    return call.arguments if is_other else text


def newest_turn(messages: Any) -> tuple[Sequence[Any], AIMessage | None]:
    """Return the newest answer of the model, and what stands before it."""
    told = messages if isinstance(messages, (list, tuple)) else ()
    for place in range(len(told) - 1, -1, -1):
        if isinstance(told[place], AIMessage):
            return told[:place], told[place]
    return (), None


def _is_same(one: Mapping[str, Any], call: ToolCall) -> bool:
    return bool(one["name"] == call.name) and same(one["args"], call.arguments)


def _copy(call: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return deepcopy(call)
    except Exception:  # an object of the host's that cannot be copied
        return dict(call)
