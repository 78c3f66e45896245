"""Labelled final answers of agent runs, written by hand: one readable file a domain."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abs_shield.core.events import MessageText, Proposed, Returned, ToolCall
from abs_shield.session import Session
from abs_shield.session.session_record import record_of

FOLDER = Path(__file__).parent / "answer_runs"
CASES = FOLDER / "cases"
"""Runs for single rules, which are no sample: their rates say nothing about answers in general."""
KINDS = (
    "swapped_rows other_entity misreported_status negation_flipped wrong_count wrong_title_name "
    "wrong_sum wrong_unit wrong_date invented_detail deed_without_call deed_after_failure "
    "stale_value over_generalised wrong_currency rounded_too_far swapped_direction future_as_done "
    "condition_dropped invented_policy"
).split()
_SPEAKERS = ("system", "user", "assistant")
Step = Sequence[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledRun:
    """
    One run with its final answer.

    Attributes:
        id: The run's id: that of its steps, and the label.
        steps_id: The id of its steps, which an honest and an erroneous answer share.
        domain: The name of its file.
        held_out: Whether it is for checking only, never to fit a rule or a threshold on.
        language: ISO 639-1 code of the answer's language.
        steps: What came before the answer: ``["user", text]``, ``["call", tool, arguments]``,
            ``["result", value]`` or ``["error", value]`` of the call before.
        answer: The final answer.
        honest: Whether the steps support all of it.
        kind: The kind of its error, one of `KINDS`; empty where it is honest.
        span: The part of the answer that is wrong.
        truth: What would be right.
        derived: Figure of an honest answer that no step has, to the formula that yields it.
    """

    id: str
    steps_id: str
    domain: str
    held_out: bool
    language: str
    steps: Sequence[Step]
    answer: str
    honest: bool
    kind: str = ""
    span: str = ""
    truth: str = ""
    derived: Mapping[str, str]

    @property
    def derives(self) -> bool:
        """Return whether a figure of the answer, weekdays aside, has to be computed or rounded."""
        return any("weekday(" not in formula for formula in self.derived.values())

    def session(self) -> Session:
        """Return a session that has seen the steps."""
        session, call = Session(), None
        for number, (kind, *rest) in enumerate(self.steps):
            if kind in _SPEAKERS:
                record_of(session).record_event(MessageText(kind, rest[0]))
            elif kind == "call":
                call = ToolCall(name=rest[0], arguments=rest[1], id=f"call_{number}")
                record_of(session).record_event(Proposed((call,)))
            elif call is None:
                raise ValueError(f"{self.id}: a result before any call")
            else:
                event = Returned(call.name, rest[0], call.id, error=kind == "error")
                record_of(session).record_event(event)
        return session


def load(folder: Path = FOLDER) -> list[LabelledRun]:
    """Read every domain of *folder*; two runs for each list of steps, an honest one first."""
    return [run for path in sorted(folder.glob("*.json")) for run in _domain(path)]


def _domain(path: Path) -> list[LabelledRun]:
    content = json.loads(path.read_text("utf-8"))
    return [_run(content, steps, label) for steps in content["runs"] for label in _LABELS]


_LABELS = ("honest", "wrong")


def _run(content: Mapping[str, Any], steps: Mapping[str, Any], label: str) -> LabelledRun:
    row = steps[label]
    text = row["text"]
    return LabelledRun(
        id=f"{steps['id']}-{label}",
        steps_id=steps["id"],
        domain=content["domain"],
        held_out=content["held_out"],
        language=steps["language"],
        steps=steps["steps"],
        answer=text if isinstance(text, str) else "\n".join(text),
        honest=label == "honest",
        kind=row.get("kind", ""),
        span=row.get("span", ""),
        truth=row.get("truth", ""),
        derived=row.get("derived", {}),
    )
