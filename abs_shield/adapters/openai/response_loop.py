"""Tool calls and answers in a host's own loop over responses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from abs_shield.adapters.answer_rewriting import ReplyFormat, Rewriter, conversation_of
from abs_shield.adapters.openai.response_items import (
    STORED_PROMPT,
    mark_unread_once,
    record_hosted_tools,
)
from abs_shield.session import Session
from abs_shield.shield import Shield
from abs_shield.shield.adapter_session import AdapterSession
from abs_shield.shield.tool_call_loop import Dispatch


def run_tool_calls(
    response: Any,
    messages: Iterable[Any],
    *,
    firewall: Shield,
    session: Session | None = None,
    dispatch: Dispatch | None = None,
) -> list[dict[str, Any]]:
    """
    Run every call of one response; blocked calls are answered with feedback.

    Args:
        response: A ``ChatCompletion`` or a ``Response``; for a stream, the assembled one.
        messages: The conversation that was sent to the model: the messages of a chat, or the
            input of a response. The same growing list can be passed every time.
        firewall: The Shield.
        session: The session; None for the current one, that of the response's conversation, or a
            new one.
        dispatch: The host's function that runs a call; None for the registered functions.

    Returns:
        The messages to append to *messages* after the response's own message or items.
    """
    run_session = record_conversation(response, messages, firewall, session)
    results = firewall.run_tool_calls(
        _proposed_calls(response), session=run_session, dispatch=dispatch
    )
    return [_as_api_message(message) for message in results]


async def arun_tool_calls(
    response: Any,
    messages: Iterable[Any],
    *,
    firewall: Shield,
    session: Session | None = None,
    dispatch: Dispatch | None = None,
) -> list[dict[str, Any]]:
    """Async version of `run_tool_calls`; calls run concurrently, and *dispatch* may be async."""
    run_session = record_conversation(response, messages, firewall, session)
    results = await firewall.arun_tool_calls(
        _proposed_calls(response), session=run_session, dispatch=dispatch
    )
    return [_as_api_message(message) for message in results]


def _as_api_message(message: dict[str, Any]) -> dict[str, Any]:
    """
    Return a tool message without the fields that the API rejects: its name and its error flag.
    """
    if message.get("role") != "tool":
        return message
    return {key: value for key, value in message.items() if key not in ("name", "error")}


def record_conversation(
    response: Any, messages: Iterable[Any], firewall: Shield, session: Session | None
) -> Session:
    """Record the conversation in the session, and return the session."""
    conversation = getattr(getattr(response, "conversation", None), "id", None)
    adapter = AdapterSession(firewall, session)
    run_session = adapter.session(conversation, model=getattr(response, "model", None))
    has_turns = bool(run_session.turns)
    items = [messages] if isinstance(messages, Mapping) else messages
    adapter.add_messages(
        run_session,
        [
            *as_messages("system", getattr(response, "instructions", None)),
            *as_messages("user", items),
        ],
    )
    if getattr(response, "prompt", None):
        mark_unread_once(run_session, STORED_PROMPT)
    # later turns continue a conversation that the session has recorded
    if not has_turns and (conversation or getattr(response, "previous_response_id", None)):
        run_session.opaque("the conversation so far is stored by the provider")
    for item in getattr(response, "output", None) or ():
        record_hosted_tools(item, run_session)
    return run_session


def as_messages(role: str, content: Any) -> list[Any]:
    """Return content as a list of messages; instructions and input may be a single text."""
    return [{"role": role, "content": content}] if isinstance(content, str) else [*(content or ())]


def _proposed_calls(response: Any) -> Any:
    """Return the message or the items with the calls, each call with its log-probabilities."""
    choices = getattr(response, "choices", None)
    if not choices:  # a `Response`, or a completion without choices
        items = [*map(_as_dict, getattr(response, "output", None) or ())]
        return [i for i in items if i.get("type") in _CALLS]
    if choices[0].message is None:
        return []
    message = _as_dict(choices[0].message)
    tokens: Any = getattr(getattr(choices[0], "logprobs", None), "content", None)
    for call in message.get("tool_calls", ()) if tokens else ():
        # the tokens of the whole message, among which the layer finds those of the call
        call["logprobs"] = [
            {"token": t.token, "logprob": t.logprob, "bytes": t.bytes} for t in tokens
        ]
    return message


def _as_dict(part: Any) -> dict[str, Any]:
    """Return an SDK object as a dict, without warnings about its parsed output."""
    plain: dict[str, Any] = part.model_dump(mode="json", exclude_none=True, warnings=False)
    return plain


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
        messages: The conversation that was sent to the model, which is not changed; None for that
            of the newest shielded runner in the session.
        firewall: The Shield.
        ask: Calls the model with a conversation, and returns the response.
        session: The session; None for the current one.
        dispatch: As in `run_tool_calls`, for a rewrite that calls tools.

    Returns:
        The text to show. It is unchanged, and *ask* is not called, in audit mode, for a response
        with tool calls, and for structured output that the SDK parsed.
    """
    text, run_session, conversation = _prepare(response, messages, firewall, session)
    # structured output is read by a program, for which a rewritten text could be invalid
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
