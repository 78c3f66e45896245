"""Which calls of a session are open, have ended, or were blocked: one result a call, once told."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.arguments import read_arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """
    A call that ran.

    Attributes:
        tool: The tool's name.
        arguments: The arguments it ran with, as judged.
        value: What it returned; None where it failed.
        error: Whether it failed, by exception or by an error result.
        at: Seconds on this process's monotonic clock, or the run file's own time.
        turn: How many user messages came before it.
        nested: Whether another tool called it from code.
    """

    tool: str
    arguments: Mapping[str, Any]
    value: Any = None
    call_id: str | None = None
    error: bool = False
    at: float = 0.0
    turn: int = 0
    nested: bool = False


def object_of(call: ToolCall | None) -> Mapping[str, Any]:
    """Give a call's arguments as an object; empty where they are none."""
    read = read_arguments(call.arguments) if call else {}
    return read if isinstance(read, dict) else {}


_FEEDBACK = frozenset({"status", "tool", "problems", "retryable", "attempts_left"})


def is_feedback(value: Any) -> bool:
    """Whether a result is what the door answers a blocked call with."""
    return isinstance(value, Mapping) and value.keys() == _FEEDBACK and value["status"] == "blocked"


class CallBook:
    """
    What the door and the transcript each know of a session's calls, so that none counts twice.

    Attributes:
        opened: Call id to the decisions of the calls that are running under it.
    """

    __slots__ = ("_blocked", "_ended", "_loose", "_most", "_running", "opened")

    def __init__(self, most: int) -> None:
        self._most = most
        self.opened: dict[str, list[str]] = {}
        self._running: OrderedDict[str, int] = OrderedDict()
        self._ended: OrderedDict[str, bool] = OrderedDict()
        self._loose: deque[tuple[str, Mapping[str, Any]]] = deque(maxlen=most)
        self._blocked: deque[tuple[str, Mapping[str, Any]]] = deque(maxlen=most)

    def open(self, call_id: str, decision_id: str) -> None:
        """The door let a call pass under that id; a model may use an id twice."""
        self.opened.setdefault(call_id, []).append(decision_id)
        if len(self.opened) > self._most:
            self.opened.pop(next(iter(self.opened)))

    def decided(self, call_id: str | None) -> str | None:
        """Give the newest decision of the calls that run under that id."""
        open_ids = self.opened.get(call_id) if call_id else None
        return open_ids[-1] if open_ids else None

    def open_loose(self, name: str) -> None:
        """The door let a call pass that has no id: one result of that tool is to come."""
        self._running[name] = self._running.get(name, 0) + 1
        if len(self._running) > self._most:
            self._running.popitem(last=False)

    def shut_loose(self, name: str) -> bool:
        """A call without an id came back; False where every result that was due has come."""
        due = self._running.get(name)
        if due:
            self._running[name] = due - 1
        return due != 0

    def shut(self, call_id: str) -> None:
        """One call of that id has come back."""
        ids = self.opened.get(call_id, [])
        del ids[:1]
        if not ids:
            self.opened.pop(call_id, None)

    def end(self, call_id: str, *, announced: bool = False) -> None:
        """The call of that id is over; *announced* where a transcript has shown it."""
        self._ended[call_id] = announced
        if len(self._ended) > 10 * self._most:
            self._ended.popitem(last=False)

    def ended(self, call_id: str | None) -> bool:
        """Whether the call of that id is over."""
        return call_id is not None and call_id in self._ended

    def ran_loose(self, executed: Executed) -> None:
        """The door ran a call that had no id."""
        self._loose.append((executed.tool, executed.arguments))

    def blocked_loose(self, call: ToolCall) -> None:
        """The door blocked a call that had no id."""
        self._blocked.append((call.name, object_of(call)))

    def new_run(self) -> None:
        """The user spoke: what was blocked before is not told any more."""
        self._blocked.clear()

    def told(self, call: ToolCall) -> bool:
        """A transcript shows *call*; whether the door is done with it already."""
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
        """Whether the door ran this call already, under no id; it can be claimed once."""
        for ran in self._loose:
            if ran[0] == name and (call is None or ran[1] == object_of(call)):
                self._loose.remove(ran)
                return True
        return False

    def _was_blocked(self, call: ToolCall) -> bool:
        told = (call.name, object_of(call))
        if told in self._blocked:
            self._blocked.remove(told)
            return True
        return False
