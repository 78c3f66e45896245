"""Which messages of a growing list are new: the same list may be passed again and again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any


class Transcript:
    """Remembers a digest of each message it was shown."""

    __slots__ = ("_digests",)

    def __init__(self) -> None:
        self._digests: list[bytes] = []

    def new(self, messages: Sequence[Any]) -> Iterator[Any]:
        """
        Give the messages that were not shown before; each is remembered once it was dealt with.

        A list that begins with all that was shown is compared at its first and last old message
        only; one that was trimmed or edited yields each message that was never shown.
        """
        known = len(self._digests)
        if known <= len(messages) and self._begins(messages, known):
            for message in messages[known:]:
                yield message
                self._digests.append(_digest(message))
            return
        digests = [_digest(message) for message in messages]
        seen = set(self._digests)
        for message, digest in zip(messages, digests, strict=True):
            if digest not in seen:
                yield message
                self._digests.append(digest)
        self._digests = digests

    def _begins(self, messages: Sequence[Any], known: int) -> bool:
        ends = {0, known - 1} if known else set()
        return all(self._digests[i] == _digest(messages[i]) for i in ends)


def _digest(message: Any) -> bytes:
    try:
        plain = json.dumps(message, sort_keys=True, default=repr)
    except (TypeError, ValueError, RecursionError):  # keys of several kinds, a cycle
        plain = repr(message)
    return blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).digest()
