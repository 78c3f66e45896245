"""Ids for decisions, sessions and runs: a random prefix and a counter, renewed after a fork."""

from __future__ import annotations

import itertools
import os
import re
from functools import lru_cache


class _Ids:
    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        self.prefix = os.urandom(8).hex()  # 64 random bits: two processes never meet
        self.next = itertools.count(1).__next__


_IDS = _Ids()
if hasattr(os, "register_at_fork"):
    # Without it, parent and child would give the same ids.
    os.register_at_fork(after_in_child=_IDS.renew)


_GENERATED = re.compile(r"[0-9a-f]{16}-[0-9a-f]+")


# Asked for each decision; the sessions of one moment are few.
@lru_cache(maxsize=1_024)
def is_generated(session_id: str) -> bool:
    """
    Return whether an id is one of `new_id`, of this or another process, and not the host's own.

    >>> is_generated(new_id()), is_generated("chat-4711")
    (True, False)
    """
    return _GENERATED.fullmatch(session_id) is not None


def new_id() -> str:
    """Return an id that no other process gives: 16 hex digits, a dash, a counter."""
    return f"{_IDS.prefix}-{_IDS.next():x}"
