"""The promotions of a target, as a stack that rollbacks pop."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

ORIGINAL = 0
"""The number in a `UsePeriod` of the original, from before the first promotion."""


class Promotion(NamedTuple):
    """
    One promotion.

    Attributes:
        number: Number of the promotion among those of all targets, from 1.
        target: The target.
        version: Id of the promoted version.
        at: Time of the promotion, in seconds since the epoch.
        ended: Time of its rollback; None if it was not rolled back.
        original: Hash of the original; empty if there was none, or if another promotion was in
            use.
    """

    number: int
    target: str
    version: str
    at: float
    ended: float | None
    original: str


class UsePeriod(NamedTuple):
    """
    A period in which one promotion, or the original, was in use.

    Attributes:
        number: The promotion's number, or `ORIGINAL`.
        start: Start of the period; None for the first one.
        end: End of the period; None for the last one.
    """

    number: int
    start: float | None
    end: float | None


def history(connection: sqlite3.Connection, target: str) -> list[Promotion]:
    """Return the promotions of a target, oldest first."""
    rows = connection.execute(
        "SELECT number, target, version, at, ended, original FROM promotions"
        " WHERE target = ? ORDER BY number",
        (target,),
    )
    return [Promotion(*row) for row in rows]


def stack(promotions: Iterable[Promotion]) -> list[Promotion]:
    """Return the promotions that were not rolled back; the last one is in use."""
    return [one for one in promotions if one.ended is None]


def targets(connection: sqlite3.Connection) -> list[str]:
    """Return every target that has a promotion."""
    rows = connection.execute("SELECT DISTINCT target FROM promotions ORDER BY target")
    return [target for (target,) in rows]


def versions_in_use(connection: sqlite3.Connection) -> list[str]:
    """Return the ids of all versions on the stacks: those in use, and those below them."""
    rows = connection.execute("SELECT version FROM promotions WHERE ended IS NULL")
    return [version for (version,) in rows]


def start_promotion(
    connection: sqlite3.Connection, target: str, version: str, *, at: float, original: str
) -> None:
    """Push a promotion on a target's stack."""
    connection.execute(
        "INSERT INTO promotions (target, version, at, original) VALUES (?, ?, ?, ?)",
        (target, version, at, original),
    )


def end_promotion(connection: sqlite3.Connection, promotion: Promotion, *, at: float) -> None:
    """Remove a promotion from its stack."""
    connection.execute("UPDATE promotions SET ended = ? WHERE number = ?", (at, promotion.number))


def use_periods(promotions: Iterable[Promotion]) -> list[UsePeriod]:
    """
    Return the periods of use, oldest first.

    >>> one = Promotion(1, "prompt", "v1", 10.0, None, "")
    >>> use_periods([one, Promotion(2, "prompt", "v2", 20.0, 30.0, "")])[1:3]
    [UsePeriod(number=1, start=10.0, end=20.0), UsePeriod(number=2, start=20.0, end=30.0)]
    """
    every = [*promotions]
    changes = [(one.at, one.number, True) for one in every]
    changes += [(one.ended, one.number, False) for one in every if one.ended is not None]
    in_use, periods, since = [ORIGINAL], list[UsePeriod](), None
    # at equal times the beginning first, because a promotion cannot end before it began
    for at, number, begins in sorted(changes, key=lambda change: (change[0], not change[2])):
        periods.append(UsePeriod(in_use[-1], since, at))
        if begins:
            in_use.append(number)
        else:
            in_use.remove(number)
        since = at
    return [*periods, UsePeriod(in_use[-1], since, None)]
