"""The states of a session's calls (open, ended or blocked), so that each is recorded once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.call_arguments import read_arguments, same
from abs_shield.core.digest import digest_of
from abs_shield.core.draft_records import draft_class
from abs_shield.session.active_calls import ActiveCall, ActiveCalls
from abs_shield.session.bounded_list import NO_ENTRIES, NO_ITEMS, append_bounded, copy_if_shared


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """
    A call that ran.

    Attributes:
        tool: The tool's name.
        arguments: The arguments with which it ran, as judged.
        value: The value that it returned; None if it failed, `TOO_LARGE` if the value exceeds
            `Limits.message`.
        error: Whether it failed, by an exception or by an error result.
        at: Time of the call, in seconds on this process's monotonic clock, or in a run file's time.
        turn: Number of user messages before it.
        nested: Whether another tool called it from code.
        decision_id: Id of the decision about it; None if the Shield did not judge it.
        call_id: The call's id in the model's API; None if it has none.
    """

    tool: str
    arguments: Mapping[str, Any]
    value: Any = None
    call_id: str | None = None
    error: bool = False
    at: float = 0.0
    turn: int = 0
    nested: bool = False
    decision_id: str | None = None


_Draft = draft_class(Executed)


def make_executed(
    tool: str,
    arguments: Mapping[str, Any],
    value: Any,
    call_id: str | None,
    error: bool,
    at: float,
    turn: int,
    nested: bool,
    decision_id: str | None,
) -> Executed:
    """Make an executed call in a third of the time that its constructor takes."""
    executed: Any = _Draft()
    executed.tool = tool
    executed.arguments = arguments
    executed.value = value
    executed.call_id = call_id
    executed.error = error
    executed.at = at
    executed.turn = turn
    executed.nested = nested
    executed.decision_id = decision_id
    executed.__class__ = Executed
    return executed  # type: ignore[no-any-return]


class TooLarge:
    """The type of `TOO_LARGE`, which replaces a result that is too large to be stored."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "TOO_LARGE"


TOO_LARGE = TooLarge()


def object_of(call: ToolCall | None) -> Mapping[str, Any]:
    """Return a call's arguments as an object; empty if they are not an object."""
    read = read_arguments(call.arguments) if call else {}
    return read if isinstance(read, dict) else {}


_FEEDBACK = frozenset({"status", "tool", "problems", "retryable", "attempts_left"})


def is_feedback(value: Any, status: str) -> bool:
    """Return whether a result is the Shield's feedback with that status, not a tool's result."""
    # exactly these names, as a tool's result may have some of them
    return type(value) is dict and value.keys() == _FEEDBACK and same(value["status"], status)


