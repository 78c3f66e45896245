"""The calls that the Shield is running."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True, eq=False)
class RunningCall:
    """
    A call that the Shield allowed, and whose tool has not returned yet.

    Attributes:
        tool: The tool's name.
        arguments: Its arguments as judged.
        call_id: The call's id in the model's API; None if it has none.
        nested: Whether another tool calls it from code.
        decision_id: Id of the decision about it.
        caller: The call whose tool makes this one; None for a call of the agent.
    """

    tool: str
    arguments: Mapping[str, Any]
    call_id: str | None = None
    nested: bool = False
    decision_id: str
    caller: RunningCall | None = None


INNERMOST: ContextVar[RunningCall | None] = ContextVar("abs_shield.innermost", default=None)
"""The call whose tool runs in this context; None outside tools."""


class RunningCalls:
    """The running calls of one session; a call is dropped once its guard is garbage-collected."""

    __slots__ = ("_calls",)

    def __init__(self) -> None:
        self._calls: WeakValueDictionary[str, RunningCall] | None = None

    def start(self, call: RunningCall) -> None:
        if self._calls is None:
            self._calls = WeakValueDictionary()
        self._calls[call.decision_id] = call

    def stop(self, decision_id: str | None) -> None:
        """Remove the call of that decision."""
        if self._calls and decision_id is not None:
            self._calls.pop(decision_id, None)

    def list_excluding(self, inner: RunningCall | None) -> tuple[RunningCall, ...]:
        """Return the running calls, oldest first, without *inner* and the calls that contain it."""
        if not self._calls:
            return ()
        around = set()
        while inner is not None:
            around.add(inner.decision_id)
            inner = inner.caller
        return tuple(call for call in self._calls.values() if call.decision_id not in around)
