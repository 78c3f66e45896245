"""A gap: catches that have one cause, how often they come, and what somebody decided about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class GapState(StrEnum):
    """Where a gap stands."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    MERGED = "merged"
    FIXED = "fixed"


class Scope(StrEnum):
    """How far a gap reaches."""

    UNKNOWN = "unknown"
    TASK_SPECIFIC = "task-specific"
    GENERAL = "general"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """
    Catches that have one cause.

    Attributes:
        id: Stable id, from what its catches have in common.
        title: What goes wrong, in one line.
        check: The check that found them.
        code: The kind of fault.
        tier: 1 (high impact and frequent), 2 or 3.
        count: How many catches it has.
        decisions: How many decisions of the same kind there were in the same time.
        rate: Share of those decisions that have such a catch, in [0, 1].
        low: Lower end of its 95 % interval.
        high: Upper end.
        agents: Agents with such catches, and how many each has.
        task_types: Task types, likewise.
        models: Models, likewise.
        examples: Ids of some of its catches.
        first: Timestamp of the first one.
        last: Timestamp of the newest one.
        state: Where it stands.
        into: The gap that it was merged into; empty where it was not.
        affected: How many decisions have such a catch.
        sessions: How many sessions have one.
        impact: Estimated impact of one catch, in [0, 1]; the mean of their priorities.
        systematic: Whether it happens repeatedly: in several decisions of several sessions.
        scope: Whether it affects several agents.
        subject: ``call``, ``result``, ``answer`` or ``output``.
        off: Of wrong figures, the smallest and the largest deviation from the right one, as shares
            of it; empty of other gaps.
        right_answer: What is right instead, as the person who accepted the gap wrote it; empty
            where nobody did.
    """

    id: str
    title: str
    check: str
    code: str
    tier: int
    count: int
    decisions: int
    rate: float
    low: float
    high: float
    agents: Mapping[str, int] = field(default_factory=dict)
    task_types: Mapping[str, int] = field(default_factory=dict)
    models: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[str, ...] = ()
    first: str = ""
    last: str = ""
    state: GapState = GapState.OPEN
    into: str = ""
    affected: int = 0
    sessions: int = 0
    impact: float = 0.0
    systematic: bool = False
    scope: Scope = Scope.UNKNOWN
    subject: str = ""
    off: tuple[float, ...] = ()
    right_answer: str = ""

    @property
    def burden(self) -> float:
        """Frequency times impact: the expected impact of one decision of the same kind."""
        return self.rate * self.impact

    def to_dict(self) -> dict[str, Any]:
        """Return the gap as JSON-able data."""
        record = {name: getattr(self, name) for name in self.__dataclass_fields__}
        words = {"state": self.state.value, "scope": self.scope.value}
        return {**record, **words, "examples": list(self.examples), "off": list(self.off)}

    def to_json(self) -> str:
        """Return the gap as one line of JSON in ASCII."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Gap:
        """Return the gap that `to_dict` wrote."""
        words = {"state": GapState(record["state"]), "scope": Scope(record["scope"])}
        lists = {name: tuple(record[name]) for name in ("examples", "off")}
        return cls(**{**record, **words, **lists})
