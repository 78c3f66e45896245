"""Settle the answer that ends a run over chat completions or Responses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from abs_shield.adapters.answer_rewriting import ReplyFormat, Rewriter, conversation_of
from abs_shield.adapters.openai.response_loop import (
    arun_tool_calls,
    as_messages,
    record_conversation,
    run_tool_calls,
)
from abs_shield.session import Session
from abs_shield.shield import Shield
from abs_shield.shield.adapter_session import AdapterSession
from abs_shield.shield.tool_call_loop import Dispatch

_CALLS = ("function_call", "custom_tool_call")


def settle_answer(
    response: Any,
    messages: Iterable[Any] | None,
    *,
    firewall: Shield,
    ask: Callable[[list[Any]], Any],
    session: Session | None = None,
    dispatch: Dispatch | None = None,
) -> str:
    """
    Settle the text of the response that ends a run; in strict mode *ask* may rewrite it.

    Args:
        response: A ``ChatCompletion`` or a ``Response`` without calls.
        messages: The conversation that the model was sent, which is not changed; None for that of
            the newest shielded runner in the session.
        firewall: The Shield.
        ask: Calls the model with a conversation, and returns the response.
        session: The session; the current one if None.
        dispatch: As in `run_tool_calls`, for a rewrite that calls tools.

    Returns:
        The text to show. In audit mode, for a response with tool calls and for structured output
        that the SDK parsed, it is the text unchanged, and *ask* is not called.
    """
    text, run_session, conversation = _prepare(response, messages, firewall, session)
    # structured output is data for a program, which a rewritten text would break
    if not text.strip() or _is_parsed(response):
        return text
    run = partial(run_tool_calls, firewall=firewall, session=run_session, dispatch=dispatch)
    rewriter = Rewriter(_API, response, conversation, ask=ask, run=run)
    return firewall.settle_answer(text, write=rewriter.write, session=run_session).text


async def asettle_answer(
    response: Any,
    messages: Iterable[Any] | None,
    *,
    firewall: Shield,
    ask: Callable[[list[Any]], Any],
    session: Session | None = None,
    dispatch: Dispatch | None = None,
) -> str:
    """Async version of `settle_answer`; *ask* and *dispatch* may be async."""
    text, run_session, conversation = _prepare(response, messages, firewall, session)
    if not text.strip() or _is_parsed(response):
        return text
    run = partial(arun_tool_calls, firewall=firewall, session=run_session, dispatch=dispatch)
    rewriter = Rewriter(_API, response, conversation, ask=ask, run=run)
    return (await firewall.asettle_answer(text, write=rewriter.awrite, session=run_session)).text


def _prepare(
    response: Any, messages: Iterable[Any] | None, firewall: Shield, session: Session | None
) -> tuple[str, Session, list[Any]]:
    """Return the text to settle, the session, and the conversation."""
    run_session = AdapterSession(firewall, session).session() if messages is None else None
    conversation = as_messages(
        "user", messages if run_session is None else conversation_of(run_session, messages)
    )
    if run_session is None:
        run_session = record_conversation(response, conversation, firewall, session)
    return _text(response), run_session, conversation


def _text(response: Any) -> str:
    if _has_calls(response):
        return ""
    if choices := getattr(response, "choices", None):
        return getattr(choices[0].message, "content", None) or ""
    return getattr(response, "output_text", None) or ""


def _has_calls(response: Any) -> bool:
    if choices := getattr(response, "choices", None):
        return bool(getattr(choices[0].message, "tool_calls", None))
    output = getattr(response, "output", None) or ()
    return any(getattr(item, "type", None) in _CALLS for item in output)


def _as_output_items(response: Any) -> list[Any]:
    if choices := getattr(response, "choices", None):
        return [choices[0].message]
    return [*(getattr(response, "output", None) or ())]


def _is_parsed(response: Any) -> bool:
    choices = getattr(response, "choices", None)
    part = choices[0].message if choices else response
    return getattr(part, "parsed" if choices else "output_parsed", None) is not None


_API = ReplyFormat(_text, _has_calls, _as_output_items)
