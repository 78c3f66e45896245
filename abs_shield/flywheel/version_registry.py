"""The registry of versions: promotion, rollback and history."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from abs_shield.core.fork_safety import new_id
from abs_shield.errors import ShieldError, StoreError
from abs_shield.flywheel.evaluate import Recommendation, require_evaluation
from abs_shield.flywheel.flywheel_database import database
from abs_shield.flywheel.gap import GapState, mark_gap, state_of_gap
from abs_shield.flywheel.version_artifact import absolute, attribute_of, hash_at, is_address
from abs_shield.flywheel.version_records import (
    Event,
    NewVersion,
    Promotion,
    Version,
    VersionState,
    current_version,
    describe_version,
    end_promotion,
    id_in_use,
    is_covered,
    read_version,
    read_versions,
    stack_of,
    start_promotion,
    with_event,
    write_version,
)
from abs_shield.policy.policy_loading import load
from abs_shield.text.safe_display import escaped

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
        Add a version; it is marked as rejected if its evaluation recommends that.

        Raises:
            StoreError: Its location cannot be loaded, the gap does not exist, or the evaluation is
                invalid.
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
            version = with_event(version, "added", by, reasons)
            if new.evaluation.get("outcome") == Recommendation.REJECT:
                version = replace(version, state=VersionState.REJECTED)
            write_version(connection, version)
        return version

    def promote(self, version: str, *, reason: str, by: str, override: str = "") -> Version:
        """
        Put a version in use in place of the current one, and mark its gap as fixed.

        Its evaluation must recommend ``promote``, be of the content at its location, and compare
        it with the version in use; and the same content must not have been rolled back before.

        Args:
            version: Its id.
            reason: The reason.
            by: The person who decides.
            override: The reason to promote it although one of these conditions fails; recorded.

        Raises:
            StoreError: The version does not exist, a condition fails, it is already in use, the
                reason is empty, its gap is not accepted, or the content at its location has
                changed.
        """
        with database(self._book) as connection:
            promoted = read_version(connection, version)
            _require_promotable(connection, promoted, reason)
            # all of them, because an override has to know what it overrides
            objections = [*_objections(connection, promoted)]
            if objections and not override.strip():
                hint = "evaluate it again, or override with a reason"
                why = "; ".join(objections)
                raise StoreError(
                    f"flywheel: {describe_version(promoted)} is not promoted: {why}; {hint}"
                )
            return _put_in_use(connection, promoted, _reason(reason, override, objections), by)

    def rollback(self, target: str, *, reason: str, by: str) -> Version | None:
        """
        Roll back the version in use to the one before it.

        Its gap is reopened, unless another version in use covers it.

        Args:
            target: The target.
            reason: The reason, which is stored with the version.
            by: The person who decides.

        Returns:
            The version in use now; None for the original.

        Raises:
            StoreError: No version is in use, the reason is empty, or the earlier version cannot be
                used.
        """
        if not reason.strip():
            raise StoreError("flywheel: a rollback needs a reason; say what went wrong")
        with database(self._book) as connection:
            *before, top = stack_of(connection, target)
            current = read_version(connection, top.version)
            # before anything is written: a rollback to a version that is gone would leave none in
            # use
            parent = _require_usable(connection, before[-1].version) if before else None
            if parent is None:
                _require_original(top)
            end_promotion(connection, top, at=time.time())
            back = replace(current, state=VersionState.ROLLED_BACK)
            write_version(connection, with_event(back, "rolled back", by, reason))
            if parent is not None:
                parent = replace(parent, state=VersionState.CURRENT)
                why = f"version {current.number} was rolled back: {reason}"
                parent = with_event(parent, "in use again", by, why)
                write_version(connection, parent)
            if current.gap and _is_no_longer_fixed(connection, current.gap):
                mark_gap(connection, current.gap, GapState.OPEN)
        return parent

    def current(self, target: str) -> Version | None:
        """Return the version in use; None if none was promoted."""
        with database(self._book) as connection:
            return current_version(connection, target)

    def versions(self, target: str | None = None) -> list[Version]:
        """Return the versions of a target, or of all targets, oldest first."""
        with database(self._book) as connection:
            versions = [*read_versions(connection)]
        return [one for one in versions if target in (None, one.target)]

    def resolve(self, target: str) -> str:
        """
        Return the location of the version in use; the target itself if none was promoted.

        Raises:
            StoreError: The flywheel's file is missing, or the promoted content has changed.
        """
        version = self.current(target)
        if version is None:
            return target
        _require_unchanged(version)
        return version.location

    def load(self, target: str) -> Any:
        """
        Load the version in use: the object of a ``module:attr``, the path of a file, or an address.

        Raises:
            StoreError: The promoted content has changed.
            PolicyError: It cannot be imported.
        """
        place = self.resolve(target)
        if is_address(place):
            return place
        return load(place) if attribute_of(place) else Path(place)


def resolve(book: str | PathLike[str], target: str) -> str:
    """Return the location of a target's version in use; see `VersionRegistry.resolve`."""
    return VersionRegistry(book).resolve(target)


