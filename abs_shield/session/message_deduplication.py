"""New messages of a growing list, which may be passed again and again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from abs_shield.core.digest import digest

_COMPARED = 8
"""
Newest messages that are compared before a list counts as a continuation; comparing all would take
quadratic time over a conversation.
"""
_MOST_DIGESTS = 10_000
"""Digests of messages that are remembered beyond the list they stood in."""


class MessageDeduplicator:
    """Remembers a digest of each message it was shown."""

    __slots__ = ("_digests", "_shown")

    def __init__(self) -> None:
        self._digests: list[bytes] = []
        self._shown: dict[bytes, None] = {}

    def new(self, messages: Sequence[Any]) -> Iterator[Any]:
        """
        Yield the messages that were not shown before; each is remembered after its use.

        A list that begins with all that was shown is compared at its first and newest old
        messages only. One that was trimmed, at its start or behind it, goes on where the known
        list ends; one that was edited yields each message that was never shown. An empty list
        says nothing, and what was shown stays shown.
        """
        if not messages:
            return
        shown = len(self._digests)
        if shown > len(messages) or not self._begins(messages, shown):
            digests = [_digest(message) for message in messages]
            shown = _overlap(self._digests, digests)
            if not shown:
                yield from self._edited(messages, digests)
                return
            self._digests = digests[:shown]
        for message in messages[shown:]:
            yield message  # before it is remembered: if adding it fails, it is still new
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
        if len(self._shown) > _MOST_DIGESTS:
            del self._shown[next(iter(self._shown))]

    def _begins(self, messages: Sequence[Any], shown: int) -> bool:
        places = {0, *range(max(0, shown - _COMPARED), shown)} if shown else ()
        return all(self._digests[i] == _digest(messages[i]) for i in places)


def _overlap(shown: Sequence[bytes], messages: Sequence[bytes]) -> int:
    """
    Return how many of *messages* are old: those before the end of *shown*; 0 without overlap.

    A head that both begin with, such as a system prompt, may stand before the overlap.

    >>> _overlap([b"s", b"a", b"b", b"c"], [b"s", b"b", b"c", b"b"])
    3
    """
    head = 0
    for old, new in zip(shown, messages, strict=False):
        if old != new:
            break
        head += 1
    if head == len(shown):
        return head
    # A trimmed list often has its head still, such as the system prompt.
    behind = _meeting(shown[head:], messages[head:])
    return max(_meeting(shown, messages), head + behind if behind else 0)


def _meeting(shown: Sequence[bytes], messages: Sequence[bytes]) -> int:
    """Return the longest end of *shown* that *messages* begins with (Knuth, Morris, Pratt)."""
    borders = [0] * len(messages)
    length = 0
    for place in range(1, len(messages)):
        length = _extended(messages, borders, length, messages[place])
        borders[place] = length
    length = 0
    for each in islice(shown, max(0, len(shown) - len(messages)), None):
        length = _extended(messages, borders, length, each)
    return length


def _extended(messages: Sequence[bytes], borders: Sequence[int], length: int, digest: bytes) -> int:
    """Return the length of the match that ends with *digest*, after one of *length*."""
    while length and (length == len(messages) or messages[length] != digest):
        length = borders[length - 1]
    return length + 1 if length < len(messages) and messages[length] == digest else 0


def _digest(message: Any) -> bytes:
    try:
        plain = json.dumps(message, sort_keys=True, default=repr)
    except Exception:  # keys of several kinds, a cycle, an object that breaks
        plain = _written(message)
    return digest(plain, size=8)  # 8 bytes: two of 10,000 messages are mistaken once in 10^11 lists


def _written(message: Any) -> str:
    """Return the `repr` of a message; random text where it has none, so that it equals no other."""
    try:
        return repr(message)
    except Exception:
        return os.urandom(16).hex()
