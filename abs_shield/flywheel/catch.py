"""One catch: a finding of the decision log as the flywheel keeps it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


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
        verified_value: What is right instead; empty where it is not known.
        confidence: How sure the finding is, in [0, 1].
        priority: ``high``, ``medium`` or ``low``.
        decision_id: The decision that holds the finding.
        check: The layer, signal or stage that found it.
        code: Stable word for the kind of fault.
        tool: The tool; empty of answers and outputs.
        model: The model; empty where the log names none.
        where: Where it stood: a JSON pointer.
        subject: ``call``, ``result``, ``answer`` or ``output``.
        label: ``hallucinated`` or ``ok`` where somebody labelled the decision; else empty.
        place: Which finding of its decision it is, from 0.
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

    @property
    def id(self) -> str:
        """Unique id of the catch."""
        return f"{self.decision_id}/{self.place}"

    def to_dict(self) -> dict[str, Any]:
        """Return the catch as JSON-able data, the seed's eight fields first."""
        return asdict(self)
