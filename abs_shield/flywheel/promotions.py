"""The promotions of a target: a stack, so that each step back comes nearer to the original."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

ORIGINAL = 0
"""The number, in a span, of what was there before the first promotion."""


class Promotion(NamedTuple):
    """
    One promotion.

    Attributes:
        number: Counts the promotions of all targets from 1.
        target: What was replaced.
        version: Id of the version that was put in use.
        at: When, in seconds since the epoch.
        ended: When it was rolled back; None where it was not.
        original: Hash of what the target named before its first promotion; empty where it named
            nothing, or where another promotion was in use.
    """

    number: int
    target: str
    version: str
    at: float
    ended: float | None
    original: str


class Span(NamedTuple):
    """
    A time for which one promotion, or the original, was in use.

    Attributes:
        number: The promotion's number, or `ORIGINAL`.
        start: When it came into use; None of the first one.
        end: When something else did; None of the last one.
    """

    number: int
    start: float | None
    end: float | None


def history(connection: sqlite3.Connection, target: str) -> list[Promotion]:
    """Return the promotions of a target, the first one first."""
    rows = connection.execute(
        "SELECT number, target, version, at, ended, original FROM promotions"
        " WHERE target = ? ORDER BY number",
        (target,),
    )
    return [Promotion(*row) for row in rows]


def stack(promotions: Iterable[Promotion]) -> list[Promotion]:
    """Return those that were not rolled back: the last one is in use."""
    return [one for one in promotions if one.ended is None]


def targets(connection: sqlite3.Connection) -> list[str]:
    """Return every target that a version was promoted for."""
    rows = connection.execute("SELECT DISTINCT target FROM promotions ORDER BY target")
    return [target for (target,) in rows]


def versions_in_use(connection: sqlite3.Connection) -> list[str]:
    """Return the ids of versions that are in use, and of those below them."""
    rows = connection.execute("SELECT version FROM promotions WHERE ended IS NULL")
    return [version for (version,) in rows]


def begin(
    connection: sqlite3.Connection, target: str, version: str, *, at: float, original: str
) -> None:
    """Put a promotion on top of a target's stack."""
    connection.execute(
        "INSERT INTO promotions (target, version, at, original) VALUES (?, ?, ?, ?)",
        (target, version, at, original),
    )


def end(connection: sqlite3.Connection, promotion: Promotion, *, at: float) -> None:
    """Take a promotion off its stack."""
    connection.execute("UPDATE promotions SET ended = ? WHERE number = ?", (at, promotion.number))


def spans(promotions: Iterable[Promotion]) -> list[Span]:
    """
    Return what was in use when, the first one first.

    >>> one = Promotion(1, "prompt", "v1", 10.0, None, "")
    >>> spans([one, Promotion(2, "prompt", "v2", 20.0, 30.0, "")])[1:3]
    [Span(number=1, start=10.0, end=20.0), Span(number=2, start=20.0, end=30.0)]
    """
    every = [*promotions]
    changes = [(one.at, one.number, True) for one in every]
    changes += [(one.ended, one.number, False) for one in every if one.ended is not None]
    in_use, found, since = [ORIGINAL], list[Span](), None
    for at, number, begins in sorted(changes, key=lambda change: (change[0], not change[2])):
        found.append(Span(in_use[-1], since, at))
        if begins:
            in_use.append(number)
        else:
            in_use.remove(number)
        since = at
    return [*found, Span(in_use[-1], since, None)]
