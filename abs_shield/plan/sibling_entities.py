"""The entities that earlier calls of the same turn will create."""

from __future__ import annotations

from collections.abc import Sequence

from abs_shield.core import ToolCall
from abs_shield.plan.proposal import Proposal
from abs_shield.session import Session
from abs_shield.session.call_states import object_of
from abs_shield.session.session_record import record_of

_MAX_NAMES = 10_000  # names that one turn creates; far more than a model proposes


class Siblings:
    """
    The names that one turn's calls create, updated as the turn grows; each call is read once.

    Attributes:
        created: The normalised names, at most about 10,000.
        incomplete_reason: Why names are not stored; empty if all are.
    """

    def __init__(self) -> None:
        self._newest: ToolCall | None = None
        self.created: set[str] = set()
        self.incomplete_reason = ""

    @classmethod
    def of(cls, proposal: Proposal, session: Session) -> Siblings:
        """Return the names that the calls before *proposal* in its turn create."""
        siblings = record_of(session).derive(cls, owner=proposal.terms.owner)
        for call in siblings._unread(proposal.siblings):
            siblings._newest = call
            plan = proposal.plan(call.name)
            if plan is not None and len(siblings.created) < _MAX_NAMES:
                siblings.created.update(plan.targets.created_names(object_of(call)))
        if len(siblings.created) >= _MAX_NAMES:
            siblings.incomplete_reason = f"this turn creates more than {_MAX_NAMES:,} things"
        return siblings

    def _unread(self, calls: Sequence[ToolCall]) -> Sequence[ToolCall]:
        """Return the calls that were not read yet; if the turn is another one, all its calls."""
        # Backwards, as turns grow at their end.
        for place in range(len(calls) - 1, -1, -1):
            if calls[place] is self._newest:
                return calls[place + 1 :]
        self.created, self.incomplete_reason = set(), ""
        return calls
