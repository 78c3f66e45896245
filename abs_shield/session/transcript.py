"""Which messages of a growing list are new: the same list may be passed again and again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any


class Transcript:
    """Remembers a digest of each message it was shown."""

    __slots__ = ("_digests",)

    def __init__(self) -> None:
        self._digests: list[bytes] = []

    def new(self, messages: Sequence[Any]) -> list[Any]:
        """
        Give the messages that were not shown before, and remember them.

        A list that begins with all that was shown is compared at its first and last old message
        only; one that was trimmed or edited yields each message that was never shown.
        """
        known = len(self._digests)
        if known <= len(messages) and self._begins(messages, known):
            fresh = list(messages[known:])
            self._digests += [_digest(message) for message in fresh]
            return fresh
        digests = [_digest(message) for message in messages]
        seen = set(self._digests)
        self._digests = digests
        return [m for m, digest in zip(messages, digests, strict=True) if digest not in seen]

    def _begins(self, messages: Sequence[Any], known: int) -> bool:
        ends = {0, known - 1} if known else set()
        return all(self._digests[i] == _digest(messages[i]) for i in ends)


def _digest(message: Any) -> bytes:
    plain = json.dumps(message, sort_keys=True, default=repr)
    return blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).digest()
