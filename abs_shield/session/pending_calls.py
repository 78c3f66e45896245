"""Proposed calls without a result, matched by id, or else by name and arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from abs_shield.core import Decision, ToolCall
from abs_shield.core.call_arguments import read_arguments, same
from abs_shield.core.events import Returned
from abs_shield.session.bounded_list import NO_ENTRIES, NO_ITEMS, append_bounded, copy_if_shared

_MOST = 1_000  # proposals of one session; a host may judge calls and never dispatch them


@dataclass(slots=True, kw_only=True, eq=False)
class PendingCall:
    """
    A judged proposal that may be dispatched.

    Attributes:
        call: The call.
        arguments: Its arguments as judged.
        decision: The decision about it.
        settle_with: Logs the decision if the call is never dispatched.
        is_announced: Whether a message contains the call.
        is_answered: Whether a message contains its result.
        is_over: Whether it was dispatched and has ended.
        turn: The calls of its turn, in order.
        place: Its index in *turn*.
    """

    call: ToolCall
    arguments: Mapping[str, Any]
    decision: Decision
    settle_with: Callable[[Decision], None]
    is_announced: bool = False
    is_answered: bool = False
    is_over: bool = False
    turn: list[PendingCall] = field(default_factory=list, repr=False)
    place: int = 0

    def settle(self) -> None:
        self.settle_with(self.decision)


class PendingCalls:
    """The proposed calls of one session without a result, at most 1,000; the oldest are dropped."""

    __slots__ = ("_announced", "_dispatched", "_judged")

    def __init__(self) -> None:
        self._announced: list[ToolCall] = NO_ITEMS
        self._judged: list[PendingCall] = NO_ITEMS
        self._dispatched: dict[str, PendingCall] = NO_ENTRIES

    def __bool__(self) -> bool:
        return bool(self._judged or self._announced)

    def announce(self, call: ToolCall) -> None:
        """Record that a message contains *call*."""
        self._announced = copy_if_shared(self._announced)
        append_bounded(self._announced, call, most=_MOST)
        for pending in self._judged:
            if call.id and pending.call.id == call.id and not pending.is_announced:
                pending.is_announced = True
                break

    def is_blocked(self, call_id: str | None) -> bool:
        """Return whether there are proposals with that id and no result, and all were blocked."""
        # A model may use an id twice; the host then runs the call that was not blocked.
        waiting = [
            p for p in self._judged if call_id and p.call.id == call_id and not p.is_answered
        ]
        return bool(waiting) and all(p.decision.blocked for p in waiting)

    def remove_announced(self, call_id: str) -> bool:
        """Remove the announced call with that id; return whether there was one."""
        for place, call in enumerate(self._announced):
            if call.id == call_id:
                del self._announced[place]
                return True
        return False

    def find_id(self, call: ToolCall, arguments: Mapping[str, Any]) -> str | None:
        """Return the id of the oldest announced call with that name and equal arguments."""
        for announced in self._announced:
            if (
                announced.id
                and announced.name == call.name
                and same(read_arguments(announced.arguments), arguments)
            ):
                return announced.id
        return None

    def is_waiting(self, call_id: str | None) -> bool:
        """Return whether an announced call with that id has no result yet."""
        return any(call.id == call_id for call in self._announced)

    def take_answered(self, returned: Returned, *, blocked: bool = False) -> ToolCall | None:
        """
        Remove and return the announced call that *returned* is the result of; None without one.

        It is matched by its id, or else by its name, in order. If several proposals have that id,
        *blocked* says whether the result belongs to a blocked one.
        """
        announced = [*enumerate(self._announced)]
        # By id; then by name, in order; then calls without an id, as some models write none.
        fits = [n for n, c in announced if c.id and c.id == returned.call_id]
        proposal = self._answer_proposal(returned.call_id, blocked=blocked)
        if proposal is not None and len(fits) > 1:
            fits = [n for n in fits if _is_same_call(proposal, self._announced[n])] or fits
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
        """Mark the oldest matching proposal without a result as answered, and return it."""
        for pending in self._judged:
            is_meant = call_id and pending.call.id == call_id and not pending.is_answered
            if is_meant and pending.decision.blocked is blocked:
                pending.is_answered = True
                return pending
        return None

    def propose(self, pending: PendingCall) -> list[PendingCall]:
        """Add a judged proposal; return the proposals that were dropped to make room for it."""
        self._judged = copy_if_shared(self._judged)
        self._judged.append(pending)
        return [self._judged.pop(0)] if len(self._judged) > _MOST else []

    def consume(self, call: ToolCall, arguments: Mapping[str, Any]) -> PendingCall | None:
        """
        Remove and return the proposal that *call* dispatches; None without one.

        It is matched by its id; if several have the id, as some models write one id for every call,
        by name and arguments. A call without an id matches the oldest with its name and arguments.
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
            dispatched = self._dispatched = copy_if_shared(self._dispatched)
            dispatched[found.decision.id] = found
            if len(dispatched) > _MOST:
                del dispatched[next(iter(dispatched))]
        return found

    def end(self, call_id: str | None, decision_id: str | None) -> None:
        """Record that a call has ended: that of the decision, or else the oldest with that id."""
        if decision_id is None and call_id:
            for pending in (*self._dispatched.values(), *self._judged):
                if pending.call.id == call_id and not (pending.is_over or pending.decision.blocked):
                    pending.is_over, decision_id = True, pending.decision.id
                    break
        ended = self._dispatched.pop(decision_id, None) if decision_id else None
        if ended is not None:
            ended.is_over = True

    def drain(self) -> list[PendingCall]:
        """Remove and return all proposals that were not dispatched."""
        left = list(self._judged)
        self._judged.clear()
        return left

    def decisions(self) -> list[Decision]:
        return [pending.decision for pending in self._judged]


def _is_same_call(pending: PendingCall, announced: ToolCall) -> bool:
    """Return whether a proposal and an announced call have the same name and arguments."""
    arguments = read_arguments(announced.arguments)
    return pending.call.name == announced.name and same(pending.arguments, arguments)
