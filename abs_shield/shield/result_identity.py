"""The call that a reported result belongs to: hosts repeat results, and reuse ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abs_shield.core import Decision, ToolCall
from abs_shield.core.call_arguments import same
from abs_shield.session import Executed, Session
from abs_shield.session.session_record import record_of
from abs_shield.shield.execution_outcome import ExecutionOutcome


def is_result_due(call: ToolCall, session: Session) -> bool:
    """Return whether the call has no result yet; True as well if the call is unknown."""
    calls = record_of(session).calls
    if not call.id:
        return calls.close_without_id(call.name)
    return call.id in calls.open_calls or not calls.has_ended(call.id)


def earlier_decision(
    call: ToolCall, value: Any, session: Session, execution: ExecutionOutcome
) -> Decision | None:
    """
    Return the earlier decision about this result; None if it was not judged yet.

    A guard reports its result only once. Without a guard, the host may report a result twice, or
    reuse an id for another call with another result.
    """
    if execution.decision_id is not None or not call.id:
        return None
    decision = record_of(session).result_decision(call.id)
    if decision is None or decision.blocked:
        return None
    executed = _newest_execution(call.id, session)
    return decision if executed is not None and _is_same(executed.value, value) else None


def _newest_execution(call_id: str, session: Session) -> Executed | None:
    """Return the newest executed call with this id, because ids may be reused."""
    executions = record_of(session).executions
    return next((one for one in reversed(executions) if one.call_id == call_id), None)


def is_another_call(
    call: ToolCall,
    arguments: Mapping[str, Any],
    value: Any,
    session: Session,
    execution: ExecutionOutcome,
) -> bool:
    """
    Return whether a call reuses the id of a different call that has ended.

    False if a transcript contained the ended call, because a transcript may write its result in
    another form.
    """
    if execution.decision_id is not None or not call.id:
        return False
    executed = _newest_execution(call.id, session)
    if executed is None or not record_of(session).calls.has_ended_unannounced(call.id):
        return False
    if executed.tool != call.name or executed.error is not execution.error:
        return True
    if executed.arguments and not same(executed.arguments, arguments):
        return True
    return type(executed.value) is type(value) and not _is_same(executed.value, value)


def _is_same(recorded: Any, value: Any) -> bool:
    try:
        return bool(recorded is value or recorded == value)
    except Exception:  # the host's objects may not support comparison
        return False
