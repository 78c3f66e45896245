"""The state of each call of a session: open, ended or blocked; each is recorded once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.call_arguments import read_arguments, same
from abs_shield.core.digest import digest_of
from abs_shield.session.active_calls import ActiveCall, ActiveCalls
from abs_shield.session.bounded_list import NO_ENTRIES, NO_ITEMS, keep, own


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """
    A call that ran.

    Attributes:
        tool: The tool's name.
        arguments: The arguments it ran with, as judged.
        value: What it returned; None where it failed, `TOO_LARGE` where it is larger than the
            session's bound of one message.
        error: Whether it failed, by exception or by an error result.
        at: Seconds on this process's monotonic clock, or the run file's own time.
        turn: How many user messages came before it.
        nested: Whether another tool called it from code.
        decision_id: Id of the decision about it; None if the Shield did not judge it.
        call_id: The id that the model's API gave to the call; None if it has none.
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


class TooLarge:
    """Stands for a result that is too large to be kept."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "TOO_LARGE"


TOO_LARGE = TooLarge()


def object_of(call: ToolCall | None) -> Mapping[str, Any]:
    """Return a call's arguments as an object; empty where they are none."""
    read = read_arguments(call.arguments) if call else {}
    return read if isinstance(read, dict) else {}


_FEEDBACK = frozenset({"status", "tool", "problems", "retryable", "attempts_left"})


def is_feedback(value: Any, status: str) -> bool:
    """Return whether a result is the Shield's feedback, of a blocked call or a withheld result."""
    # exactly our own names: a tool's result may have some of them
    return type(value) is dict and value.keys() == _FEEDBACK and same(value["status"], status)


class CallStates:
    """
    The calls that the Shield judged and those that messages show, so that none counts twice.

    Attributes:
        opened: Call id to the calls that are running under it.
    """

    __slots__ = ("_blocked", "_ended", "_loose", "_most", "_running", "_stored", "opened")

    def __init__(self, most: int) -> None:
        self._most = most
        self.opened: dict[str, ActiveCalls] = NO_ENTRIES
        self._stored = 0
        self._running: dict[str, int] = NO_ENTRIES
        self._ended: dict[str, bool] = NO_ENTRIES
        self._loose: list[tuple[str, Mapping[str, Any]]] = NO_ITEMS
        self._blocked: list[bytes] = NO_ITEMS

    def open(self, call_id: str, call: ActiveCall) -> None:
        """The Shield let a call pass under that id; a model may use an id twice."""
        opened = self.opened = own(self.opened)
        calls = opened.get(call_id)
        if calls is None:
            calls = opened[call_id] = ActiveCalls()
        calls.add(call)
        self._stored += 1
        # Ids come from models, so the calls that never end must not fill the memory.
        if len(opened) > self._most:
            self._stored -= opened.pop(next(iter(opened))).stored
        elif self._stored > self._most:
            many = calls if calls.stored > 1 else max(opened.values(), key=attrgetter("stored"))
            many.drop_oldest()
            self._stored -= 1

    def decided(self, call: ToolCall, arguments: Any, *, runs: bool = False) -> str | None:
        """
        Return the newest decision about this very call that is open under its id.

        Args:
            call: The call.
            arguments: Its arguments as judged.
            runs: Whether it runs now: then it takes over what no run has, and keeps it.
        """
        calls = self.opened.get(call.id) if call.id else None
        # a model may use an id again; the newest call is meant
        decision_id = calls.newest(call.name, arguments, runs=runs) if calls else None
        if calls and decision_id is not None and runs:
            calls.mark(decision_id, runs=True)
        return decision_id

    def suspend(self, call_id: str | None, decision_id: str) -> None:
        """Mark the call as suspended; a later run continues it."""
        if calls := self.opened.get(call_id or ""):
            calls.mark(decision_id, runs=False)

    def is_open(self, call_id: str | None, decision_id: str) -> bool:
        """Return whether the call of that decision runs under that id."""
        return bool(call_id) and decision_id in self.opened.get(call_id or "", ())

    def open_loose(self, name: str) -> None:
        """Count a call without an id that the Shield allowed; its result is expected."""
        running = self._running = own(self._running)
        running[name] = running.get(name, 0) + 1
        if len(running) > self._most:
            del running[next(iter(running))]

    def shut_loose(self, name: str) -> bool:
        """Close a call without an id; return False if no result was expected."""
        due = self._running.get(name)
        if due:
            self._running[name] = due - 1
        return due != 0

    def shut(self, call_id: str, decision_id: str | None = None) -> None:
        """One call of that id has come back: that of the decision, else the oldest."""
        calls = self.opened.get(call_id)
        if calls is None:
            return
        self._stored -= calls.stored
        calls.close(decision_id)
        self._stored += calls.stored
        if not calls:
            del self.opened[call_id]

    def end(self, call_id: str, *, announced: bool = False) -> None:
        """The call of that id is over; *announced* where a transcript has shown it."""
        ended = self._ended = own(self._ended)
        ended[call_id] = announced
        # Transcripts show earlier calls again, so more ids are stored than calls. They are deleted
        # in batches, since the oldest keys of a dict are slow to find.
        if len(ended) > 10 * self._most:
            for oldest in [*islice(ended, self._most)]:
                del ended[oldest]

    def ended(self, call_id: str | None) -> bool:
        """Return whether the call of that id is over."""
        return call_id is not None and call_id in self._ended

    def ended_unseen(self, call_id: str) -> bool:
        """Return whether the call of that id is over, and no transcript has shown it."""
        return self._ended.get(call_id) is False

    def ran_loose(self, executed: Executed) -> None:
        """Record that the Shield ran a call without an id."""
        self._loose = own(self._loose)
        keep(self._loose, (executed.tool, executed.arguments), most=self._most)

    def blocked_loose(self, call: ToolCall) -> None:
        """Record that the Shield blocked a call without an id."""
        self._blocked = own(self._blocked)
        # a digest, since the arguments may be large
        keep(self._blocked, digest_of(call.name, object_of(call)), most=self._most)

    def new_run(self) -> None:
        """Forget the blocked calls: the user wrote, and messages no longer show them."""
        self._blocked.clear()

    def note_announced(self, call: ToolCall) -> bool:
        """Record that a message shows *call*; return whether the Shield has finished it already."""
        call_id = call.id or ""
        if self._ended.get(call_id) is False:
            self._ended[call_id] = True
            return True
        if self.claim(call.name, call) or self._was_blocked(call):
            self.end(call_id, announced=True)
            return True
        self._ended.pop(call_id, None)
        return False

    def claim(self, name: str, call: ToolCall | None = None) -> bool:
        """Return whether the Shield ran this call, without an id; it can be claimed once."""
        return _taken(self._loose, name, None if call is None else object_of(call))

    def _was_blocked(self, call: ToolCall) -> bool:
        digest = digest_of(call.name, object_of(call)) if self._blocked else b""
        if digest not in self._blocked:
            return False
        self._blocked.remove(digest)
        return True


def _taken(
    calls: list[tuple[str, Mapping[str, Any]]], name: str, arguments: Mapping[str, Any] | None
) -> bool:
    """Take out the oldest call of that name and these arguments, or of any; whether there was."""
    for place, (called, candidate) in enumerate(calls):
        if called == name and (arguments is None or same(candidate, arguments)):
            del calls[place]
            return True
    return False
