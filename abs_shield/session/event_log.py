"""The append-only, versioned log of one run, which stores a bounded amount of the newest text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any, NamedTuple

from abs_shield.core.events import Event, MessageText, Proposed, Returned
from abs_shield.session.bounded_list import NO_ITEMS

APART = 5 * "\n"
"""Separator between two texts; no value is matched across it."""
_OVERHEAD = 64  # characters that are counted for an event besides its text
_OBJECT = 8  # characters that are counted for a number or a container: the size of a pointer
_PYTHON = 8
"""Estimated bytes of a Python object for each counted character."""
_SCALARS = frozenset({int, float, bool, type(None)})


class LogEntry(NamedTuple):
    """One event of a run, with the log's version after the event."""

    version: int
    event: Event


class EventLog:
    """
    The newest events of a run.

    Args:
        limit: Characters that are stored; the newest event is stored whatever its size.

    Attributes:
        version: Number of events so far.
        size: Characters of the stored events.
        value_bytes: Approximate memory of all arguments and results so far, dropped ones included.
        is_truncated: Whether older events were dropped.
    """

    __slots__ = (
        "_casefolded",
        "_entries",
        "_limit",
        "is_truncated",
        "size",
        "value_bytes",
        "version",
    )

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: list[tuple[int, Event, int]] = NO_ITEMS
        self._casefolded = (0, "")
        self.version = self.size = self.value_bytes = 0
        self.is_truncated = False

    def append(self, event: Event, *, size: int = -1) -> None:
        """Append an event; *size* is the number of its characters if it is known, else -1."""
        self.version = version = self.version + 1
        size = _size(event, self._limit) if size < 0 else size + _OVERHEAD
        if type(event) is not MessageText:
            is_text = type(event) is Returned and type(event.value) is str
            # A text takes a byte for each character, other values more, as Python objects.
            self.value_bytes += size if is_text else _PYTHON * size
        entries = self._entries
        if entries is NO_ITEMS:
            entries = self._entries = []
        entries.append((version, event, size))
        self.size = total = self.size + size
        if total > self._limit:
            self._forget()

    def _forget(self) -> None:
        """Drop the oldest events beyond the limit, but not the newest event."""
        entries, size, dropped = self._entries, self.size, 0
        while size > self._limit and dropped < len(entries) - 1:
            size -= entries[dropped][2]
            dropped += 1
        if dropped:
            del entries[:dropped]
            self.size, self.is_truncated = size, True

    def at(self, version: int) -> Event | None:
        """Return the event after which the log had that version; None if it is not stored."""
        # versions have no gaps, so the index follows from the version
        place = version - self.version + len(self._entries) - 1
        return self._entries[place][1] if 0 <= place < len(self._entries) else None

    def casefolded_text(self) -> str:
        """
        Return the texts of people and results as one case-folded text.

        Each event is read once, on demand. Some dropped events may still be included; the text has
        at most twice as many characters as the limit, and those of the newest event.

        >>> log = EventLog(1_000)
        >>> log.append(MessageText("user", "Delete /Tmp/A."))
        >>> log.casefolded_text()
        'delete /tmp/a.'
        """
        before, text = self._casefolded  # one attribute, as several threads may read it
        if before == self.version:
            return text
        entries = self._entries.copy()
        if not entries:
            return text
        new = _texts(entries[bisect_right(entries, before, key=itemgetter(0)) :])
        text = APART.join((text, *new)) if text else APART.join(new)
        # Only at twice the limit, so that texts are seldom read again.
        if len(text) > 2 * self._limit:
            text = APART.join(_texts(entries))
        self._casefolded = (entries[-1][0], text)
        return text

    @property
    def casefolded_text_size(self) -> int:
        """Number of characters of the text that `casefolded_text` last returned."""
        return len(self._casefolded[1])

    def __iter__(self) -> Iterator[LogEntry]:
        return iter([LogEntry(version, event) for version, event, _ in tuple(self._entries)])

    def newest(self, most: int) -> list[Event]:
        """Return the newest *most* events, oldest first."""
        # `[-0:]` would be all of them.
        return [event for _, event, _ in self._entries[-most:]] if most > 0 else []

    def __len__(self) -> int:
        return len(self._entries)


def _texts(entries: Iterable[tuple[int, Event, int]]) -> list[str]:
    from abs_shield.session.event_texts import texts_of  # slow to import

    return [message.casefold() for _, event, _ in entries for message in texts_of(event)]


def _size(event: Event, limit: int) -> int:
    match event:
        case MessageText():
            return len(event.text) + _OVERHEAD
        case Returned():
            return measure(event.value, limit) + _OVERHEAD
        case Proposed():
            return sum(measure(call.arguments, limit) + _OVERHEAD for call in event.calls)
        case _:
            return _OVERHEAD


def measure(value: Any, limit: int) -> int:
    """Return the characters of *value*; more than *limit* if it is larger or cannot be read."""
    try:
        return _count_characters(value, limit)
    except Exception:  # an object of the caller may raise when it is read
        return limit + 1


def _count_characters(value: Any, limit: int) -> int:
    left, total = [value], 0
    while left and total <= limit:
        item = left.pop()
        if isinstance(item, str):
            total += len(item)
            continue
        total += _OBJECT
        if isinstance(item, dict):
            total += _count_names(item)
            # Members of common types are counted here, without a step of the stack for each.
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


def _count_names(item: dict[Any, Any]) -> int:
    """Return the number of characters of an object's names."""
    try:
        return len("".join(item))  # one call in C for names that are all strings
    except TypeError:  # a Python dict whose keys are not all strings
        return sum(len(name) if isinstance(name, str) else _OBJECT for name in item)
