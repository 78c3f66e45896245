"""Answers one assistant message: every call of it is judged, run or answered with feedback."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from abs_shield.core import Decision, ToolCall
from abs_shield.core.ids import new_id
from abs_shield.core.messages import read_calls
from abs_shield.errors import CallBlocked, ResultBlocked, ShieldError
from abs_shield.session import Session
from abs_shield.shield.content import content_of
from abs_shield.text.show import escaped, told

if TYPE_CHECKING:
    from abs_shield.shield.shield import Shield


_FUNCTION, _CUSTOM = "function_call", "custom_tool_call"


class Answer(NamedTuple):
    """What one call is answered with."""

    call: ToolCall
    content: str
    error: bool


Dispatch = Callable[[ToolCall], Any]
"""The host's own way to run a call; its arguments are as the model wrote them."""


def answers(
    shield: Shield, message: Any, session: Session, dispatch: Dispatch | None
) -> list[dict[str, Any]]:
    """Run the calls one after the other; give the messages to append."""
    calls = _inspected(shield, message, session)
    return _shaped(message, [_answer(shield, call, session, dispatch) for call in calls])


async def aanswers(
    shield: Shield, message: Any, session: Session, dispatch: Dispatch | None
) -> list[dict[str, Any]]:
    """Run the calls side by side; give the messages to append, in the calls' order."""
    import asyncio  # sync programs start faster without it

    calls = _inspected(shield, message, session)
    given = await asyncio.gather(*(_aanswer(shield, call, session, dispatch) for call in calls))
    return _shaped(message, list(given))


def _inspected(shield: Shield, message: Any, session: Session) -> tuple[ToolCall, ...]:
    calls = tuple(call if call.id else replace(call, id=new_id()) for call in read_calls(message))
    shield.inspect_turn(calls, session=session)
    return calls


def _answer(shield: Shield, call: ToolCall, session: Session, dispatch: Dispatch | None) -> Answer:
    try:
        if dispatch is None:
            value = shield.dispatch(call.name, call.arguments, call_id=call.id, session=session)
        else:
            with shield.guard(call, session=session) as guard:
                value = guard.value = dispatch(call)
        if inspect.isasyncgen(value):
            raise ShieldError(f"tool `{escaped(call.name)}` is async; use `arun_tool_calls`")
        value = list(value) if inspect.isgenerator(value) else value
    except Exception as error:
        return _failed(call, error)
    return Answer(call, content_of(value), False)


async def _aanswer(
    shield: Shield, call: ToolCall, session: Session, dispatch: Dispatch | None
) -> Answer:
    try:
        if dispatch is None:
            name, arguments = call.name, call.arguments
            value = await shield.adispatch(name, arguments, call_id=call.id, session=session)
        else:
            async with shield.guard(call, session=session) as guard:
                value = dispatch(call)
                value = guard.value = await value if inspect.isawaitable(value) else value
        if inspect.isasyncgen(value):
            value = [item async for item in value]
        value = list(value) if inspect.isgenerator(value) else value
    except Exception as error:
        return _failed(call, error)
    return Answer(call, content_of(value), False)


def _failed(call: ToolCall, error: Exception) -> Answer:
    if isinstance(error, CallBlocked | ResultBlocked):
        return Answer(call, feedback_text(error.decision), True)
    said = str(error) if isinstance(error, ShieldError) else told(error)
    content = {"status": "error", "tool": escaped(call.name), "error": said}
    return Answer(call, json.dumps(content), True)


def feedback_text(decision: Decision) -> str:
    """Write what the model reads in place of a result: the call was blocked, or it was withheld."""
    return json.dumps(decision.feedback(), default=str)


def _shaped(message: Any, given: list[Answer]) -> list[dict[str, Any]]:
    if _is_anthropic(message):
        blocks = [
            {"type": "tool_result", "tool_use_id": a.call.id, "content": a.content}
            | ({"is_error": True} if a.error else {})
            for a in given
        ]
        return [{"role": "user", "content": blocks}] if blocks else []
    if _is_responses(message):
        custom = {_member(item, "call_id") for item in _items(message) if _is(item, _CUSTOM)}
        return [
            {
                "type": f"{_CUSTOM if a.call.id in custom else _FUNCTION}_output",
                "call_id": a.call.id,
                "output": a.content,
            }
            for a in given
        ]
    if _member(message, "function_call"):
        return [{"role": "function", "name": a.call.name, "content": a.content} for a in given]
    return [
        {"role": "tool", "tool_call_id": a.call.id, "name": a.call.name, "content": a.content}
        | ({"error": True} if a.error else {})
        for a in given
    ]


def _is_responses(message: Any) -> bool:
    return any(_is(item, _FUNCTION) or _is(item, _CUSTOM) for item in _items(message))


def _items(message: Any) -> list[Any]:
    return list(message) if isinstance(message, (list, tuple)) else [message]


def _is(part: Any, kind: str) -> bool:
    return bool(_member(part, "type") == kind)


def _is_anthropic(message: Any) -> bool:
    content = _member(message, "content")
    if not isinstance(content, (list, tuple)):
        return False
    return any(_is(block, "tool_use") for block in content)


def _member(part: Any, name: str) -> Any:
    """Give a member of a dict, or of an SDK's object."""
    return part.get(name) if isinstance(part, Mapping) else getattr(part, name, None)
