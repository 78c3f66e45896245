"""The calls that the Shield is running."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from weakref import ref

from abs_shield.session.bounded_list import NO_ENTRIES

_FEW = 64  # entries that are not searched for garbage-collected calls


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

    __slots__ = ("_calls", "_most")

    def __init__(self) -> None:
        # References without a callback, which a `WeakValueDictionary` would create for each call.
        self._calls: dict[str, ref[RunningCall]] = NO_ENTRIES
        self._most = _FEW

    def start(self, call: RunningCall) -> None:
        calls = self._calls
        if calls is NO_ENTRIES:
            calls = self._calls = {}
        elif len(calls) > self._most:
            calls = self._calls = {key: one for key, one in calls.items() if one() is not None}
            # Doubled, so that the search takes constant time per call.
            self._most = 2 * len(calls) + _FEW
        calls[call.decision_id] = ref(call)

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
        calls = [one() for one in self._calls.values()]
        return tuple(call for call in calls if call is not None and call.decision_id not in around)
