"""Up to which record everything is old enough to go, for every kind of store alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def oldest(records: Iterable[tuple[float, T]], *, before: float, now: float) -> T | None:
    """
    Give the last of the first records that are all older than *before*; None where none is.

    A time beyond *now* says nothing: such a record goes where an old one stands behind it.

    >>> oldest([(1.0, "a"), (99.0, "b"), (2.0, "c"), (7.0, "d"), (1.0, "e")], before=5.0, now=9.0)
    'c'
    """
    last = None
    for at, record in records:
        if before <= at <= now:
            break
        if at < before:
            last = record
    return last
