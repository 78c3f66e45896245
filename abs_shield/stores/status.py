"""How a store is doing."""

from __future__ import annotations

from typing import NamedTuple


class Status(NamedTuple):
    """
    How a store is doing.

    Attributes:
        waiting: Records that are not yet written.
        dropped: Records that were lost: there was no room, or they could not be written.
        error: Why writing fails at this moment; empty where it does not.
    """

    waiting: int = 0
    dropped: int = 0
    error: str = ""
