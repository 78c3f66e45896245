"""The append-only, versioned log of one run, bounded by the newest text it keeps."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from abs_shield.core.events import Event, Proposed, Returned, Said

_OVERHEAD = 64
_OBJECT = 8
_SCALARS = frozenset({int, float, bool})


class Entry(NamedTuple):
    """One event of the run with the log's version after it."""

    version: int
    event: Event


class Log:
    """Keeps the newest events up to *limit* bytes; ``forgot`` says that older ones are gone."""

    __slots__ = ("_entries", "_limit", "_size", "forgot", "version")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: deque[tuple[Entry, int]] = deque()
        self._size = 0
        self.version = 0
        self.forgot = False

    def append(self, event: Event) -> None:
        self.version += 1
        size = _size(event, self._limit)
        self._entries.append((Entry(self.version, event), size))
        self._size += size
        while self._size > self._limit and len(self._entries) > 1:
            self._size -= self._entries.popleft()[1]
            self.forgot = True

    def __iter__(self) -> Iterator[Entry]:
        return iter([entry for entry, _ in tuple(self._entries)])

    def __len__(self) -> int:
        return len(self._entries)


def _size(event: Event, limit: int) -> int:
    if type(event) is Proposed and len(event.calls) == 1:
        return _measure(event.calls[0].arguments, limit) + _OVERHEAD
    match event:
        case Said():
            return len(event.text) + _OVERHEAD
        case Returned():
            return _measure(event.value, limit) + _OVERHEAD
        case Proposed():
            return sum(_measure(call.arguments, limit) + _OVERHEAD for call in event.calls)
        case _:
            return _OVERHEAD


def _measure(value: Any, limit: int) -> int:
    """Characters held by *value*, counted no further than *limit*."""
    left, total = [value], 0
    while left and total <= limit:
        item = left.pop()
        if isinstance(item, str):
            total += len(item)
            continue
        total += _OBJECT
        if isinstance(item, dict):
            for key, inner in item.items():
                total += len(key) if type(key) is str else _OBJECT
                if type(inner) is str:
                    total += len(inner)
                elif inner is None or type(inner) in _SCALARS:
                    total += _OBJECT
                else:
                    left.append(inner)
        elif isinstance(item, (list, tuple)):
            left.extend(item)
    return total
