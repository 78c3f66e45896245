"""Ids for decisions, sessions and runs: a random prefix and a counter, renewed after a fork."""

from __future__ import annotations

import itertools
import os


class _Ids:
    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        self.prefix = os.urandom(8).hex()
        self.next = itertools.count(1).__next__


_IDS = _Ids()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_IDS.renew)


def new_id() -> str:
    """Give an id that no other process gives: 16 hex digits, a dash, a counter."""
    return f"{_IDS.prefix}-{_IDS.next():x}"
