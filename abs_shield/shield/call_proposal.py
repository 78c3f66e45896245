"""A dispatched call and its proposal: its id, its turn, and what the host changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.session import Session
from abs_shield.session.pending_calls import PendingCall
from abs_shield.session.session_record import SessionRecord, record_of
from abs_shield.shield.open_call import CallContext

_MOST = 1_000
"""Maximum number of calls that are read before and after a call in its turn.

Without a limit, the time for a turn grows with the square of its calls.
"""


def with_proposal_id(call: ToolCall, pending: PendingCall) -> ToolCall:
    """Return a dispatched call with the id and log-probabilities of its proposal."""
    logprobs = pending.call.logprobs if call.logprobs is None else call.logprobs
    return replace(call, id=call.id or pending.call.id, logprobs=logprobs)


def with_turn(context: CallContext, pending: PendingCall) -> CallContext:
    """Return the context of a dispatched call with what its turn says about it."""
    siblings, later = _turn_neighbours(pending)
    return context._replace(siblings=siblings, later=later, counted=pending.decision.blocked)


def _turn_neighbours(pending: PendingCall) -> tuple[tuple[ToolCall, ...], frozenset[str]]:
    """
    Return the calls before a dispatched call in its turn, and the keys of those after it.

    Concurrent calls may be dispatched in any order. An earlier call of the turn that is neither
    blocked nor finished still counts as earlier; a later call of the turn never does.
    """
    turn, place = pending.turn, pending.place
    if len(turn) < 2:
        return (), frozenset()
    before = [p for p in turn[max(0, place - _MOST) : place] if p.call.id]
    under_way = (p for p in before if not (p.decision.blocked or p.is_answered or p.is_over))
    behind = turn[place + 1 : place + _MOST]
    # A model may reuse an id: it identifies a later call only if no earlier call has it.
    ids = {p.call.id for p in behind} - {p.call.id for p in (*before, pending)}
    later = {p.decision.id for p in behind} | {call_id for call_id in ids if call_id}
    return tuple(p.call for p in under_way), frozenset(later)


def find_decision_id(
    call: ToolCall, arguments: Any, session: Session, pending: PendingCall | None, *, runs: bool
) -> str | None:
    """Return the id of an earlier decision about this call; None without one."""
    if pending is not None:
        return pending.decision.id
    return record_of(session).calls.find_decision(call, arguments, runs=runs)


def record_host_values(
    arguments: Mapping[str, Any], before: Mapping[str, Any], *, raw: Any, record: SessionRecord
) -> None:
    """
    Record that the run mentions the values that the host wrote into a proposal.

    Args:
        arguments: The dispatched arguments.
        before: The arguments of the proposal.
        raw: The arguments of the proposal as the model wrote them.
        record: The record of the session.
    """
    from abs_shield.shield.changed_calls import changed_text  # slow to import

    text = changed_text(arguments, before, raw=raw)
    if text:
        record.record_mention(text)
