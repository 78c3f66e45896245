"""Catches: findings of the decision log, as stored by the flywheel."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from abs_shield.flywheel.flywheel_database import parse_row


@dataclass(frozen=True, slots=True, kw_only=True)
class Catch:
    """
    One finding of a decision, with the right value if it is known.

    Attributes:
        timestamp: The time of the decision, ISO 8601 in UTC: ``2026-04-05T14:23:00Z``.
        agent_id: The agent; empty if unknown.
        task_type: The kind of task; the tool of a call or a result.
        claim: The claim, as far as the log has it: a tool's name, a value, a field.
        detected_error: The error in words: ``Entity mismatch``.
        verified_value: The right value according to a fact or the evidence; empty if unknown.
        confidence: The strength of the finding, in [0, 1].
        priority: ``high``, ``medium`` or ``low``; see `abs_shield.flywheel.gap_severity`.
        decision_id: The decision that holds the finding.
        check: The layer, signal or stage that found it.
        code: Stable word for the kind of fault.
        tool: The tool; empty for answers and outputs.
        model: The model; empty if unknown.
        where: The JSON pointer of the finding.
        subject: ``call``, ``result``, ``answer`` or ``output``.
        label: ``hallucinated`` or ``ok`` if the decision is labelled; else empty.
        place: The index of the finding in its decision, from 0.
        about: The subject matter: a tool and its field, an attribute, or the words of the finding.
        detail: The finding in one line.
        session_id: The session of the decision.
        verdict: The finding's verdict: ``SUSPICIOUS`` or ``HALLUCINATED``.
        weighs: Whether the finding affected the decision's verdict: it was counted and not
            suppressed.
        blocked: Whether strict mode blocks the decision.
        suggested_value: The allowed or known value with the nearest spelling; a guess, and only a
            right answer if a person confirms it.
    """

    timestamp: str
    agent_id: str
    task_type: str
    claim: str
    detected_error: str
    verified_value: str
    confidence: float
    priority: str
    decision_id: str
    check: str
    code: str
    tool: str
    model: str
    where: str
    subject: str
    label: str = ""
    place: int = 0
    about: str = ""
    detail: str = ""
    session_id: str = ""
    verdict: str = ""
    weighs: bool = True
    blocked: bool = False
    suggested_value: str = ""

    @property
    def id(self) -> str:
        """Unique id of the catch."""
        return f"{self.decision_id}/{self.place}"

    @property
    def is_gap(self) -> bool:
        """
        True if it counts as an error of the model.

        A false alarm (label ``ok``) does not count, and neither does a finding that the policy
        does not count, unless its decision is labelled ``hallucinated``.
        """
        return self.label != "ok" and (self.weighs or self.label == "hallucinated")

    def to_dict(self) -> dict[str, Any]:
        """Return the catch as JSON-able data, the seed's eight fields first."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the catch as one line of ASCII JSON; the inverse of `from_json`."""
        # not `asdict`, which copies every value deeply and is slower by far
        return json.dumps({name: getattr(self, name) for name in _FIELDS})

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Catch:
        """Return the catch from the data of `to_dict`."""
        return cls(**record)

    @classmethod
    def from_json(cls, text: str) -> Catch:
        """
        Return the catch from the JSON of `to_json`.

        Raises:
            StoreError: The JSON is damaged.
        """
        return parse_row(text, cls.from_dict, "a catch")


_FIELDS = tuple(Catch.__dataclass_fields__)
