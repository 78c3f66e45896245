"""The registry of versions: what is in use, what it came from, why, and one step back."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from abs_shield.core.ids import new_id
from abs_shield.errors import ShieldError, StoreError
from abs_shield.flywheel.accepted import mark_gap, state_of_gap
from abs_shield.flywheel.artifact import absolute, attribute_of, hash_at, is_address
from abs_shield.flywheel.database import database
from abs_shield.flywheel.evaluate import Recommendation, require_evaluation
from abs_shield.flywheel.gap import GapState
from abs_shield.flywheel.promotions import Promotion, begin, end
from abs_shield.flywheel.version import Event, NewVersion, Version, VersionState
from abs_shield.flywheel.version_rows import (
    current_version,
    decided,
    id_in_use,
    is_covered,
    name_of,
    read_version,
    read_versions,
    stack_of,
    write_version,
)
from abs_shield.policy.load import load
from abs_shield.text.show import escaped

__all__ = ["Event", "NewVersion", "Version", "VersionRegistry", "VersionState", "resolve"]


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
            StoreError: Nothing that can be loaded stands at its location, there is no such gap,
                or the evaluation is not one.
        """
        require_evaluation(new.evaluation)
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
        _require_loadable(location)
        reasons = "; ".join(new.evaluation.get("reasons", ()))
        with database(self._book) as connection:
            if new.gap:
                state_of_gap(connection, new.gap)
            newest = "SELECT max(number) FROM versions WHERE target = ?"
            (number,) = connection.execute(newest, (new.target,)).fetchone()
            version = replace(
                version, number=(number or 0) + 1, parent=id_in_use(connection, new.target)
            )
            version = decided(version, "added", by, reasons)
            if new.evaluation.get("outcome") == Recommendation.REJECT:
                version = replace(version, state=VersionState.REJECTED)
            write_version(connection, version)
        return version

    def promote(self, version: str, *, reason: str, by: str, override: str = "") -> Version:
        """
        Put a version in use in place of the one that is; its gap is fixed.

        Its evaluation has to say ``promote``, to be of what stands at its location, and to compare
        it with what is in use now; and what stands there must not have been rolled back before.

        Args:
            version: Its id.
            reason: Why.
            by: Who decides.
            override: Why it is promoted although one of these does not hold; it is recorded.

        Raises:
            StoreError: There is no such version, one of these does not hold, it is in use already,
                its reason is empty, its gap is not accepted, or what stands at its location has
                changed.
        """
        with database(self._book) as connection:
            found = read_version(connection, version)
            _require_promotable(connection, found, reason)
            objections = [*_objections(connection, found)]
            if objections and not override.strip():
                hint = "evaluate it anew, or override with a reason"
                raise StoreError(
                    f"flywheel: {name_of(found)} is not promoted: {'; '.join(objections)}; {hint}"
                )
            return _put_in_use(connection, found, _reason(reason, override, objections), by)

    def rollback(self, target: str, *, reason: str, by: str) -> Version | None:
        """
        Take the version in use back: the one before is in use again.

        Its gap is open again, unless another version in use is for it.

        Args:
            target: What is rolled back.
            reason: Why; it stays with the version.
            by: Who decides.

        Returns:
            The version that is in use now; None if it is what was there before the first one.

        Raises:
            StoreError: No version is in use, the reason is empty, or what it goes back to cannot
                be used.
        """
        if not reason.strip():
            raise StoreError("flywheel: a rollback needs a reason; say what went wrong")
        with database(self._book) as connection:
            *before, top = stack_of(connection, target)
            found = read_version(connection, top.version)
            parent = _usable(connection, before[-1].version) if before else None
            if parent is None:
                _require_original(top)
            end(connection, top, at=time.time())
            back = replace(found, state=VersionState.ROLLED_BACK)
            write_version(connection, decided(back, "rolled back", by, reason))
            if parent is not None:
                parent = replace(parent, state=VersionState.CURRENT)
                why = f"version {found.number} was rolled back: {reason}"
                parent = decided(parent, "in use again", by, why)
                write_version(connection, parent)
            if found.gap and _is_fixed_by_nothing(connection, found.gap):
                mark_gap(connection, found.gap, GapState.OPEN)
        return parent

    def current(self, target: str) -> Version | None:
        """Return the version in use; None where none was promoted."""
        with database(self._book) as connection:
            return current_version(connection, target)

    def versions(self, target: str | None = None) -> list[Version]:
        """Return the versions of a target, or of all, the oldest first."""
        with database(self._book) as connection:
            found = [*read_versions(connection)]
        return [one for one in found if target in (None, one.target)]

    def resolve(self, target: str) -> str:
        """
        Return where the version in use stands; the target itself where none was promoted.

        Raises:
            StoreError: There is no such file, or what stands there is no longer what was promoted.
        """
        version = self.current(target)
        if version is None:
            return target
        _require_unchanged(version)
        return version.location

    def load(self, target: str) -> Any:
        """
        Return what is in use: the object of a ``module:attr``, the path of a file, or an address.

        Raises:
            StoreError: What stands there is no longer what was promoted.
            PolicyError: It cannot be imported.
        """
        place = self.resolve(target)
        if is_address(place):
            return place
        return load(place) if attribute_of(place) else Path(place)


