"""The retry budget of blocked calls."""

from __future__ import annotations

from typing import NamedTuple

from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield.approvals import Key

_IDENTICAL = 3  # the second identical call may be an accident; the third one is a loop
_MOST = 1_000  # a model may invent any number of names and arguments: the oldest counts go


class Attempts(NamedTuple):
    """
    The remaining attempts.

    Attributes:
        retryable: Whether the model may try again.
        left: Number of further attempts, from 0; None if the call is not blocked.
    """

    retryable: bool
    left: int | None


UNBLOCKED = Attempts(True, None)


def count_attempt(
    session: Session, key: Key, retries: int, *, waits: bool, counted: bool
) -> Attempts:
    """
    Count a blocked call, and return the remaining attempts.

    The model may not try again after three identical calls, or once the budget is used up.

    Args:
        session: The session of the call; its record stores the counts.
        key: The session, tool and arguments of the call.
        retries: The retry budget of the policy, in blocked calls per tool.
        waits: Whether the call waits for an approval, which uses no attempt.
        counted: Whether an earlier judgement of the same call was counted already.
    """
    _, tool, same = key
    record = record_of(session)
    if not counted and not waits:
        _increment(record.blocks, tool)
        _increment(record.repeats, same)
    left = max(0, retries - record.blocks.get(tool, 0))
    return Attempts(left > 0 and record.repeats.get(same, 0) < _IDENTICAL, left)


def _increment(counts: dict[str, int] | dict[bytes, int], key: object) -> None:
    all_counts: dict[object, int] = counts  # type: ignore[assignment]
    all_counts[key] = all_counts.get(key, 0) + 1
    if len(all_counts) > _MOST:
        del all_counts[next(iter(all_counts))]
