"""Versions of a target: location, origin and history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


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