def resolve(book: str | PathLike[str], target: str) -> str:
    """Return where the version of a target in use stands; see `VersionRegistry.resolve`."""
    return VersionRegistry(book).resolve(target)


def _is_fixed_by_nothing(connection: sqlite3.Connection, gap: str) -> bool:
    """Return whether a gap is still marked fixed; it may be merged or rejected since."""
    is_fixed = state_of_gap(connection, gap) is GapState.FIXED
    return is_fixed and not is_covered(connection, gap)


# What has to hold --------------------------------------------------------------------------------


def _require_promotable(connection: sqlite3.Connection, version: Version, reason: str) -> None:
    """Refuse what no reason can override."""
    if not reason.strip():
        raise StoreError(f"flywheel: {name_of(version)} needs a reason to be promoted; say why")
    if version.state is VersionState.CURRENT:
        raise StoreError(f"flywheel: {name_of(version)} is in use already")
    if version.gap:
        state = state_of_gap(connection, version.gap)
        if state not in (GapState.ACCEPTED, GapState.FIXED):
            hint = "accept it with `abs-shield flywheel curate` first"
            raise StoreError(f"flywheel: gap `{escaped(version.gap)}` is {state}; {hint}")
    _require_unchanged(version)


def _objections(connection: sqlite3.Connection, version: Version) -> Iterator[str]:
    """Yield why a version is not to be promoted, each in one line."""
    outcome = version.evaluation.get("outcome", "not evaluated")
    if outcome != Recommendation.PROMOTE:
        yield escaped(str(outcome))
    elif version.hash not in _hashes(version.evaluation, "candidate"):
        yield f"its evaluation is not of {escaped(version.location, limit=300)}"
    elif (used := _hash_in_use(connection, version.target)) and used not in _hashes(
        version.evaluation, "present"
    ):
        yield "its evaluation compares it with another version than the one in use"
    for one in read_versions(connection):
        same = one.hash == version.hash and one.target == version.target
        if same and one.state is VersionState.ROLLED_BACK:
            yield f"version {one.number}, which is the same, was rolled back: {one.reason}"


def _hashes(evaluation: Mapping[str, Any], name: str) -> list[str]:
    return [*evaluation.get(name, {}).values()]


def _hash_in_use(connection: sqlite3.Connection, target: str) -> str:
    """Return the hash of what a target stands for now; empty where that is a name alone."""
    version = current_version(connection, target)
    return _original_hash(target) if version is None else version.hash


def _original_hash(target: str) -> str:
    with suppress(StoreError):
        return hash_at(target)
    return ""


def _require_unchanged(version: Version) -> None:
    if hash_at(version.location) != version.hash:
        raise StoreError(
            f"flywheel: {escaped(version.location, limit=300)} is no longer version"
            f" {version.number} of `{escaped(version.target)}`; restore it, or add it anew"
        )


def _require_loadable(location: str) -> None:
    if attribute_of(location):
        try:
            load(location)
        except ShieldError as error:
            raise StoreError(f"flywheel: {escaped(str(error), limit=500)}") from None


def _usable(connection: sqlite3.Connection, version: str) -> Version:
    """Return a version that a rollback goes back to, if it can still be used."""
    found = read_version(connection, version)
    try:
        _require_unchanged(found)
        _require_loadable(found.location)
    except StoreError as error:
        raise StoreError(
            f"{error}; version {found.number} cannot be used again: restore it, or promote another"
        ) from None
    return found


def _require_original(first: Promotion) -> None:
    """Refuse to go back to what was there before the first version, if that is gone."""
    if not first.original:
        return
    try:
        hash_at(first.target)
        _require_loadable(first.target)
    except StoreError as error:
        hint = "what was in use before the first version is gone: restore it, or promote another"
        raise StoreError(f"{error}; {hint}") from None


# What is written ---------------------------------------------------------------------------------


def _put_in_use(connection: sqlite3.Connection, version: Version, reason: str, by: str) -> Version:
    parent = current_version(connection, version.target)
    original = "" if parent is not None else _original_hash(version.target)
    if parent is not None:
        retired = replace(parent, state=VersionState.RETIRED)
        write_version(connection, decided(retired, "retired", by, f"version {version.number}"))
    promoted = decided(
        replace(version, state=VersionState.CURRENT), "promoted", by, reason,
        predecessor="" if parent is None else parent.id,
    )  # fmt: skip
    write_version(connection, promoted)
    begin(connection, version.target, version.id, at=promoted.events[-1].at, original=original)
    if version.gap:
        mark_gap(connection, version.gap, GapState.FIXED)
    return promoted


def _reason(reason: str, override: str, objections: list[str]) -> str:
    return f"{reason}; override: {override} ({'; '.join(objections)})" if objections else reason