class CallStates:
    """
    The calls that the Shield judged or that messages contain, so that no call counts twice.

    Attributes:
        open_calls: Call id to the open calls with that id.
    """

    __slots__ = (
        "_blocked",
        "_ended",
        "_most",
        "_running",
        "_runs_without_id",
        "_stored",
        "open_calls",
    )

    def __init__(self, most: int) -> None:
        self._most = most
        self.open_calls: dict[str, ActiveCalls] = NO_ENTRIES
        self._stored = 0
        self._running: dict[str, int] = NO_ENTRIES
        self._ended: dict[str, bool] = NO_ENTRIES
        self._runs_without_id: list[tuple[str, Mapping[str, Any]]] = NO_ITEMS
        self._blocked: list[bytes] = NO_ITEMS

    def open(self, call_id: str, call: ActiveCall) -> None:
        """Record that the Shield allowed a call with that id; a model may use an id twice."""
        open_calls = self.open_calls = copy_if_shared(self.open_calls)
        calls = open_calls.get(call_id)
        if calls is None:
            calls = open_calls[call_id] = ActiveCalls()
        calls.add(call)
        self._stored += 1
        # Bounded, as models choose the ids and some calls never end.
        if len(open_calls) > self._most:
            self._stored -= open_calls.pop(next(iter(open_calls))).stored_count
        elif self._stored > self._most:
            many = (
                calls
                if calls.stored_count > 1
                else max(open_calls.values(), key=attrgetter("stored_count"))
            )
            many.drop_oldest()
            self._stored -= 1

    def find_decision(self, call: ToolCall, arguments: Any, *, runs: bool = False) -> str | None:
        """
        Return the id of the newest decision about an open call like this one; None without one.

        Args:
            call: The call.
            arguments: Its arguments as judged.
            runs: Whether the call runs now; then only calls that do not run yet are considered,
                and the found one is marked as running.
        """
        calls = self.open_calls.get(call.id) if call.id else None
        # a model may use an id again, so the newest call counts
        decision_id = calls.newest(call.name, arguments, runs=runs) if calls else None
        if calls and decision_id is not None and runs:
            calls.mark(decision_id, runs=True)
        return decision_id

    def suspend(self, call_id: str | None, decision_id: str) -> None:
        """Mark a call as suspended, so that a later run may continue it."""
        if calls := self.open_calls.get(call_id or ""):
            calls.mark(decision_id, runs=False)

    def is_open(self, call_id: str | None, decision_id: str) -> bool:
        """Return whether the call of that decision is open with that id."""
        return bool(call_id) and decision_id in self.open_calls.get(call_id or "", ())

    def is_recorded_by(self, call_id: str, decision_id: str, shield: int) -> bool:
        """Return whether a Shield has recorded its decision about an open call."""
        calls = self.open_calls.get(call_id)
        return calls is not None and calls.is_recorded_by(decision_id, shield)

    def add_shield(self, call_id: str, decision_id: str, shield: int) -> None:
        """Record that another Shield has recorded its decision about an open call."""
        if calls := self.open_calls.get(call_id):
            calls.add_shield(decision_id, shield)

    def open_without_id(self, name: str) -> None:
        """Record that the Shield allowed a call without an id, whose result is expected."""
        running = self._running
        if running is NO_ENTRIES:
            running = self._running = {}
        running[name] = running.get(name, 0) + 1
        if len(running) > self._most:
            del running[next(iter(running))]

    def close_without_id(self, name: str) -> bool:
        """Close a call without an id; return False if no result was expected."""
        due = self._running.get(name)
        if due:
            self._running[name] = due - 1
        return due != 0

    def close(self, call_id: str, decision_id: str | None = None) -> None:
        """Close one call with that id: that of the decision, or else the oldest one."""
        calls = self.open_calls.get(call_id)
        if calls is None:
            return
        self._stored -= calls.stored_count
        calls.close(decision_id)
        self._stored += calls.stored_count
        if not calls:
            del self.open_calls[call_id]

    def end(self, call_id: str, *, announced: bool = False) -> None:
        """Record that a call with that id has ended; *announced* if a message contains it."""
        ended = self._ended = copy_if_shared(self._ended)
        ended[call_id] = announced
        # Transcripts repeat earlier calls, so more ids are stored than calls. They are deleted in
        # batches, as finding the oldest key of a dict is slow.
        if len(ended) > 10 * self._most:
            for oldest in [*islice(ended, self._most)]:
                del ended[oldest]

    def has_ended(self, call_id: str | None) -> bool:
        """Return whether a call with that id has ended."""
        return call_id is not None and call_id in self._ended

    def has_ended_unannounced(self, call_id: str) -> bool:
        """Return whether a call with that id has ended, and no message contains it yet."""
        return self._ended.get(call_id) is False

    def record_run_without_id(self, executed: Executed) -> None:
        """Record that the Shield ran a call without an id."""
        runs = self._runs_without_id
        if runs is NO_ITEMS:
            runs = self._runs_without_id = []
        runs.append((executed.tool, executed.arguments))
        if len(runs) > self._most:
            del runs[0]

    def record_block_without_id(self, call: ToolCall) -> None:
        """Record that the Shield blocked a call without an id."""
        self._blocked = copy_if_shared(self._blocked)
        # a digest, since the arguments may be large
        append_bounded(self._blocked, digest_of(call.name, object_of(call)), most=self._most)

    def begin_run(self) -> None:
        """Drop the blocked calls: after a user's message, no message will contain them."""
        self._blocked.clear()

    def record_announcement(self, call: ToolCall) -> bool:
        """Record that a message contains *call*; return whether the Shield has already ended it."""
        call_id = call.id or ""
        if self._ended.get(call_id) is False:
            self._ended[call_id] = True
            return True
        if self.claim(call.name, call) or self._claim_block(call):
            self.end(call_id, announced=True)
            return True
        self._ended.pop(call_id, None)
        return False

    def claim(self, name: str, call: ToolCall | None = None) -> bool:
        """Return whether the Shield ran this call without an id; each can be claimed once."""
        return _remove_first(self._runs_without_id, name, None if call is None else object_of(call))

    def _claim_block(self, call: ToolCall) -> bool:
        digest = digest_of(call.name, object_of(call)) if self._blocked else b""
        if digest not in self._blocked:
            return False
        self._blocked.remove(digest)
        return True


def _remove_first(
    calls: list[tuple[str, Mapping[str, Any]]], name: str, arguments: Mapping[str, Any] | None
) -> bool:
    """
    Remove the oldest call with that name and these arguments; return whether there was one.

    With None for the arguments, any call with that name matches.
    """
    for place, (called, candidate) in enumerate(calls):
        if called == name and (arguments is None or same(candidate, arguments)):
            del calls[place]
            return True
    return False
