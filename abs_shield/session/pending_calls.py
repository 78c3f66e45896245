"""Calls that were proposed and have not come back: matched by id, else by name and arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from abs_shield.core import Decision, ToolCall
from abs_shield.core.call_arguments import read_arguments, same
from abs_shield.core.events import Returned
from abs_shield.session.bounded_list import NO_ENTRIES, NO_ITEMS, keep, own

_MOST = 1_000  # proposals of one session; a model may propose without end and never dispatch


@dataclass(slots=True, kw_only=True, eq=False)
class PendingCall:
    """
    A judged proposal: *settle_with* logs its decision where it is never dispatched.

    *announced* says that a message shows the call as well; *turn* are the calls of its turn, in
    order, and *place* is its own among them. *answered* says that a message shows its result, and
    *is_over* that it was dispatched and has ended.
    """

    call: ToolCall
    arguments: Mapping[str, Any]
    decision: Decision
    settle_with: Callable[[Decision], None]
    announced: bool = False
    answered: bool = False
    is_over: bool = False
    turn: list[PendingCall] = field(default_factory=list, repr=False)
    place: int = 0

    def settle(self) -> None:
        self.settle_with(self.decision)


class PendingCalls:
    """The open calls of one session; bounded, the oldest is dropped first."""

    __slots__ = ("_announced", "_dispatched", "_judged")

    def __init__(self) -> None:
        self._announced: list[ToolCall] = NO_ITEMS
        self._judged: list[PendingCall] = NO_ITEMS
        self._dispatched: dict[str, PendingCall] = NO_ENTRIES

    def __bool__(self) -> bool:
        return bool(self._judged or self._announced)

    def announce(self, call: ToolCall) -> None:
        """A transcript shows that the model proposed *call*."""
        self._announced = own(self._announced)
        keep(self._announced, call, most=_MOST)
        for pending in self._judged:
            if call.id and pending.call.id == call.id and not pending.announced:
                pending.announced = True
                break

    def blocked(self, call_id: str | None) -> bool:
        """Return whether each proposal of that id without a result was blocked."""
        # A model may use an id twice: then the host runs the call that was not blocked.
        waiting = [p for p in self._judged if call_id and p.call.id == call_id and not p.answered]
        return bool(waiting) and all(p.decision.blocked for p in waiting)

    def forget(self, call_id: str) -> bool:
        """Drop the announced call of that id; whether there was one."""
        for place, call in enumerate(self._announced):
            if call.id == call_id:
                del self._announced[place]
                return True
        return False

    def find_id(self, call: ToolCall, arguments: Mapping[str, Any]) -> str | None:
        """Return the id of the oldest announced call of that name with equal arguments."""
        for announced in self._announced:
            if (
                announced.id
                and announced.name == call.name
                and same(read_arguments(announced.arguments), arguments)
            ):
                return announced.id
        return None

    def waits(self, call_id: str | None) -> bool:
        """Return whether an announced call of that id has no answer yet."""
        return any(call.id == call_id for call in self._announced)

    def answered(self, returned: Returned, *, blocked: bool = False) -> ToolCall | None:
        """
        Return the announced call that *returned* answers: by unique id, else in order.

        Of several proposals of its id it answers one that was *blocked*, or one that was not.
        """
        announced = [*enumerate(self._announced)]
        # By id; then in order of the name; then calls without an id, as some models write none.
        fits = [n for n, c in announced if c.id and c.id == returned.call_id]
        proposal = self._answer_proposal(returned.call_id, blocked=blocked)
        if proposal is not None and len(fits) > 1:
            fits = [n for n in fits if _is_of(proposal, self._announced[n])] or fits
        if not fits and not returned.call_id:
            fits = [n for n, c in announced if returned.name in ("", c.name)]
        if not fits:
            fits = [n for n, c in announced if not c.id and returned.name in ("", c.name)]
        if not fits:
            return None
        call = self._announced[fits[0]]
        del self._announced[fits[0]]
        return call

    def _answer_proposal(self, call_id: str | None, *, blocked: bool) -> PendingCall | None:
        """Mark the oldest such proposal without a result as answered, and return it."""
        for pending in self._judged:
            is_meant = call_id and pending.call.id == call_id and not pending.answered
            if is_meant and pending.decision.blocked is blocked:
                pending.answered = True
                return pending
        return None

    def propose(self, pending: PendingCall) -> list[PendingCall]:
        """Keep a judged proposal; give those that had to go for it."""
        self._judged = own(self._judged)
        self._judged.append(pending)
        return [self._judged.pop(0)] if len(self._judged) > _MOST else []

    def consume(self, call: ToolCall, arguments: Mapping[str, Any]) -> PendingCall | None:
        """
        Take out the proposal that *call* dispatches; None where there is none.

        They match by id, and of several by name and arguments, as a model may write one id for
        every call; a call without an id takes the oldest of its name and arguments.
        """
        found: PendingCall | None = None
        for pending in self._judged:
            if call.id and pending.call.id != call.id:
                continue
            if pending.call.name == call.name and same(pending.arguments, arguments):
                found = pending
                break
            if call.id and found is None:
                found = pending
        if found is not None:
            self._judged.remove(found)
            dispatched = self._dispatched = own(self._dispatched)
            dispatched[found.decision.id] = found
            if len(dispatched) > _MOST:
                del dispatched[next(iter(dispatched))]
        return found

    def end(self, call_id: str | None, decision_id: str | None) -> None:
        """Note that the call of a decision, else the oldest of an id, has ended."""
        if decision_id is None and call_id:
            for pending in (*self._dispatched.values(), *self._judged):
                if pending.call.id == call_id and not (pending.is_over or pending.decision.blocked):
                    pending.is_over, decision_id = True, pending.decision.id
                    break
        ended = self._dispatched.pop(decision_id, None) if decision_id else None
        if ended is not None:
            ended.is_over = True

    def drain(self) -> list[PendingCall]:
        """Take out every proposal that was never dispatched."""
        left = list(self._judged)
        self._judged.clear()
        return left

    def decisions(self) -> list[Decision]:
        return [pending.decision for pending in self._judged]


def _is_of(pending: PendingCall, announced: ToolCall) -> bool:
    """Return whether a message shows the call of that proposal."""
    arguments = read_arguments(announced.arguments)
    return pending.call.name == announced.name and same(pending.arguments, arguments)
