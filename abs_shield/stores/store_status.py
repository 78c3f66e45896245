"""The status of a store."""

from __future__ import annotations

from typing import NamedTuple


class StoreStatus(NamedTuple):
    """
    The status of a store.

    Attributes:
        waiting: Records not yet written.
        dropped: Records lost because the buffer was full or they could not be written.
        error: The current write error; empty if writing works.
    """

    waiting: int = 0
    dropped: int = 0
    error: str = ""
