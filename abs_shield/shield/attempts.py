"""The retry budget of blocked calls."""

from __future__ import annotations

from typing import NamedTuple

from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield.approvals import Key

_IDENTICAL = 3  # the second may be a slip of the model; a third one is a loop
_MOST = 1_000  # names and arguments are the model's to invent, so the oldest counts go


class Attempts(NamedTuple):
    """The attempts that remain; *left* is None where nothing is blocked."""

    retryable: bool
    left: int | None


UNBLOCKED = Attempts(True, None)


def count_attempt(
    session: Session, key: Key, retries: int, *, waits: bool, counted: bool
) -> Attempts:
    """
    Count a blocked call, unless its proposal was *counted* already.

    The third identical call, or a spent budget, is the last. Waiting for a person costs nothing.
    """
    _, tool, same = key
    record = record_of(session)
    if not counted and not waits:
        _increment(record.blocks, tool)
        _increment(record.repeats, same)
    left = max(0, retries - record.blocks.get(tool, 0))
    return Attempts(left > 0 and record.repeats.get(same, 0) < _IDENTICAL, left)


def _increment(counts: dict[str, int] | dict[bytes, int], key: object) -> None:
    books: dict[object, int] = counts  # type: ignore[assignment]
    books[key] = books.get(key, 0) + 1
    if len(books) > _MOST:
        del books[next(iter(books))]
