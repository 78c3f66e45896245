"""Tool calls and answers in a host's own message loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from abs_shield.adapters.answer_rewriting import ReplyFormat, Rewriter
from abs_shield.adapters.anthropic.message_blocks import (
    call_of,
    completed_message,
    record_messages,
    remove_calls,
    tool_uses,
)
from abs_shield.adapters.anthropic.sdk_checks import check_streams
from abs_shield.core.events import Opaque
from abs_shield.core.messages import read_message
from abs_shield.session import Session
from abs_shield.shield import Shield
from abs_shield.shield.adapter_session import AdapterSession
from abs_shield.shield.tool_call_loop import Dispatch
from abs_shield.shield.tool_messages import member


def run_tool_calls(
    message: Any,
    messages: Iterable[Any],
    *,
    firewall: Shield,
    session: Session | None = None,
    dispatch: Dispatch | None = None,
    system: Any = None,
) -> list[dict[str, Any]]:
    """
    Run every call of one reply; blocked calls are answered with feedback.

    Args:
        message: The ``Message``, beta or not; or the stream after it was read to its end, which
            has the arguments as the model wrote them.
        messages: The conversation that was sent to the model. The same growing list can be
            passed every time.
        firewall: The Shield.
        session: The session; None for the current one or a new one.
        dispatch: The host's function that runs a call; None for the registered functions.
        system: The request's system prompt, a text or text blocks.

    Returns:
        The messages to append to *messages* after the reply: one or none.
    """
    reply = completed_message(message)
    run_session = record_conversation(reply, messages, AdapterSession(firewall, session), system)
    results = firewall.run_tool_calls(
        _proposed_calls(reply, message), session=run_session, dispatch=dispatch
    )
    return _with_toolset_names(reply, results)


async def arun_tool_calls(
    message: Any,
    messages: Iterable[Any],
    *,
    firewall: Shield,
    session: Session | None = None,
    dispatch: Dispatch | None = None,
    system: Any = None,
) -> list[dict[str, Any]]:
    """Async version of `run_tool_calls`; calls run concurrently, and *dispatch* may be async."""
    reply = completed_message(message)
    run_session = record_conversation(reply, messages, AdapterSession(firewall, session), system)
    proposed = _proposed_calls(reply, message)
    results = await firewall.arun_tool_calls(proposed, session=run_session, dispatch=dispatch)
    return _with_toolset_names(reply, results)


def record_conversation(
    reply: Any, messages: Iterable[Any], adapter: AdapterSession, system: Any
) -> Session:
    """Record the conversation in the session, and return the session."""
    session = adapter.session(model=member(reply, "model"))
    record_messages(adapter, session, messages, system)
    for event in read_message(remove_calls(reply)):
        if isinstance(event, Opaque):  # a server tool's result in the same reply
            session.opaque(event.reason)
    return session


def _proposed_calls(reply: Any, message: Any) -> dict[str, Any]:
    """Return a message with only the calls of the reply."""
    if reply is not message:  # of a stream
        check_streams()
    calls = [call_of(block, raw) for block, raw in tool_uses(reply, message)]
    blocks = [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in calls]
    return {"role": "assistant", "content": blocks}


def _with_toolset_names(reply: Any, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the results, each with the toolset of its call, as the API requires."""
    families = {use.get("id"): use.get("toolset_name") for use, _ in tool_uses(reply, None)}
    for result in (result for message in messages for result in message["content"]):
        if family := families.get(result["tool_use_id"]):
            result["toolset_name"] = family
    return messages


def settle_answer(
    message: Any,
    messages: Any,
    *,
    firewall: Shield,
    ask: Callable[[list[Any]], Any],
    session: Session | None = None,
    dispatch: Dispatch | None = None,
    system: Any = None,
) -> str:
    """
    Settle the text of the message that ends a run; in strict mode *ask* may rewrite it.

    Args:
        message: The ``Message`` without calls, or the stream after it was read to its end.
        messages: The conversation that was sent to the model, which is not changed; or the
            shielded runner that produced the message.
        firewall: The Shield.
        ask: Calls the model with a conversation, and returns the message.
        session: The session; None for the current one.
        dispatch: As in `run_tool_calls`, for a rewrite that calls tools.
        system: The request's system prompt, a text or text blocks.

    Returns:
        The text to show. It is unchanged, and *ask* is not called, in audit mode, for a message
        with tool calls, and for structured output that the SDK parsed.
    """
    text, run_session, conversation = _prepare(message, messages, firewall, session, system)
    # structured output is read by a program, for which a rewritten text could be invalid
    if not text.strip() or _is_parsed(message):
        return text
    run = partial(run_tool_calls, firewall=firewall, session=run_session, dispatch=dispatch)
    rewriter = Rewriter(_API, message, conversation, ask=ask, run=run)
    return firewall.settle_answer(text, write=rewriter.write, session=run_session).text


async def asettle_answer(
    message: Any,
    messages: Any,
    *,
    firewall: Shield,
    ask: Callable[[list[Any]], Any],
    session: Session | None = None,
    dispatch: Dispatch | None = None,
    system: Any = None,
) -> str:
    """Async version of `settle_answer`; *ask* and *dispatch* may be async."""
    text, run_session, conversation = _prepare(message, messages, firewall, session, system)
    if not text.strip() or _is_parsed(message):
        return text
    run = partial(arun_tool_calls, firewall=firewall, session=run_session, dispatch=dispatch)
    rewriter = Rewriter(_API, message, conversation, ask=ask, run=run)
    return (await firewall.asettle_answer(text, write=rewriter.awrite, session=run_session)).text


def _prepare(
    message: Any,
    messages: Any,
    firewall: Shield,
    session: Session | None,
    system: Any,
) -> tuple[str, Session, list[Any]]:
    """Return the text to settle, the session, and the conversation."""
    params = getattr(messages, "_params", None)
    if params is not None:  # of a tool runner
        messages, system = params.get("messages", ()), params.get("system")
    conversation = [*messages]
    if conversation and member(conversation[-1], "role") == "assistant":
        conversation.pop()  # the message itself
    adapter = AdapterSession(firewall, session)
    return (
        _text(message),
        record_conversation(completed_message(message), conversation, adapter, system),
        conversation,
    )


def _blocks(message: Any) -> list[Any]:
    return [*(member(completed_message(message), "content") or ())]


def _text(message: Any) -> str:
    if _has_calls(message):  # the run continues
        return ""
    blocks = [block for block in _blocks(message) if member(block, "type") == "text"]
    return "".join(str(member(block, "text") or "") for block in blocks)


def _has_calls(message: Any) -> bool:
    return any(member(block, "type") == "tool_use" for block in _blocks(message))


def _as_messages(message: Any) -> list[Any]:
    return [{"role": "assistant", "content": _blocks(message)}]


def _is_parsed(message: Any) -> bool:
    return any(member(block, "parsed_output") is not None for block in _blocks(message))


_API = ReplyFormat(_text, _has_calls, _as_messages)
