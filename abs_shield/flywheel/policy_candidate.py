"""A policy as a version under test: recorded runs are its cases, its findings its answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from abs_shield.core import Verdict
from abs_shield.errors import ShieldError
from abs_shield.flywheel.candidate import Answers
from abs_shield.flywheel.cases import TARGET, EvaluationCase
from abs_shield.flywheel.lines import numbered_lines
from abs_shield.policy import Policy
from abs_shield.replay import BadLine, Firewalls, Toolsets, judge_run
from abs_shield.replay.runs import read_run
from abs_shield.text.show import escaped

FOUND, CLEAN = "found", "clean"
"""Answers: a call of the run has a finding, or none has."""


@dataclass(frozen=True, slots=True)
class PolicyCandidate:
    """A version that is a policy, with all its rules and thresholds."""

    policy: Policy

    def __call__(self, cases: Sequence[EvaluationCase]) -> Answers:
        """
        Return ``found`` or ``clean`` for each case, whose prompt is a recorded run.

        Raises:
            ShieldError: A prompt is no run.
        """
        firewalls = Firewalls(self.policy)
        return {case.id: _answer(case, firewalls) for case in cases}


def run_cases(text: str, *, part: str = TARGET, task: str = "") -> list[EvaluationCase]:
    """
    Return a case for each line of a run file: of a run that went wrong something has to be found.

    Args:
        text: A run file with ``labels.success``, such as ``--as runs`` writes.
        part: Part of these cases.
        task: Their task.

    Raises:
        ShieldError: A run has no such label.
    """
    return [_case(n, line, part, task) for n, line in numbered_lines(text)]


def _case(number: int, line: str, part: str, task: str) -> EvaluationCase:
    try:
        record: Any = json.loads(line)
        success = record["labels"]["success"]
        name = str(record.get("run_id", number))
    except (ValueError, TypeError, KeyError, AttributeError):
        hint = "give a run with `labels.success`"
        raise ShieldError(f"cases: line {number} has no outcome; {hint}") from None
    expected = CLEAN if success is True else FOUND
    return EvaluationCase(id=name, prompt=line, expected=expected, part=part, task=task)


def _answer(case: EvaluationCase, firewalls: Firewalls) -> str:
    run = read_run(case.id, 1, case.prompt.encode(), Toolsets())
    if isinstance(run, BadLine):
        raise ShieldError(f"candidate: case `{escaped(case.id)}` is no run: {run.reason}")
    firewalls.forget()
    verdicts = {one.decision.verdict for one in judge_run(run, firewalls.of(run))}
    return FOUND if verdicts - {Verdict.CLEAN} else CLEAN
