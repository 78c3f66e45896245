"""The calls that one turn proposed, as writes: each read once for all calls behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from abs_shield.core import ToolCall
from abs_shield.plan.history import History, Write
from abs_shield.plan.proposal import Proposal
from abs_shield.session import Session

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
    def write(
        cls, call: ToolCall, proposal: Proposal, session: Session, read: Callable[[], Write]
    ) -> Write:
        """Return *call* as a write at the time of *proposal*; *read* makes one of it."""
        history = History.of(session, proposal.terms.plans, owner=proposal.terms.owner)
        state = (history.place, session.heard_so_far, id(proposal.plan(call.name)))
        with session.lock:
            writes = session.derived(cls, owner=proposal.terms.owner)._writes
            known = writes.get(id(call))
            if known is None or known[0] is not call or known[1] != state:
                known = writes[id(call)] = (call, state, read())
            if len(writes) > _MOST:
                del writes[next(iter(writes))]
        return replace(known[2], at=proposal.at, turn=session.turns)
