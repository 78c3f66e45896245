"""Cache of the proposed calls of a turn as writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from abs_shield.core import ToolCall
from abs_shield.plan.proposal import Proposal
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.plan.write_history import Write, WriteHistory
from abs_shield.session import Session
from abs_shield.session.session_record import record_of

_MAX_WRITES = 64
"""Cached writes: enough for one window, and for a few concurrent turns."""


class ProposedWrites:
    """
    Writes of proposed calls, cached until a call runs, as its result may add spellings of ids.

    Each call of a turn is compared with every later one within the window.
    """

    def __init__(self) -> None:
        self._writes: dict[int, tuple[ToolCall, tuple[int, int, int], Write]] = {}

    @classmethod
    def writes(
        cls,
        calls: Iterable[tuple[ToolCall, ToolPlan]],
        proposal: Proposal,
        session: Session,
        build: Callable[[ToolCall, ToolPlan], Write],
    ) -> list[Write]:
        """
        Return *calls* as writes, from the cache if possible.

        Args:
            calls: The calls and their compiled tools.
            proposal: The call that they are compared with.
            session: The run.
            build: Returns the write of a call.
        """
        record = record_of(session)
        history = WriteHistory.of(record, proposal.terms.plans, owner=proposal.terms.owner)
        write_count, children_read = history.write_count, record.child_execution_count
        results = []
        # Under the lock, as two calls of a turn may be judged in two threads.
        with record.lock:
            writes = record.derive(cls, owner=proposal.terms.owner)._writes
            for call, plan in calls:
                # The call is stored as well, as its id may be reused once it is garbage-collected.
                state = (write_count, children_read, id(plan))
                cached = writes.get(id(call))
                if cached is None or cached[0] is not call or cached[1] != state:
                    cached = writes[id(call)] = (call, state, build(call, plan))
                if len(writes) > _MAX_WRITES:
                    del writes[next(iter(writes))]
                results.append(cached[2])
        return results
