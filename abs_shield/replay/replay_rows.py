"""Convert judged calls to lines of the replay's output, and read such lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from abs_shield.core import Action, Coverage, Finding, Mode, Outcome, Verdict
from abs_shield.replay.run_judging import Judged

_FINDING = (
    "check", "code", "verdict", "strength", "where", "detail", "hint", "nearest", "mode",
    "counted", "suppressed",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The data of a line; the attributes are those of `Judged` and `Decision`."""

    run_id: str
    call_index: int
    call_id: str | None
    tool: str
    verdict: Verdict
    action: Action
    would_block: bool
    findings: tuple[Finding, ...] = ()
    coverage: Mapping[str, Coverage] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the line as JSON-able data."""
        return {
            "run_id": self.run_id,
            "call_index": self.call_index,
            "call_id": self.call_id,
            "tool": self.tool,
            "verdict": self.verdict,
            "action": self.action,
            "would_block": self.would_block,
            "findings": [{k: getattr(f, k) for k in _FINDING} for f in self.findings],
            "coverage": {
                layer: {"outcome": coverage.outcome, "reason": coverage.reason}
                for layer, coverage in self.coverage.items()
            },
        }


def row(judged: Judged) -> dict[str, Any]:
    """Return the line of one judged call as JSON-able data."""
    decision = judged.decision
    return Row(
        run_id=judged.run_id,
        call_index=judged.call_index,
        call_id=judged.call_id,
        tool=judged.call.name,
        verdict=decision.verdict,
        action=decision.action,
        would_block=decision.would_block,
        findings=decision.findings,
        coverage=decision.coverage,
    ).to_dict()


def read_row(record: Mapping[str, Any]) -> Row:
    """
    Read a line that `row` wrote.

    Raises:
        ValueError: A field is missing, or has an unknown value.
    """
    try:
        return Row(
            run_id=record["run_id"],
            call_index=record["call_index"],
            call_id=record["call_id"],
            tool=record["tool"],
            verdict=Verdict(record["verdict"]),
            action=Action(record["action"]),
            would_block=record["would_block"],
            findings=tuple(_finding(finding) for finding in record["findings"]),
            coverage={
                layer: Coverage(Outcome(entry["outcome"]), entry["reason"])
                for layer, entry in record["coverage"].items()
            },
        )
    # a line of another program may have any type
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a line of a replay: {type(error).__name__}: {error}") from None


def _finding(record: Mapping[str, Any]) -> Finding:
    fields = {name: record[name] for name in _FINDING}
    words = {"verdict": Verdict(record["verdict"]), "mode": Mode(record["mode"])}
    return Finding(**{**fields, **words})
