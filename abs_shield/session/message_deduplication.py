"""Selection of the new messages of a growing list, which may be passed again and again."""

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
"""Digests of messages that are stored, also of messages that are no longer in the list."""


class MessageDeduplicator:
    """Selects messages that were not passed before, by a digest of each message."""

    __slots__ = ("_digests", "_shown")

    def __init__(self) -> None:
        self._digests: list[bytes] = []
        self._shown: dict[bytes, None] = {}

    def select_new(self, messages: Sequence[Any]) -> Iterator[Any]:
        """
        Yield the messages that were not passed before; each is stored after its use.

        A list that begins with the previous list is compared only at its first and newest old
        messages. A list that was trimmed, at its start or after its first messages, continues where
        the previous list ends. Of a list that was edited, each message that was never passed is
        new. An empty list changes nothing.
        """
        if not messages:
            return
        shown = len(self._digests)
        if shown > len(messages) or not self._continues(messages, shown):
            digests = [_digest(message) for message in messages]
            shown = _count_old(self._digests, digests)
            if not shown:
                yield from self._select_unseen(messages, digests)
                return
            self._digests = digests[:shown]
        for message in messages[shown:]:
            yield message  # before it is stored: if the caller fails, the message is still new
            digest = _digest(message)
            self._digests.append(digest)
            self._remember(digest)

    def _select_unseen(self, messages: Sequence[Any], digests: list[bytes]) -> Iterator[Any]:
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

    def _continues(self, messages: Sequence[Any], shown: int) -> bool:
        places = {0, *range(max(0, shown - _COMPARED), shown)} if shown else ()
        return all(self._digests[i] == _digest(messages[i]) for i in places)


def _count_old(shown: Sequence[bytes], messages: Sequence[bytes]) -> int:
    """
    Return the number of *messages* that are old: those before the end of *shown*.

    The result is 0 without an overlap. A common head, such as a system prompt, may precede the
    overlap.

    >>> _count_old([b"s", b"a", b"b", b"c"], [b"s", b"b", b"c", b"b"])
    3
    """
    head = 0
    for old, new in zip(shown, messages, strict=False):
        if old != new:
            break
        head += 1
    if head == len(shown):
        return head
    # A trimmed list often still has its head, such as the system prompt.
    behind = _find_border(shown[head:], messages[head:])
    return max(_find_border(shown, messages), head + behind if behind else 0)


def _find_border(shown: Sequence[bytes], messages: Sequence[bytes]) -> int:
    """Return the length of the longest end of *shown* that *messages* begins with (KMP)."""
    borders = [0] * len(messages)
    length = 0
    for place in range(1, len(messages)):
        length = _extend_match(messages, borders, length, messages[place])
        borders[place] = length
    length = 0
    for each in islice(shown, max(0, len(shown) - len(messages)), None):
        length = _extend_match(messages, borders, length, each)
    return length


def _extend_match(
    messages: Sequence[bytes], borders: Sequence[int], length: int, digest: bytes
) -> int:
    """Return the length of the match after *digest*, given the *length* before it."""
    while length and (length == len(messages) or messages[length] != digest):
        length = borders[length - 1]
    return length + 1 if length < len(messages) and messages[length] == digest else 0


def _digest(message: Any) -> bytes:
    try:
        plain = json.dumps(message, sort_keys=True, default=repr)
    except Exception:  # keys of several types, a cycle, an object that raises
        plain = _represent(message)
    return digest(plain, size=8)  # 8 bytes: 10,000 messages collide once in 10^11 lists


def _represent(message: Any) -> str:
    """Return the `repr` of a message; random text if that raises, so that it equals no other."""
    try:
        return repr(message)
    except Exception:
        return os.urandom(16).hex()
