"""The calls that one turn proposed, as writes: each read once for all calls behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from abs_shield.core import ToolCall
from abs_shield.plan.history import History, Write
from abs_shield.plan.proposal import Proposal
from abs_shield.plan.tool import ToolPlan
from abs_shield.session import Session
from abs_shield.session.session_record import record_of

_MOST = 64
"""Writes that are kept: a window of them, and those of a few turns side by side."""


class Proposed:
    """
    Writes of proposed calls, until something ran: what a run returned says how ids are spelt.

    A call of a turn is compared with every later one within the window.
    """

    def __init__(self) -> None:
        self._writes: dict[int, tuple[ToolCall, tuple[int, int, int], Write]] = {}

    @classmethod
    def writes(
        cls,
        calls: Iterable[tuple[ToolCall, ToolPlan]],
        proposal: Proposal,
        session: Session,
        read: Callable[[ToolCall, ToolPlan], Write],
    ) -> list[Write]:
        """Return *calls* as writes, each as it was first read; *read* makes one of a call."""
        record = record_of(session)
        history = History.of(record, proposal.terms.plans, owner=proposal.terms.owner)
        place, heard = history.place, record.child_execution_count
        found = []
        with record.lock:
            writes = record.derive(cls, owner=proposal.terms.owner)._writes
            for call, plan in calls:
                state = (place, heard, id(plan))
                known = writes.get(id(call))
                if known is None or known[0] is not call or known[1] != state:
                    known = writes[id(call)] = (call, state, read(call, plan))
                if len(writes) > _MOST:
                    del writes[next(iter(writes))]
                found.append(known[2])
        return found
