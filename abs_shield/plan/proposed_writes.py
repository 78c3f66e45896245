"""Cache of the proposed calls of a turn as writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.plan.entity_write import Write
from abs_shield.plan.proposal import Proposal
from abs_shield.plan.spellings import EntitySpellings
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.plan.write_extraction import build_write
from abs_shield.plan.write_history import WriteHistory
from abs_shield.session import Session
from abs_shield.session.call_states import object_of
from abs_shield.session.session_record import record_of

_MAX_WRITES = 64
"""Cached writes: enough for one window, and for a few concurrent turns."""


class ProposedWrites:
    """
    Writes of proposed calls, cached until a call runs, as its result may add spellings of ids.

    Each call of a turn is compared with every later one within the window.
    """

    def __init__(self) -> None:
        self._writes: dict[int, tuple[ToolCall, ToolPlan, Write]] = {}
        self._spellings = EntitySpellings()
        self._state = (-1, -1)
        self._at, self._turn = 0.0, 0

    @classmethod
    def of(cls, history: WriteHistory, proposal: Proposal, session: Session) -> ProposedWrites:
        """Return the writes of a session; its lock is held."""
        record = record_of(session)
        proposed = record.derive(cls, owner=proposal.terms.owner)
        state = (history.write_count, record.child_execution_count)
        if state != proposed._state:
            proposed._state = state
            proposed._writes.clear()
            # On top of those of the run, which a proposal must not change.
            proposed._spellings = EntitySpellings(history.spellings)
        proposed._at, proposed._turn = proposal.at, session.turns
        return proposed

    def write(self, call: ToolCall, plan: ToolPlan) -> Write:
        """Return the write of an earlier call of the turn, as it was first read."""
        # The call is stored as well, as its id may be reused once it is garbage-collected.
        cached = self._writes.get(id(call))
        if cached is not None and cached[0] is call and cached[1] is plan:
            return cached[2]
        return self.add(call, plan, object_of(call))

    def add(self, call: ToolCall, plan: ToolPlan, arguments: Mapping[str, Any]) -> Write:
        """Return the write of a call, and cache it for the later calls of the turn."""
        write = build_write(
            plan, arguments, position=self._state[0], at=self._at, turn=self._turn,
            normalise_id=self._spellings.add,
        )  # fmt: skip
        self._writes[id(call)] = (call, plan, write)
        if len(self._writes) > _MAX_WRITES:
            del self._writes[next(iter(self._writes))]
        return write
