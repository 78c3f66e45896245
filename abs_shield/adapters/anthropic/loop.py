"""A host's own loop over messages: one reply's calls, judged and run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from abs_shield.adapters.anthropic.blocks import call_of, hear, member, uses, whole, without_calls
from abs_shield.adapters.anthropic.checks import check_streams
from abs_shield.core.events import Opaque
from abs_shield.core.messages import read_message
from abs_shield.session import Session
from abs_shield.shield import Shield
from abs_shield.shield.seam import Seam
from abs_shield.shield.turns import Dispatch


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
    Run every call of one reply; blocked ones are answered with feedback.

    Args:
        message: The ``Message``, beta or not; or the stream that was read to its end, which still
            has the arguments as the model wrote them.
        messages: The conversation that the model was sent. A growing list may be passed again and
            again.
        firewall: The Shield.
        session: The session; the current one, or a new one where None.
        dispatch: The host's own way to run a call; the registered functions where None.
        system: The request's system prompt, a text or text blocks.

    Returns:
        What to append to *messages* behind the reply: one message, or none.
    """
    reply = whole(message)
    seen = take_in(reply, messages, Seam(firewall, session), system)
    told = firewall.run_tool_calls(_proposed(reply, message), session=seen, dispatch=dispatch)
    return _echoed(reply, told)


async def arun_tool_calls(
    message: Any,
    messages: Iterable[Any],
    *,
    firewall: Shield,
    session: Session | None = None,
    dispatch: Dispatch | None = None,
    system: Any = None,
) -> list[dict[str, Any]]:
    """As `run_tool_calls`; the calls run side by side, and *dispatch* may be async."""
    reply = whole(message)
    seen = take_in(reply, messages, Seam(firewall, session), system)
    proposed = _proposed(reply, message)
    told = await firewall.arun_tool_calls(proposed, session=seen, dispatch=dispatch)
    return _echoed(reply, told)


def take_in(reply: Any, messages: Iterable[Any], seam: Seam, system: Any) -> Session:
    """Return the session, with all that the model was told."""
    session = seam.session(model=member(reply, "model"))
    hear(seam, session, messages, system)
    for event in read_message(without_calls(reply)):
        if isinstance(event, Opaque):  # what a server tool brought in the same reply
            session.opaque(event.reason)
    return session


def _proposed(reply: Any, message: Any) -> dict[str, Any]:
    """The reply's calls alone, in a message's shape."""
    if reply is not message:  # of a stream
        check_streams()
    calls = [call_of(block, raw) for block, raw in uses(reply, message)]
    blocks = [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in calls]
    return {"role": "assistant", "content": blocks}


def _echoed(reply: Any, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The results, each with the toolset that its call was for: the API compares the two."""
    families = {use.get("id"): use.get("toolset_name") for use, _ in uses(reply, None)}
    for result in (result for message in told for result in message["content"]):
        if family := families.get(result["tool_use_id"]):
            result["toolset_name"] = family
    return told
