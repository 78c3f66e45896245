"""One catch: a finding of the decision log as the flywheel keeps it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from abs_shield.flywheel.database import restored


@dataclass(frozen=True, slots=True, kw_only=True)
class Catch:
    """
    One finding of a decision, with what was really the case as far as it is known.

    Attributes:
        timestamp: When it was found, ISO 8601 in UTC: ``2026-04-05T14:23:00Z``.
        agent_id: The agent; empty where the log names none.
        task_type: The kind of task; the tool of a call or a result.
        claim: What was claimed, as far as the log kept it: a tool's name, a value, a field.
        detected_error: What was wrong with it, in words: ``Entity mismatch``.
        verified_value: What is right instead, as a fact or the evidence has it; empty where that
            is not known.
        confidence: How sure the finding is, in [0, 1].
        priority: ``high``, ``medium`` or ``low``; see `abs_shield.flywheel.priority`.
        decision_id: The decision that holds the finding.
        check: The layer, signal or stage that found it.
        code: Stable word for the kind of fault.
        tool: The tool; empty of answers and outputs.
        model: The model; empty where the log names none.
        where: Where it stood: a JSON pointer.
        subject: ``call``, ``result``, ``answer`` or ``output``.
        label: ``hallucinated`` or ``ok`` where somebody labelled the decision; else empty.
        place: Which finding of its decision it is, from 0.
        about: The subject matter: a tool and its field, an attribute, or the words of the finding.
        detail: The finding in one line.
        session_id: The session of the decision.
        verdict: The finding's verdict: ``SUSPICIOUS`` or ``HALLUCINATED``.
        weighs: Whether the finding changed the decision's verdict: it was counted, and no
            suppression of the policy silenced it.
        blocked: Whether strict mode blocks the decision.
        suggested_value: What may have been meant: the nearest value that is allowed or known. It
            is a guess by spelling, and no right answer unless a person confirms it.
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
        True where it counts as a fault of the model.

        A false alarm (label ``ok``) does not, and neither does a finding that the policy itself
        does not count, unless somebody labelled its decision ``hallucinated``.
        """
        return self.label != "ok" and (self.weighs or self.label == "hallucinated")

    def to_dict(self) -> dict[str, Any]:
        """Return the catch as JSON-able data, the seed's eight fields first."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the catch as one line of JSON in ASCII; `from_json` reads it back."""
        return json.dumps({name: getattr(self, name) for name in _FIELDS})

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Catch:
        """Return the catch that `to_dict` wrote."""
        return cls(**record)

    @classmethod
    def from_json(cls, text: str) -> Catch:
        """
        Return the catch that `to_json` wrote.

        Raises:
            StoreError: It is damaged.
        """
        return restored(text, cls.from_dict, "a catch")


_FIELDS = tuple(Catch.__dataclass_fields__)
