"""The answer that ends a run over chat completions or Responses, settled in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from abs_shield.adapters.answers import Api, Rewriter, conversation_of
from abs_shield.adapters.openai.loop import arun_tool_calls, run_tool_calls, said, take_in
from abs_shield.session import Session
from abs_shield.shield import Shield
from abs_shield.shield.seam import Seam
from abs_shield.shield.turns import Dispatch

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
    Settle the text of the response that ends a run; in strict mode *ask* may write it again.

    Args:
        response: A ``ChatCompletion`` or a ``Response`` without calls.
        messages: The conversation that the model was sent, which is left as it is; None for that
            of the newest shielded runner in the session.
        firewall: The Shield.
        ask: Asks the model: takes a conversation, and returns the response.
        session: The session; the current one where None.
        dispatch: As in `run_tool_calls`, for a rewrite that calls tools.

    Returns:
        What may be emitted. In audit mode it is the text as it is, and *ask* is not called; so it
        is where the response calls tools, or the SDK parsed it into structured output.
    """
    text, known, given = _opened(response, messages, firewall, session)
    if not text.strip() or _is_parsed(response):
        return text
    run = partial(run_tool_calls, firewall=firewall, session=known, dispatch=dispatch)
    rewriter = Rewriter(_API, response, given, ask=ask, run=run)
    return firewall.settle_answer(text, write=rewriter.write, session=known).text


async def asettle_answer(
    response: Any,
    messages: Iterable[Any] | None,
    *,
    firewall: Shield,
    ask: Callable[[list[Any]], Any],
    session: Session | None = None,
    dispatch: Dispatch | None = None,
) -> str:
    """As `settle_answer`; *ask* and *dispatch* may be async."""
    text, known, given = _opened(response, messages, firewall, session)
    if not text.strip() or _is_parsed(response):
        return text
    run = partial(arun_tool_calls, firewall=firewall, session=known, dispatch=dispatch)
    rewriter = Rewriter(_API, response, given, ask=ask, run=run)
    return (await firewall.asettle_answer(text, write=rewriter.awrite, session=known)).text


def _opened(
    response: Any, messages: Iterable[Any] | None, firewall: Shield, session: Session | None
) -> tuple[str, Session, list[Any]]:
    """Return the text to settle, the session, and the conversation."""
    known = Seam(firewall, session).session() if messages is None else None
    given = said("user", messages if known is None else conversation_of(known, messages))
    if known is None:
        known = take_in(response, given, firewall, session)
    return _text(response), known, given


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


def _written(response: Any) -> list[Any]:
    if choices := getattr(response, "choices", None):
        return [choices[0].message]
    return [*(getattr(response, "output", None) or ())]


def _is_parsed(response: Any) -> bool:
    choices = getattr(response, "choices", None)
    part = choices[0].message if choices else response
    return getattr(part, "parsed" if choices else "output_parsed", None) is not None


_API = Api(_text, _has_calls, _written)
