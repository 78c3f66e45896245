"""The rule by which every store decides which records have expired."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def last_expired(records: Iterable[tuple[float, T]], *, before: float, now: float) -> T | None:
    """
    Return the last of the leading records that are older than *before*, or None.

    A time after *now* is not trusted: such a record expires if an old one follows it.

    >>> records = [(1.0, "a"), (99.0, "b"), (2.0, "c"), (7.0, "d"), (1.0, "e")]
    >>> last_expired(records, before=5.0, now=9.0)
    'c'
    """
    last = None
    for at, record in records:
        if before <= at <= now:
            break
        if at < before:
            last = record
    return last
