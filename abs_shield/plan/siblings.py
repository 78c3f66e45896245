"""The entities that earlier calls of the same turn will create."""

from __future__ import annotations

from collections.abc import Sequence

from abs_shield.core import ToolCall
from abs_shield.plan.proposal import Proposal
from abs_shield.session import Session
from abs_shield.session.call_states import object_of
from abs_shield.session.session_record import record_of

_MAX_NAMES = 10_000  # names that one turn creates; far more than any model proposes


class Siblings:
    """
    The names that one turn's calls create, updated with the turn; each call is read once.

    ``is_incomplete`` is true if there were more names than are stored.
    """

    def __init__(self) -> None:
        self._newest: ToolCall | None = None
        self.created: set[str] = set()
        self.is_incomplete = False

    @classmethod
    def of(cls, proposal: Proposal, session: Session) -> Siblings:
        """Return what the calls before *proposal* create."""
        siblings = record_of(session).derive(cls, owner=proposal.terms.owner)
        for call in siblings._unread(proposal.siblings):
            siblings._newest = call
            plan = proposal.plan(call.name)
            if plan is not None and len(siblings.created) < _MAX_NAMES:
                siblings.created.update(plan.targets.created_names(object_of(call)))
        siblings.is_incomplete = len(siblings.created) >= _MAX_NAMES
        return siblings

    def _unread(self, calls: Sequence[ToolCall]) -> Sequence[ToolCall]:
        """Return the calls after the newest one that was read; all calls of another turn."""
        # From the newest on: turns grow at their end.
        for place in range(len(calls) - 1, -1, -1):
            if calls[place] is self._newest:
                return calls[place + 1 :]
        self.created = set()
        return calls