def _is_no_longer_fixed(connection: sqlite3.Connection, gap: str) -> bool:
    """Return whether a gap is marked as fixed, but no version in use covers it."""
    is_fixed = state_of_gap(connection, gap) is GapState.FIXED
    return is_fixed and not is_covered(connection, gap)


# Preconditions -----------------------------------------------------------------------------------


def _require_promotable(connection: sqlite3.Connection, version: Version, reason: str) -> None:
    """Raise StoreError for a condition that cannot be overridden."""
    if not reason.strip():
        raise StoreError(
            f"flywheel: {describe_version(version)} needs a reason to be promoted; say why"
        )
    if version.state is VersionState.CURRENT:
        raise StoreError(f"flywheel: {describe_version(version)} is in use already")
    if version.gap:
        state = state_of_gap(connection, version.gap)
        if state not in (GapState.ACCEPTED, GapState.FIXED):
            hint = "accept it with `abs-shield flywheel curate` first"
            raise StoreError(f"flywheel: gap `{escaped(version.gap)}` is {state}; {hint}")
    _require_unchanged(version)


def _objections(connection: sqlite3.Connection, version: Version) -> Iterator[str]:
    """Yield the objections to a promotion, each in one line."""
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
        # by its content: the same file under a new number fails in the same way
        if same and one.state is VersionState.ROLLED_BACK:
            yield f"version {one.number}, which is the same, was rolled back: {one.reason}"


def _hashes(evaluation: Mapping[str, Any], name: str) -> list[str]:
    return [*evaluation.get(name, {}).values()]


def _hash_in_use(connection: sqlite3.Connection, target: str) -> str:
    """Return the hash of the content in use; empty if the target is only a name."""
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


def _require_usable(connection: sqlite3.Connection, version: str) -> Version:
    """Return a version to roll back to; raise StoreError if it can no longer be used."""
    restored = read_version(connection, version)
    try:
        _require_unchanged(restored)
        _require_loadable(restored.location)
    except StoreError as error:
        raise StoreError(
            f"{error}; version {restored.number} cannot be used again: restore it, or promote"
            " another"
        ) from None
    return restored


def _require_original(first: Promotion) -> None:
    """Raise StoreError if the original no longer exists."""
    if not first.original:
        return
    try:
        hash_at(first.target)
        _require_loadable(first.target)
    except StoreError as error:
        hint = "what was in use before the first version is gone: restore it, or promote another"
        raise StoreError(f"{error}; {hint}") from None


# Writing -----------------------------------------------------------------------------------------


def _put_in_use(connection: sqlite3.Connection, version: Version, reason: str, by: str) -> Version:
    parent = current_version(connection, version.target)
    original = "" if parent is not None else _original_hash(version.target)
    if parent is not None:
        retired = replace(parent, state=VersionState.RETIRED)
        write_version(connection, with_event(retired, "retired", by, f"version {version.number}"))
    promoted = with_event(
        replace(version, state=VersionState.CURRENT), "promoted", by, reason,
        predecessor="" if parent is None else parent.id,
    )  # fmt: skip
    write_version(connection, promoted)
    start_promotion(
        connection, version.target, version.id, at=promoted.events[-1].at, original=original
    )
    if version.gap:
        mark_gap(connection, version.gap, GapState.FIXED)
    return promoted


def _reason(reason: str, override: str, objections: list[str]) -> str:
    return f"{reason}; override: {override} ({'; '.join(objections)})" if objections else reason
