"""The append-only, versioned log of one run, bounded by the newest text it keeps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from abs_shield.core.events import Event, Proposed, Returned, Said

_OVERHEAD = 64
_OBJECT = 8
_PYTHON = 8
"""Bytes of Python's objects for each character that is counted of them."""
_SCALARS = frozenset({int, float, bool, type(None)})


class Entry(NamedTuple):
    """One event of the run with the log's version after it."""

    version: int
    event: Event


class Log:
    """
    Keeps the newest events up to *limit* bytes.

    Attributes:
        version: Events so far.
        held: Characters of those that are kept.
        value_bytes: Memory of all arguments and results, about, also of those that are gone.
        forgot: Whether older ones are gone.
    """

    __slots__ = ("_entries", "_limit", "forgot", "held", "value_bytes", "version")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: list[tuple[int, Event, int]] = []
        self.version = self.held = self.value_bytes = 0
        self.forgot = False

    def append(self, event: Event, *, size: int = -1) -> None:
        """Append an event; *size* are its characters, where they were counted already."""
        self.version = version = self.version + 1
        size = _size(event, self._limit) if size < 0 else size + _OVERHEAD
        if type(event) is not Said:
            is_text = type(event) is Returned and type(event.value) is str
            self.value_bytes += size if is_text else _PYTHON * size
        entries = self._entries
        entries.append((version, event, size))
        self.held = held = self.held + size
        if held > self._limit:
            self._forget()

    def _forget(self) -> None:
        """Let go of the oldest events; the newest one is kept whatever its size."""
        while self.held > self._limit and len(self._entries) > 1:
            self.held -= self._entries.pop(0)[2]
            self.forgot = True

    def at(self, version: int) -> Event | None:
        """Give the event after which the log had that version; None where it is not kept."""
        place = version - self.version + len(self._entries) - 1
        return self._entries[place][1] if 0 <= place < len(self._entries) else None

    def since(self, version: int) -> list[Event]:
        """Give the events behind that version, as far as they are kept."""
        place = version - self.version + len(self._entries)
        return [event for _, event, _ in self._entries[max(0, place) :]]

    def __iter__(self) -> Iterator[Entry]:
        return iter([Entry(version, event) for version, event, _ in tuple(self._entries)])

    def __len__(self) -> int:
        return len(self._entries)


def _size(event: Event, limit: int) -> int:
    match event:
        case Said():
            return len(event.text) + _OVERHEAD
        case Returned():
            return measure(event.value, limit) + _OVERHEAD
        case Proposed():
            return sum(measure(call.arguments, limit) + _OVERHEAD for call in event.calls)
        case _:
            return _OVERHEAD


def measure(value: Any, limit: int) -> int:
    """Characters held by *value*, counted no further than *limit*; all where nobody can tell."""
    try:
        return _counted(value, limit)
    except Exception:  # an object of the caller's may break when it is read
        return limit + 1


def _counted(value: Any, limit: int) -> int:
    left, total = [value], 0
    while left and total <= limit:
        item = left.pop()
        if isinstance(item, str):
            total += len(item)
            continue
        total += _OBJECT
        if isinstance(item, dict):
            total += _names(item)
            for inner in item.values():
                if type(inner) is str:
                    total += len(inner)
                elif type(inner) in _SCALARS:
                    total += _OBJECT
                else:
                    left.append(inner)
        elif isinstance(item, (list, tuple)):
            left.extend(item)
    return total


def _names(item: dict[Any, Any]) -> int:
    """Characters of an object's names."""
    try:
        return len("".join(item))
    except TypeError:  # a Python object whose names are no strings
        return sum(len(name) if isinstance(name, str) else _OBJECT for name in item)
