"""A policy as a version under test: its cases are recorded runs, its answers findings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from abs_shield.core import Verdict
from abs_shield.errors import ShieldError
from abs_shield.flywheel.candidate import Answers, Places
from abs_shield.flywheel.cases import TARGET, EvaluationCase, case_id, numbered_lines
from abs_shield.policy import Policy
from abs_shield.replay import BadLine, Firewalls, Toolsets, judge_run
from abs_shield.replay.run_reader import read_run
from abs_shield.text.safe_display import escaped

FINDING, CLEAN = "found", "clean"
"""Answers: whether any call of the run has a finding."""


@dataclass(frozen=True, slots=True)
class PolicyCandidate:
    """
    A version that is a policy, with all its rules and thresholds.

    Attributes:
        policy: The policy.
        places: Its location, such as ``module:attr``, by which `promote` recognises it.
    """

    policy: Policy
    places: Places = ()

    def __call__(self, cases: Sequence[EvaluationCase]) -> Answers:
        """
        Return ``found`` or ``clean`` for each case, whose prompt is a recorded run.

        Raises:
            ShieldError: A prompt is not a run.
        """
        firewalls = Firewalls(self.policy)
        return {case.id: _answer(case, firewalls) for case in cases}


def run_cases(
    text: str, *, part: str = TARGET, task: str = "", name: str = ""
) -> list[EvaluationCase]:
    """
    Return a case for each line of a run file; a failed run is expected to have a finding.

    Args:
        text: A run file with ``labels.success``, such as ``--as runs`` writes.
        part: Part of these cases.
        task: Their task.
        name: Name of the file, for the ids of runs without one.

    Raises:
        ShieldError: A run has no such label.
    """
    cases = []
    for number, line in numbered_lines(text):
        run, expected = _outcome(number, line, name)
        cases.append(EvaluationCase(id=run, prompt=line, expected=expected, part=part, task=task))
    return cases


def _outcome(number: int, line: str, name: str) -> tuple[str, str]:
    """Return the id of a run and the expected answer."""
    try:
        record: Any = json.loads(line)
        success = record["labels"]["success"]
        run = str(record.get("run_id", case_id(number, name)))
    except (ValueError, TypeError, KeyError, AttributeError):
        hint = "give a run with `labels.success`"
        raise ShieldError(f"cases: line {number} has no outcome; {hint}") from None
    return run, CLEAN if success is True else FINDING


def _answer(case: EvaluationCase, firewalls: Firewalls) -> str:
    run = read_run(case.id, 1, case.prompt.encode(), Toolsets())
    if isinstance(run, BadLine):
        raise ShieldError(f"candidate: case `{escaped(case.id)}` is not a run: {run.reason}")
    firewalls.forget()  # sessions of one case must not influence the next
    verdicts = {one.decision.verdict for one in judge_run(run, firewalls.of(run))}
    return FINDING if verdicts - {Verdict.CLEAN} else CLEAN
