"""Versions of a target: location, origin and history; their rows; their promotions as a stack."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from abs_shield.errors import StoreError
from abs_shield.flywheel.flywheel_database import parse_row
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import escaped


class VersionState(StrEnum):
    """The state of a version."""

    CANDIDATE = "candidate"
    CURRENT = "current"
    RETIRED = "retired"
    ROLLED_BACK = "rolled back"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """
    An event in the history of a version.

    Attributes:
        at: Seconds since the epoch, UTC.
        what: The event: added, promoted, retired, rolled back, in use again.
        by: The person who decided.
        reason: The reason.
        predecessor: For a promotion, the id of the replaced version; empty for the original.
    """

    at: float
    what: str
    by: str
    reason: str
    predecessor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """
    A version to be added.

    Attributes:
        target: The target: any name, or the ``module:attr`` or file in use before.
        location: Its location: a file, a folder, ``module:attr``, ``file.py:attr`` or the address
            of an endpoint.
        gap: The gap that it is for; empty if none.
        data: Hashes of its training files, by name; see `hash_at`.
        evaluation: `Evaluation.to_dict()`; empty if not evaluated.
    """

    target: str
    location: str
    gap: str = ""
    data: Mapping[str, str] = field(default_factory=dict)
    evaluation: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """
    One version of a target.

    Attributes:
        id: Unique id.
        number: Number of the version of its target, from 1.
        target: The target.
        location: Its location.
        hash: Hash of the content at the location.
        state: Its state.
        parent: Id of the version in use when this one was added; empty if none. It is older than
            this one, so that following parents ends at the original.
        gap: The gap that it is for.
        data: Hashes of its training data.
        evaluation: The data of its evaluation.
        events: Its history, oldest first.
    """

    id: str
    number: int
    target: str
    location: str
    hash: str
    state: VersionState = VersionState.CANDIDATE
    parent: str = ""
    gap: str = ""
    data: Mapping[str, str] = field(default_factory=dict)
    evaluation: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[Event, ...] = ()

    @property
    def reason(self) -> str:
        """The reason of its last event."""
        return self.events[-1].reason if self.events else ""

    def to_dict(self) -> dict[str, Any]:
        """Return the version as JSON-able data."""
        return {**asdict(self), "state": self.state.value, "events": [*map(asdict, self.events)]}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Version:
        """Return the version from the data of `to_dict`."""
        events = tuple(Event(**event) for event in record["events"])
        return cls(**{**record, "state": VersionState(record["state"]), "events": events})


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


def with_event(
    version: Version, what: str, by: str, reason: str, *, predecessor: str = ""
) -> Version:
    """Return a version with an additional event."""
    event = Event(at=time.time(), what=what, by=by, reason=reason, predecessor=predecessor)
    return replace(version, events=(*version.events, event))


def write_version(connection: sqlite3.Connection, version: Version) -> None:
    """Write a version."""
    connection.execute(
        "INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?)",
        (version.id, version.number, version.target, version.state.value,
         json.dumps(version.to_dict())),
    )  # fmt: skip


def describe_version(version: Version) -> str:
    """Return the name of a version for messages."""
    return f"version {version.number} of `{escaped(version.target)}`"


def read_version(connection: sqlite3.Connection, version: str) -> Version:
    """
    Return a version.

    Raises:
        StoreError: No version has this id, or it is damaged.
    """
    row = connection.execute("SELECT body FROM versions WHERE id = ?", (version,)).fetchone()
    if row is None:
        raise StoreError(f"flywheel: no version has the id `{escaped(version)}`")
    return parse_row(row[0], Version.from_dict, f"version `{escaped(version)}`")


def read_versions(connection: sqlite3.Connection) -> Iterator[Version]:
    """Yield all versions by target and number."""
    rows = connection.execute("SELECT id, body FROM versions ORDER BY target, number").fetchall()
    for key, body in rows:
        yield parse_row(body, Version.from_dict, f"version `{escaped(key)}`")


def stack_of(connection: sqlite3.Connection, target: str) -> list[Promotion]:
    """Return the stack of a target's promotions; raise StoreError if it is empty."""
    promotions = stack(history(connection, target))
    if not promotions:
        hint = suggest_name(target, targets(connection), otherwise="promote one first")
        raise StoreError(f"flywheel: no version of `{escaped(target)}` is in use; {hint}")
    return promotions


def id_in_use(connection: sqlite3.Connection, target: str) -> str:
    """Return the id of the version in use; empty if none was promoted."""
    promotions = stack(history(connection, target))
    return promotions[-1].version if promotions else ""


def current_version(connection: sqlite3.Connection, target: str) -> Version | None:
    """Return the version in use; None if none was promoted."""
    version = id_in_use(connection, target)
    return read_version(connection, version) if version else None


def is_covered(connection: sqlite3.Connection, gap: str) -> bool:
    """Return whether a version for a gap is on the stack of any target."""
    return any(read_version(connection, one).gap == gap for one in versions_in_use(connection))
