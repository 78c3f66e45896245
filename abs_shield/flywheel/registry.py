"""The registry of versions: what is in use, what it came from, why, and one step back."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from os import PathLike
from pathlib import Path
from typing import Any

from abs_shield.core.ids import new_id
from abs_shield.errors import StoreError
from abs_shield.flywheel.accepted import mark_gap
from abs_shield.flywheel.artifact import absolute, hash_at
from abs_shield.flywheel.database import database
from abs_shield.flywheel.gap import GapState
from abs_shield.policy.load import load
from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped

_INTO_USE = ("promoted", "in use again")
"""How events begin that put a version in use."""


class VersionState(StrEnum):
    """Where a version stands."""

    CANDIDATE = "candidate"
    CURRENT = "current"
    RETIRED = "retired"
    ROLLED_BACK = "rolled back"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that was decided about a version: when, what, by whom, and why."""

    at: float
    what: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """
    A version as it is added.

    Attributes:
        target: What it is a version of: any name, or the ``module:attr`` or file in use before.
        location: Where it stands: a file, a folder, ``module:attr`` or ``file.py:attr``.
        gap: The gap that it is for; empty if none.
        data: Files that it was made from, by name, with their hashes; see `hash_at`.
        evaluation: `Evaluation.to_dict()`; empty where it was not evaluated.
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
        number: Counts the versions of a target from 1.
        target: What it is a version of.
        location: Where it stands.
        hash: Hash of what stands there.
        state: Where the version stands.
        parent: Id of the version that was in use when this one was promoted; empty if none.
        gap: The gap that it is for.
        data: Hashes of the data that it was made from.
        evaluation: What its evaluation found.
        events: What was decided about it, the first one first.
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
    def used_since(self) -> float:
        """When it came into use for the last time, in seconds since the epoch; 0 if never."""
        return max((one.at for one in self.events if one.what.startswith(_INTO_USE)), default=0.0)

    @property
    def reason(self) -> str:
        """The reason of the newest decision about it."""
        return self.events[-1].reason if self.events else ""

    def to_dict(self) -> dict[str, Any]:
        """Return the version as JSON-able data."""
        return {**asdict(self), "state": self.state.value, "events": [*map(asdict, self.events)]}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Version:
        """Return the version that `to_dict` wrote."""
        events = tuple(Event(**event) for event in record["events"])
        return cls(**{**record, "state": VersionState(record["state"]), "events": events})


class VersionRegistry:
    """
    Versions in the flywheel's file.

    Args:
        book: The file.
    """

    def __init__(self, book: str | PathLike[str]) -> None:
        self._book = book

    def add(self, new: NewVersion, *, by: str = "") -> Version:
        """
        Add a version; one whose evaluation says so is rejected.

        Raises:
            StoreError: Nothing stands at its location.
        """
        location = absolute(new.location)
        version = Version(
            id=new_id(),
            number=0,
            target=new.target,
            location=location,
            hash=hash_at(location),
            gap=new.gap,
            data=dict(new.data),
            evaluation=dict(new.evaluation),
        )
        reasons = "; ".join(new.evaluation.get("reasons", ()))
        with database(self._book) as connection:
            newest = "SELECT max(number) FROM versions WHERE target = ?"
            (number,) = connection.execute(newest, (new.target,)).fetchone()
            version = _decided(replace(version, number=(number or 0) + 1), "added", by, reasons)
            if new.evaluation.get("outcome") == "reject":
                version = replace(version, state=VersionState.REJECTED)
            _write(connection, version)
        return version

    def promote(self, version: str, *, reason: str, by: str, override: bool = False) -> Version:
        """
        Put a version in use in place of the one that is; its gap is fixed.

        Args:
            version: Its id.
            reason: Why.
            by: Who decides.
            override: Promote a version whose evaluation does not say so.

        Raises:
            StoreError: There is no such version, its evaluation does not say so, it is in use
                already, its reason is empty, or what stands at its location has changed.
        """
        with database(self._book) as connection:
            found = _read(connection, version)
            _require_promotable(found, reason, override=override)
            parent = _current(connection, found.target)
            if parent is not None:
                retired = replace(parent, state=VersionState.RETIRED)
                _write(connection, _decided(retired, "retired", by, f"version {found.number}"))
            what = "promoted, overriding its evaluation" if override else "promoted"
            promoted = replace(
                found, state=VersionState.CURRENT, parent="" if parent is None else parent.id
            )
            promoted = _decided(promoted, what, by, reason)
            _write(connection, promoted)
            _use(connection, found.target, promoted.id)
            if found.gap:
                mark_gap(connection, found.gap, GapState.FIXED)
        return promoted

    def rollback(self, target: str, *, reason: str, by: str) -> Version | None:
        """
        Take the version in use back: its parent is in use again, its gap is open again.

        Args:
            target: What is rolled back.
            reason: Why; it stays with the version.
            by: Who decides.

        Returns:
            The version that is in use now; None if it is what was there before the first one.

        Raises:
            StoreError: No version is in use, or the reason is empty.
        """
        if not reason.strip():
            raise StoreError("flywheel: a rollback needs a reason; say what went wrong")
        with database(self._book) as connection:
            found = _current(connection, target)
            if found is None:
                raise StoreError(
                    f"flywheel: no version of `{escaped(target)}` is in use;"
                    f" {_targets(connection, target)}"
                )
            back = replace(found, state=VersionState.ROLLED_BACK)
            _write(connection, _decided(back, "rolled back", by, reason))
            parent = _read(connection, found.parent) if found.parent else None
            if parent is not None:
                parent = replace(parent, state=VersionState.CURRENT)
                parent = _decided(parent, "in use again", by, f"rollback of {found.number}")
                _write(connection, parent)
            _use(connection, target, found.parent)
            if found.gap:
                mark_gap(connection, found.gap, GapState.OPEN)
        return parent

    def current(self, target: str) -> Version | None:
        """Return the version in use; None where none was promoted."""
        with database(self._book) as connection:
            return _current(connection, target)

    def versions(self, target: str | None = None) -> list[Version]:
        """Return the versions of a target, or of all, the oldest first."""
        with database(self._book) as connection:
            rows = connection.execute("SELECT body FROM versions ORDER BY target, number")
            found = [Version.from_dict(json.loads(body)) for (body,) in rows]
        return [one for one in found if target in (None, one.target)]

    def resolve(self, target: str) -> str:
        """
        Return where the version in use stands; the target itself where none was promoted.

        Raises:
            StoreError: What stands there is no longer what was promoted.
        """
        version = self.current(target)
        if version is None:
            return target
        _require_unchanged(version)
        return version.location

    def load(self, target: str) -> Any:
        """
        Return what is in use: the object of a ``module:attr``, else the path of a file.

        Raises:
            StoreError: What stands there is no longer what was promoted.
            PolicyError: It cannot be imported.
        """
        place = self.resolve(target)
        if ":" in place and not Path(place).exists():
            return load(place)
        return Path(place)


def resolve(book: str | PathLike[str], target: str) -> str:
    """Return where the version of a target in use stands; see `VersionRegistry.resolve`."""
    return VersionRegistry(book).resolve(target)


def _require_promotable(version: Version, reason: str, *, override: bool) -> None:
    name = f"version {version.number} of `{escaped(version.target)}`"
    if not reason.strip():
        raise StoreError(f"flywheel: {name} needs a reason to be promoted; say why")
    if version.state is VersionState.CURRENT:
        raise StoreError(f"flywheel: {name} is in use already")
    outcome = version.evaluation.get("outcome", "not evaluated")
    if not override and outcome != "promote":
        hint = "evaluate it with more cases, or override with a reason"
        raise StoreError(f"flywheel: {name} is not promoted: {escaped(str(outcome))}; {hint}")
    _require_unchanged(version)


def _require_unchanged(version: Version) -> None:
    if hash_at(version.location) != version.hash:
        raise StoreError(
            f"flywheel: {escaped(version.location, limit=300)} is no longer version"
            f" {version.number} of `{escaped(version.target)}`; restore it, or add it anew"
        )


def _decided(version: Version, what: str, by: str, reason: str) -> Version:
    event = Event(at=time.time(), what=what, by=by, reason=reason)
    return replace(version, events=(*version.events, event))


def _read(connection: sqlite3.Connection, version: str) -> Version:
    row = connection.execute("SELECT body FROM versions WHERE id = ?", (version,)).fetchone()
    if row is None:
        raise StoreError(f"flywheel: no version has the id `{escaped(version)}`")
    return Version.from_dict(json.loads(row[0]))


def _current(connection: sqlite3.Connection, target: str) -> Version | None:
    row = connection.execute("SELECT version FROM current WHERE target = ?", (target,)).fetchone()
    return _read(connection, row[0]) if row is not None else None


def versions_in_use(connection: sqlite3.Connection) -> list[Version]:
    """Return the version in use of each target."""
    rows = connection.execute("SELECT version FROM current ORDER BY target")
    return [_read(connection, version) for (version,) in rows]


def _write(connection: sqlite3.Connection, version: Version) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?)",
        (version.id, version.number, version.target, version.state.value,
         json.dumps(version.to_dict())),
    )  # fmt: skip


def _use(connection: sqlite3.Connection, target: str, version: str) -> None:
    connection.execute("DELETE FROM current WHERE target = ?", (target,))
    if version:
        connection.execute("INSERT INTO current VALUES (?, ?)", (target, version))


def _targets(connection: sqlite3.Connection, target: str) -> str:
    known = [name for (name,) in connection.execute("SELECT target FROM current")]
    near = nearest(target, known)
    return f"did you mean `{escaped(near[0])}`?" if near else f"{len(known)} others are"
