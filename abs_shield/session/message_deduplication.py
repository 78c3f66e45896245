"""Which messages of a growing list are new: the same list may be passed again and again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from abs_shield.core.digest import digest

_COMPARED = 8
"""Newest known messages that are compared before a list counts as the known one, grown."""
_KEPT = 10_000
"""Digests of messages that are remembered beyond the list they stood in."""


class MessageDeduplicator:
    """Remembers a digest of each message it was shown."""

    __slots__ = ("_digests", "_shown")

    def __init__(self) -> None:
        self._digests: list[bytes] = []
        self._shown: dict[bytes, None] = {}

    def new(self, messages: Sequence[Any]) -> Iterator[Any]:
        """
        Give the messages that were not shown before; each is remembered once it was dealt with.

        A list that begins with all that was shown is compared at its first and newest old
        messages only. One that was trimmed, at its start or behind it, goes on where the known
        list ends; one that was edited yields each message that was never shown. An empty list
        says nothing, and what was shown stays shown.
        """
        if not messages:
            return
        known = len(self._digests)
        if known > len(messages) or not self._begins(messages, known):
            digests = [_digest(message) for message in messages]
            known = _overlap(self._digests, digests)
            if not known:
                yield from self._edited(messages, digests)
                return
            self._digests = digests[:known]
        for message in messages[known:]:
            yield message
            digest = _digest(message)
            self._digests.append(digest)
            self._remember(digest)

    def _edited(self, messages: Sequence[Any], digests: list[bytes]) -> Iterator[Any]:
        shown = frozenset(self._shown)
        for message, shown_as in zip(messages, digests, strict=True):
            if shown_as not in shown:
                yield message
                self._remember(shown_as)
        self._digests = digests

    def _remember(self, digest: bytes) -> None:
        self._shown[digest] = None
        if len(self._shown) > _KEPT:
            del self._shown[next(iter(self._shown))]

    def _begins(self, messages: Sequence[Any], known: int) -> bool:
        places = {0, *range(max(0, known - _COMPARED), known)} if known else ()
        return all(self._digests[i] == _digest(messages[i]) for i in places)


def _overlap(known: Sequence[bytes], given: Sequence[bytes]) -> int:
    """
    How many of *given* are old: its head up to where *known* ends, 0 where the two do not meet.

    A head that both begin with, such as a system prompt, may stand before the overlap.

    >>> _overlap([b"s", b"a", b"b", b"c"], [b"s", b"b", b"c", b"b"])
    3
    """
    head = 0
    for old, new in zip(known, given, strict=False):
        if old != new:
            break
        head += 1
    if head == len(known):
        return head
    behind = _meeting(known[head:], given[head:])
    return max(_meeting(known, given), head + behind if behind else 0)


def _meeting(known: Sequence[bytes], given: Sequence[bytes]) -> int:
    """Length of the longest end of *known* with which *given* begins (Knuth, Morris, Pratt)."""
    borders = [0] * len(given)
    length = 0
    for place in range(1, len(given)):
        length = _extended(given, borders, length, given[place])
        borders[place] = length
    length = 0
    for each in islice(known, max(0, len(known) - len(given)), None):
        length = _extended(given, borders, length, each)
    return length


def _extended(given: Sequence[bytes], borders: Sequence[int], length: int, digest: bytes) -> int:
    """How much of *given* ends with *digest*, where *length* of it ended just before."""
    while length and (length == len(given) or given[length] != digest):
        length = borders[length - 1]
    return length + 1 if length < len(given) and given[length] == digest else 0


def _digest(message: Any) -> bytes:
    try:
        plain = json.dumps(message, sort_keys=True, default=repr)
    except Exception:  # keys of several kinds, a cycle, an object that breaks
        plain = _written(message)
    return digest(plain, size=8)


def _written(message: Any) -> str:
    """What Python writes for a message; what it cannot write is like no other."""
    try:
        return repr(message)
    except Exception:
        return os.urandom(16).hex()
