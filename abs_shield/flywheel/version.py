"""One version of a target: its place, what it was made from, and what was decided about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class VersionState(StrEnum):
    """Where a version stands."""

    CANDIDATE = "candidate"
    CURRENT = "current"
    RETIRED = "retired"
    ROLLED_BACK = "rolled back"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """
    A decision about a version.

    Attributes:
        at: Seconds since the epoch, UTC.
        what: What was done: added, promoted, retired, rolled back, in use again.
        by: Who decided.
        reason: Why.
        predecessor: Of a promotion, the id of the version that it took the place of; empty where
            that is what was there before the first one.
    """

    at: float
    what: str
    by: str
    reason: str
    predecessor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """
    A version as it is added.

    Attributes:
        target: What it is a version of: any name, or the ``module:attr`` or file in use before.
        location: Where it stands: a file, a folder, ``module:attr``, ``file.py:attr`` or the
            address of an endpoint.
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
        parent: Id of the version that was in use when this one was added; empty if none. It is
            older than this one, so parents lead to what was there before the first version.
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
