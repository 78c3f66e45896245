"""Cache of valid replies, by a hash of the judge and the question."""

from __future__ import annotations

import json
from collections import OrderedDict
from threading import Lock
from typing import Any

from abs_shield.core.digest import canonical, digest
from abs_shield.core.fork_safety import renewed
from abs_shield.errors import PolicyError
from abs_shield.model.judge import Ask, name_of
from abs_shield.text.safe_display import shown

# 512 of the usual 1,000 characters fit many times; one long reply must not displace all others
_LONGEST = 200_000
"""Most characters of a cached reply."""
# some 10 MB, as the JSON is ASCII
_MOST_CHARACTERS = 10_000_000
"""Most characters of all cached replies."""


class Replies:
    """
    A bounded cache, the least recently used reply dropped first; safe to share between threads.

    Judges that declare one ``name`` share replies; a judge without a name has its own.

    Args:
        most: Most cached replies; at least 1.

    Raises:
        PolicyError: *most* is not a whole number from 1.
    """

    def __init__(self, most: int = 512) -> None:
        if type(most) is not int or most < 1:
            raise PolicyError(f"replies: `most` is {shown(most)}; give a whole number from 1")
        self.most = most
        self._entries: OrderedDict[bytes, tuple[object, str]] = OrderedDict()
        self._characters = 0
        self._lock = renewed(Lock())

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, judge: object, question: Ask) -> dict[str, Any] | None:
        """
        Return a copy of the cached reply; None if there is none.

        Args:
            judge: The model, whose identity is part of the key.
            question: The question.
        """
        key = _key(judge, question)
        with self._lock:
            entry = self._entries.get(key)
            # an `id` may be that of an earlier judge, freed since
            if entry is None or entry[0] is not _owner(judge):
                return None
            self._entries.move_to_end(key)
        reply: dict[str, Any] = json.loads(entry[1])
        return reply

    def keep(self, judge: object, question: Ask, reply: dict[str, Any]) -> None:
        """
        Cache a reply.

        Args:
            judge: The model.
            question: The question.
            reply: The model's reply to it.
        """
        text = json.dumps(reply)
        if len(text) > _LONGEST:
            return
        key = _key(judge, question)
        with self._lock:
            # two threads may ask the same question, and the length must be counted once
            self._drop(key)
            self._entries[key] = (_owner(judge), text)
            self._characters += len(text)
            while len(self._entries) > self.most or self._characters > _MOST_CHARACTERS:
                self._drop(next(iter(self._entries)))

    def _drop(self, key: bytes) -> None:
        _, text = self._entries.pop(key, (None, ""))
        self._characters -= len(text)


def _owner(judge: object) -> object:
    """Return the owner of a reply: None for a declared name, which judges share; else the judge."""
    return None if isinstance(getattr(judge, "name", None), str) else judge


def _key(judge: object, question: Ask) -> bytes:
    owner = "" if _owner(judge) is None else str(id(judge))
    parts = [name_of(judge), owner, list(question.messages), question.schema]
    return digest(canonical(parts), size=16)
