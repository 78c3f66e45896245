"""The open calls of one id; a model may write the same id for every call."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from abs_shield.core.call_arguments import same
from abs_shield.session.bounded_list import NO_ENTRIES

_MAX_SCANNED = 4
"""Calls that are compared one by one; with more, calls are found by a key, which is computed."""


class ActiveCall(NamedTuple):
    """
    A call that may run, or is running.

    Attributes:
        decision_id: Id of the decision about it.
        name: The tool's name.
        arguments: Its arguments as judged.
        runs: Whether the Shield runs it, so that no other run may continue it.
        shields: Numbers of the Shields that have recorded a decision about it.
    """

    decision_id: str
    name: str
    arguments: Any
    runs: bool = False
    shields: frozenset[int] = frozenset()


class ActiveCalls:
    """
    The open calls of one id, oldest first.

    Attributes:
        stored_count: Number of stored calls; dropped calls are open, but not stored.
    """

    __slots__ = ("_calls", "_dropped", "_keys", "_places")

    def __init__(self) -> None:
        self._calls: dict[str, ActiveCall] = {}
        self._dropped = 0
        self._keys: dict[str, Hashable] | None = None
        self._places: dict[Hashable, dict[str, None]] = NO_ENTRIES

    def __bool__(self) -> bool:
        return bool(self._calls or self._dropped)

    def __contains__(self, decision_id: str) -> bool:
        return decision_id in self._calls

    @property
    def stored_count(self) -> int:
        return len(self._calls)

    def add(self, call: ActiveCall) -> None:
        self._calls[call.decision_id] = call
        if self._keys is not None:
            self._index(call)

    def drop_oldest(self) -> None:
        """Drop the data of the oldest call; it counts as open until its result arrives."""
        self._delete(next(iter(self._calls)))
        self._dropped += 1

    def close(self, decision_id: str | None) -> None:
        """Remove the call of that decision; if it is not stored, the oldest call."""
        if decision_id is not None and decision_id in self._calls:
            self._delete(decision_id)
        elif self._dropped:
            self._dropped -= 1
        elif self._calls:
            self._delete(next(iter(self._calls)))

    def mark(self, decision_id: str, *, runs: bool) -> None:
        """Record whether the Shield runs the call of that decision."""
        call = self._calls.get(decision_id)
        if call is not None:
            self._calls[decision_id] = call._replace(runs=runs)

    def is_recorded_by(self, decision_id: str, shield: int) -> bool:
        """Return whether a Shield has recorded its decision about the call of that decision."""
        call = self._calls.get(decision_id)
        return call is not None and shield in call.shields

    def add_shield(self, decision_id: str, shield: int) -> None:
        """Record that another Shield has recorded its decision about a call."""
        call = self._calls.get(decision_id)
        if call is not None:
            self._calls[decision_id] = call._replace(shields=call.shields | {shield})

    def newest(self, name: str, arguments: Any, *, runs: bool) -> str | None:
        """
        Return the decision id of the newest call with that name and these arguments, if any.

        Args:
            name: The tool's name.
            arguments: The arguments as judged.
            runs: Whether to skip calls that the Shield already runs.
        """
        for decision_id in reversed(self._candidates(name, arguments)):
            call = self._calls[decision_id]
            is_meant = call.name == name and not (runs and call.runs)
            if is_meant and same(call.arguments, arguments):
                return decision_id
        return None

    def _candidates(self, name: str, arguments: Any) -> dict[str, Any]:
        if len(self._calls) <= _MAX_SCANNED:
            return self._calls
        if self._keys is None:
            self._keys, self._places = {}, {}
            for call in self._calls.values():
                self._index(call)
        return self._places.get(_key(name, arguments), {})

    def _index(self, call: ActiveCall) -> None:
        assert self._keys is not None
        key = self._keys[call.decision_id] = _key(call.name, call.arguments)
        self._places.setdefault(key, {})[call.decision_id] = None

    def _delete(self, decision_id: str) -> None:
        del self._calls[decision_id]
        if self._keys is None:
            return
        key = self._keys.pop(decision_id)
        del self._places[key][decision_id]
        if not self._places[key]:
            del self._places[key]


def _key(name: str, arguments: Any) -> Hashable:
    """Return a key that equal calls share; only the name for arguments that have no hash."""
    try:
        return name, _hashable(arguments)
    except Exception:  # a class of the caller's, or a nesting too deep
        return name, None


def _hashable(value: Any) -> Hashable:
    if isinstance(value, dict):
        return frozenset((key, _hashable(member)) for key, member in value.items())
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    hash(value)
    return value  # type: ignore[no-any-return]
