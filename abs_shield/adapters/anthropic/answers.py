"""The answer that ends a run over messages, settled in one line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from abs_shield.adapters.answers import Api, Rewriter
from abs_shield.adapters.anthropic.blocks import member, whole
from abs_shield.adapters.anthropic.loop import arun_tool_calls, run_tool_calls, take_in
from abs_shield.session import Session
from abs_shield.shield import Shield
from abs_shield.shield.seam import Seam
from abs_shield.shield.turns import Dispatch


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
    Settle the text of the message that ends a run; in strict mode *ask* may write it again.

    Args:
        message: The ``Message`` without calls, or the stream that was read to its end.
        messages: The conversation that the model was sent, which is left as it is; or the
            shielded runner that came to the message.
        firewall: The Shield.
        ask: Asks the model: takes a conversation, and returns the message.
        session: The session; the current one where None.
        dispatch: As in `run_tool_calls`, for a rewrite that calls tools.
        system: The request's system prompt, a text or text blocks.

    Returns:
        What may be emitted. In audit mode it is the text as it is, and *ask* is not called; so it
        is where the message calls tools, or the SDK parsed it into structured output.
    """
    text, known, given = _opened(message, messages, firewall, session, system)
    if not text.strip() or _is_parsed(message):
        return text
    run = partial(run_tool_calls, firewall=firewall, session=known, dispatch=dispatch)
    rewriter = Rewriter(_API, message, given, ask=ask, run=run)
    return firewall.settle_answer(text, write=rewriter.write, session=known).text


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
    """As `settle_answer`; *ask* and *dispatch* may be async."""
    text, known, given = _opened(message, messages, firewall, session, system)
    if not text.strip() or _is_parsed(message):
        return text
    run = partial(arun_tool_calls, firewall=firewall, session=known, dispatch=dispatch)
    rewriter = Rewriter(_API, message, given, ask=ask, run=run)
    return (await firewall.asettle_answer(text, write=rewriter.awrite, session=known)).text


def _opened(
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
    given = [*messages]
    if given and member(given[-1], "role") == "assistant":
        given.pop()  # the message itself
    seam = Seam(firewall, session)
    return _text(message), take_in(whole(message), given, seam, system), given


def _blocks(message: Any) -> list[Any]:
    return [*(member(whole(message), "content") or ())]


def _text(message: Any) -> str:
    if _has_calls(message):
        return ""
    blocks = [block for block in _blocks(message) if member(block, "type") == "text"]
    return "".join(str(member(block, "text") or "") for block in blocks)


def _has_calls(message: Any) -> bool:
    return any(member(block, "type") == "tool_use" for block in _blocks(message))


def _written(message: Any) -> list[Any]:
    return [{"role": "assistant", "content": _blocks(message)}]


def _is_parsed(message: Any) -> bool:
    return any(member(block, "parsed_output") is not None for block in _blocks(message))


_API = Api(_text, _has_calls, _written)
