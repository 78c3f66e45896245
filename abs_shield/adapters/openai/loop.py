"""A host's own loop over chat completions or Responses: one response's calls, judged and run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from abs_shield.adapters.openai.items import KEPT_PROMPT, hear_hosted, unseen
from abs_shield.session import Session
from abs_shield.shield import Shield
from abs_shield.shield.seam import Seam
from abs_shield.shield.turns import Dispatch


def run_tool_calls(
    response: Any,
    messages: Iterable[Any],
    *,
    firewall: Shield,
    session: Session | None = None,
    dispatch: Dispatch | None = None,
) -> list[dict[str, Any]]:
    """
    Run every call of one response; blocked ones are answered with feedback.

    Args:
        response: A ``ChatCompletion`` or a ``Response``; of a stream, what the SDK put together.
        messages: The conversation that the model was sent: the messages of a chat, the input of
            a response. A growing list may be passed again and again.
        firewall: The Shield.
        session: The session; the current one, that of the response's conversation, or a new one
            where None.
        dispatch: The host's own way to run a call; the registered functions where None.

    Returns:
        What to append to *messages* behind the response's own message or items.
    """
    seen = take_in(response, messages, firewall, session)
    told = firewall.run_tool_calls(_proposed(response), session=seen, dispatch=dispatch)
    return [_as_the_api_takes(message) for message in told]


async def arun_tool_calls(
    response: Any,
    messages: Iterable[Any],
    *,
    firewall: Shield,
    session: Session | None = None,
    dispatch: Dispatch | None = None,
) -> list[dict[str, Any]]:
    """As `run_tool_calls`; the calls run side by side, and *dispatch* may be async."""
    seen = take_in(response, messages, firewall, session)
    told = await firewall.arun_tool_calls(_proposed(response), session=seen, dispatch=dispatch)
    return [_as_the_api_takes(message) for message in told]


def _as_the_api_takes(message: dict[str, Any]) -> dict[str, Any]:
    """A tool's message without what the API does not know: its name, and whether it failed."""
    if message.get("role") != "tool":
        return message
    return {key: value for key, value in message.items() if key not in ("name", "error")}


def take_in(
    response: Any, messages: Iterable[Any], firewall: Shield, session: Session | None
) -> Session:
    """Return the session with all that was told; what the provider keeps is not seen here."""
    conversation = getattr(getattr(response, "conversation", None), "id", None)
    seam = Seam(firewall, session)
    seen = seam.session(conversation, model=getattr(response, "model", None))
    known = bool(seen.turns)
    heard = [messages] if isinstance(messages, Mapping) else messages
    seam.hear(
        seen, [*said("system", getattr(response, "instructions", None)), *said("user", heard)]
    )
    if getattr(response, "prompt", None):
        unseen(seen, KEPT_PROMPT)
    if not known and (conversation or getattr(response, "previous_response_id", None)):
        seen.opaque("the conversation so far is kept by the provider")
    for item in getattr(response, "output", None) or ():
        hear_hosted(item, seen)
    return seen


def said(role: str, given: Any) -> list[Any]:
    """Return messages; a response's instructions, and its input, may be one text alone."""
    return [{"role": role, "content": given}] if isinstance(given, str) else [*(given or ())]


def _proposed(response: Any) -> Any:
    """The message or the items that hold the calls, each call with its log-probabilities."""
    choices = getattr(response, "choices", None)
    if not choices:  # of Responses, or of a server that answers without any
        items = [*map(_plain, getattr(response, "output", None) or ())]
        return [i for i in items if i.get("type") in ("function_call", "custom_tool_call")]
    if choices[0].message is None:
        return []
    message = _plain(choices[0].message)
    tokens: Any = getattr(getattr(choices[0], "logprobs", None), "content", None)
    for call in message.get("tool_calls", ()) if tokens else ():
        call["logprobs"] = [
            {"token": t.token, "logprob": t.logprob, "bytes": t.bytes} for t in tokens
        ]
    return message


def _plain(part: Any) -> dict[str, Any]:
    """An object of the SDK's as a dict; what the SDK parsed into it has types that it warns of."""
    plain: dict[str, Any] = part.model_dump(mode="json", exclude_none=True, warnings=False)
    return plain
