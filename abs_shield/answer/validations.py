"""Decisions about the calls of a run, for the report on its answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from abs_shield.answer.evidence.flatten import as_plain
from abs_shield.answer.hallucination_report import ToolCallValidation
from abs_shield.core import Decision, ToolCall, Verdict
from abs_shield.core.arguments import Malformed, read_arguments
from abs_shield.core.events import Proposed
from abs_shield.session import Session
from abs_shield.session.session_record import record_of


def validations_of(session: Session) -> tuple[ToolCallValidation, ...]:
    """Return every decision about a call of the newest run of *session*, in order."""
    calls = dict(_calls(session))
    return tuple(
        ToolCallValidation(
            tool=decision.tool,
            # by the decision, or by the call's own id if the decision is not among the events
            args=_arguments(calls.get(decision.id) or calls.get(decision.call_id or "")),
            status=_status(decision),
            errors=tuple(finding.detail for finding in decision.findings if finding.weighs)
            + decision.errors,
        )
        for decision in session.decisions
        if decision.run_id == session.run_id
    )


def final_turn_rejected(session: Session) -> bool:
    """Return whether a call of the run's last turn was stopped; without turns, its last call."""
    newest = record_of(session).decisions
    if newest.over:  # the model was asked to write again, and has called nothing since
        return False
    calls = [one for one in session.decisions if one.run_id == session.run_id]
    turn = {*newest.turn}
    if not calls or calls[-1].id not in turn:  # without a turn, such as after single calls
        return bool(calls) and calls[-1].blocked
    return any(one.blocked for one in calls if one.id in turn)


def _calls(session: Session) -> Iterator[tuple[str, ToolCall]]:
    """Yield each call with its decision's id and its own id, as far as the session has them."""
    for entry in session.entries():
        if isinstance(event := entry.event, Proposed):
            for call in event.calls:
                if event.decision_id is not None:
                    yield event.decision_id, call
                if call.id:
                    yield call.id, call


def _arguments(call: ToolCall | None) -> Any:
    if call is None:
        return None
    read = read_arguments(call.arguments)
    # unreadable arguments are shown as they came
    return as_plain(call.arguments if isinstance(read, Malformed) else read)


def _status(decision: Decision) -> Literal["accepted", "flagged", "rejected"]:
    if decision.blocked:
        return "rejected"
    return "accepted" if decision.verdict is Verdict.CLEAN else "flagged"
