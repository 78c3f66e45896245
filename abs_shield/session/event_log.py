"""The append-only, versioned log of one run, bounded by the newest text it keeps."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any, NamedTuple

from abs_shield.core.events import Event, MessageText, Proposed, Returned
from abs_shield.session.bounded_list import NO_ITEMS, own
from abs_shield.session.event_texts import APART, texts_of

_OVERHEAD = 64  # characters that an event counts besides its text
_OBJECT = 8  # characters that a number or a container counts, about a pointer
_PYTHON = 8
"""Bytes of Python's objects for each character that is counted of them."""
_SCALARS = frozenset({int, float, bool, type(None)})


class LogEntry(NamedTuple):
    """One event of the run with the log's version after it."""

    version: int
    event: Event


class EventLog:
    """
    Keeps the newest events up to *limit* bytes.

    Attributes:
        version: Events so far.
        held: Characters of those that are kept.
        value_bytes: Memory of all arguments and results, about, also of those that are gone.
        forgot: Whether older ones are gone.
    """

    __slots__ = ("_entries", "_folded", "_limit", "forgot", "held", "value_bytes", "version")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: list[tuple[int, Event, int]] = NO_ITEMS
        self._folded = (0, "")
        self.version = self.held = self.value_bytes = 0
        self.forgot = False

    def append(self, event: Event, *, size: int = -1) -> None:
        """Append an event; *size* are its characters, where they were counted already."""
        self.version = version = self.version + 1
        size = _size(event, self._limit) if size < 0 else size + _OVERHEAD
        if type(event) is not MessageText:
            is_text = type(event) is Returned and type(event.value) is str
            # A text takes a byte for each character, other values a Python object each.
            self.value_bytes += size if is_text else _PYTHON * size
        entries = self._entries = own(self._entries)
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
        """Return the event after which the log had that version; None where it is not kept."""
        # versions have no gaps, so the place follows from the version
        place = version - self.version + len(self._entries) - 1
        return self._entries[place][1] if 0 <= place < len(self._entries) else None

    def folded(self) -> str:
        """
        Return what was said and returned as one text without capitals.

        Each event is read once, when the text is first asked for. Of text that was forgotten some
        may still stand here; it has at most twice as many characters as are kept, and those of the
        newest event.

        >>> log = EventLog(1_000)
        >>> log.append(MessageText("user", "Delete /Tmp/A."))
        >>> log.folded()
        'delete /tmp/a.'
        """
        before, text = self._folded  # in one attribute, since threads may read at the same time
        if before == self.version:
            return text
        entries = self._entries.copy()
        if not entries:
            return text
        new = _texts(entries[bisect_right(entries, before, key=itemgetter(0)) :])
        text = APART.join((text, *new)) if text else APART.join(new)
        # Only at twice the bound, so that texts are seldom read again.
        if len(text) > 2 * self._limit:
            text = APART.join(_texts(entries))
        self._folded = (entries[-1][0], text)
        return text

    @property
    def folded_size(self) -> int:
        """Characters of the text that `folded` returned last."""
        return len(self._folded[1])

    def __iter__(self) -> Iterator[LogEntry]:
        return iter([LogEntry(version, event) for version, event, _ in tuple(self._entries)])

    def newest(self, most: int) -> list[Event]:
        """Return the newest *most* events, oldest first."""
        # `[-0:]` would be all of them.
        return [event for _, event, _ in self._entries[-most:]] if most > 0 else []

    def __len__(self) -> int:
        return len(self._entries)


def _texts(entries: Iterable[tuple[int, Event, int]]) -> list[str]:
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
    """Return the characters held by *value*, at most *limit*, also if they cannot be counted."""
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


def _names(item: dict[Any, Any]) -> int:
    """Characters of an object's names."""
    try:
        return len("".join(item))  # one call in C for names that are all strings
    except TypeError:  # a Python object whose names are no strings
        return sum(len(name) if isinstance(name, str) else _OBJECT for name in item)
