"""Judge and run the tool calls of one response, in a host's own loop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from abs_shield.adapters.openai.response_items import (
    STORED_PROMPT,
    mark_unseen_once,
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
        response: A ``ChatCompletion`` or a ``Response``; of a stream, the assembled one.
        messages: The conversation that the model was sent: the messages of a chat, the input of
            a response. A growing list may be passed again and again.
        firewall: The Shield.
        session: The session; if None, the current one, that of the response's conversation, or a
            new one.
        dispatch: Runs a call for the host; if None, the registered functions run.

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
        mark_unseen_once(run_session, STORED_PROMPT)
    # later turns continue what the session has read itself
    if not has_turns and (conversation or getattr(response, "previous_response_id", None)):
        run_session.opaque("the conversation so far is kept by the provider")
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
        return [i for i in items if i.get("type") in ("function_call", "custom_tool_call")]
    if choices[0].message is None:
        return []
    message = _as_dict(choices[0].message)
    tokens: Any = getattr(getattr(choices[0], "logprobs", None), "content", None)
    for call in message.get("tool_calls", ()) if tokens else ():
        # the tokens are those of the whole message: the layer finds the call's own among them
        call["logprobs"] = [
            {"token": t.token, "logprob": t.logprob, "bytes": t.bytes} for t in tokens
        ]
    return message


def _as_dict(part: Any) -> dict[str, Any]:
    """Return an SDK object as a dict, without warnings about the parsed output in it."""
    plain: dict[str, Any] = part.model_dump(mode="json", exclude_none=True, warnings=False)
    return plain
