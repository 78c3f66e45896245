"""The report on one answer: the record that is stored for audit."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

VERSION = "1.0"

Status = Literal["grounded", "unsupported", "contradicted", "divergent", "unverified"]
ReportAction = Literal["emit", "revise", "block"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSpan:
    """
    One part of the evidence of a claim.

    Attributes:
        source: tool_result, user, system or allowlist.
        message: The piece of evidence, e.g. ``"result:3"`` or a document's id.
        pointer: JSON pointer into a tool result; empty if it is not JSON.
        start: Offset of the first character in the piece's text.
        end: Offset after the last character.
        text: The text between them.
    """

    source: str
    message: str
    pointer: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedClaim:
    """
    One claim of the answer.

    Attributes:
        text: The claim.
        evidence_spans: The evidence nearest to it, best first.
        score: P(grounded), in [0, 1]; None if no scorer could score it.
        critical: Whether it has a figure, a date, an id, a citation, a name or an action.
        status: grounded, unsupported, contradicted, divergent or unverified.
    """

    text: str
    evidence_spans: tuple[EvidenceSpan, ...]
    score: float | None
    critical: bool
    status: Status


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallValidation:
    """
    The decision of stage 1 about one call of the run.

    Attributes:
        tool: The tool as the model named it.
        args: Its arguments.
        status: accepted, flagged or rejected.
        errors: The reasons, one line each.
    """

    tool: str
    args: Any
    status: Literal["accepted", "flagged", "rejected"]
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HallucinationReport:
    """
    Per-claim scores, their evidence, and what to do with the answer.

    Attributes:
        run_id: The run's identifier.
        claims: Every claim of the answer, in its order.
        tool_call_validations: Every call of the run, with the decision of stage 1.
        consistency_probes: Every critical claim that was probed.
        overall_score: The gating score, in [0, 1]; None if there was nothing to score.
        action: emit, revise or block.
        version: The specification's version.
    """

    run_id: str
    claims: tuple[ReportedClaim, ...]
    tool_call_validations: tuple[ToolCallValidation, ...]
    consistency_probes: tuple[Any, ...]
    overall_score: float | None
    action: ReportAction
    version: str = VERSION

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-able data, as `REPORT_SCHEMA` describes it."""
        # through JSON, so that tuples become lists and objects text
        data: dict[str, Any] = json.loads(json.dumps(asdict(self), default=str))
        for probe in data["consistency_probes"]:
            probe.pop("not_run", None)  # it is among the Decision's notes
        return data


def _array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _closed_object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


_TEXT, _INTEGER = {"type": "string"}, {"type": "integer", "minimum": 0}
_SCORE = {"type": ["number", "null"], "minimum": 0, "maximum": 1}

REPORT_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "HallucinationReport",
    **_closed_object(
        run_id=_TEXT,
        claims=_array(
            _closed_object(
                text=_TEXT,
                evidence_spans=_array(
                    _closed_object(
                        source={"enum": ["tool_result", "user", "system", "allowlist"]},
                        message=_TEXT,
                        pointer=_TEXT,
                        start=_INTEGER,
                        end=_INTEGER,
                        text=_TEXT,
                    )
                ),
                score=_SCORE,
                critical={"type": "boolean"},
                status={
                    "enum": ["grounded", "unsupported", "contradicted", "divergent", "unverified"]
                },
            )
        ),
        tool_call_validations=_array(
            _closed_object(
                tool=_TEXT,
                args={},
                status={"enum": ["accepted", "flagged", "rejected"]},
                errors=_array(_TEXT),
            )
        ),
        consistency_probes=_array(
            _closed_object(
                claim=_TEXT,
                original=_TEXT,
                probe_answers=_array(_TEXT),
                agreement={"type": ["number", "null"], "minimum": 0, "maximum": 1},
            )
        ),
        overall_score=_SCORE,
        action={"enum": ["emit", "revise", "block"]},
        version={"const": VERSION},
    ),
}
"""The report as JSON Schema."""
