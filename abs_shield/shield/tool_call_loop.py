"""The loop over one assistant message's calls: judge, run, or answer each with feedback."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from abs_shield.core import Decision, ToolCall
from abs_shield.core.fork_safety import new_id
from abs_shield.core.messages import read_calls
from abs_shield.errors import CallBlocked, ResultBlocked, ShieldError
from abs_shield.session import Session
from abs_shield.shield.message_content import content_of
from abs_shield.shield.tool_messages import CallAnswer, messages_of
from abs_shield.text.safe_display import describe_exception, escaped

if TYPE_CHECKING:
    from abs_shield.shield.dispatch_methods import DispatchMethods


Dispatch = Callable[[ToolCall], Any]
"""The host's function that runs a call, with the arguments as the model wrote them."""


def answer_calls(
    shield: DispatchMethods, message: Any, session: Session, dispatch: Dispatch | None
) -> list[dict[str, Any]]:
    """Run the calls one after another; return the messages to append."""
    calls = _inspect_calls(shield, message, session)
    return messages_of(message, [_answer_call(shield, call, session, dispatch) for call in calls])


async def aanswer_calls(
    shield: DispatchMethods, message: Any, session: Session, dispatch: Dispatch | None
) -> list[dict[str, Any]]:
    """Run the calls concurrently; return the messages to append, in the calls' order."""
    import asyncio  # imported lazily: slow, and sync programs do not need it

    calls = _inspect_calls(shield, message, session)
    answer_calls = await asyncio.gather(
        *(_aanswer_call(shield, call, session, dispatch) for call in calls)
    )
    return messages_of(message, list(answer_calls))


def _inspect_calls(shield: DispatchMethods, message: Any, session: Session) -> tuple[ToolCall, ...]:
    # Results are matched by id, so each call needs one.
    calls = tuple(call if call.id else replace(call, id=new_id()) for call in read_calls(message))
    shield.inspect_turn(calls, session=session)
    return calls


def _answer_call(
    shield: DispatchMethods, call: ToolCall, session: Session, dispatch: Dispatch | None
) -> CallAnswer:
    try:
        if dispatch is None:
            value = shield.dispatch(call.name, call.arguments, call_id=call.id, session=session)
        else:
            with shield.guard(call, session=session) as guard:
                value = guard.value = dispatch(call)
        if inspect.isasyncgen(value):
            raise ShieldError(f"tool `{escaped(call.name)}` is async; use `arun_tool_calls`")
        # Read to its end under its guard, because the model receives one text.
        value = list(value) if inspect.isgenerator(value) else value
    except Exception as error:
        return _error_answer(call, error)
    return CallAnswer(call, content_of(value), False)


async def _aanswer_call(
    shield: DispatchMethods, call: ToolCall, session: Session, dispatch: Dispatch | None
) -> CallAnswer:
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
        return _error_answer(call, error)
    return CallAnswer(call, content_of(value), False)


def _error_answer(call: ToolCall, error: Exception) -> CallAnswer:
    if isinstance(error, CallBlocked | ResultBlocked):
        return CallAnswer(call, feedback_text(error.decision), True)
    # Messages of `ShieldError` are meant for the model; those of a tool are shortened.
    message = str(error) if isinstance(error, ShieldError) else describe_exception(error)
    content = {"status": "error", "tool": escaped(call.name), "error": message}
    return CallAnswer(call, json.dumps(content), True)


def feedback_text(decision: Decision) -> str:
    """Return the text that the model receives if the call or its result is blocked."""
    return json.dumps(decision.feedback(), default=str)
