"""Count the planted faults that a policy finds, and the right calls that it flags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from abs_shield.backtest.policy_side import Ruled, Side
from abs_shield.backtest.precision_recall import Proportion
from abs_shield.replay.planted_cases import (
    Expect,
    Operation,
    PlantedCase,
    before_call,
    gist,
    pointing_at,
    set_aside,
    with_call,
)
from abs_shield.replay.run_reader import Run

PLANTED, DETECTED, BLOCKED = "planted", "detected", "blocked"
_RIGHT = ("right calls", str(Expect.CLEAN))


class PlantedRow(NamedTuple):
    """
    One kind of planted case under one policy, or the right calls of the runs.

    Attributes:
        kind: The kind, as named in the cases.
        expect: ``flag``, ``clean``, or ``info`` if provenance cannot decide.
        detected: Share of cases in which the expected layer has a finding that weighs at the
            planted argument; for right calls, share that any layer flags.
        blocked: Share that the policy blocks, for any finding.
    """

    kind: str
    expect: str
    detected: Proportion
    blocked: Proportion


@dataclass(slots=True)
class PlantedFigures:
    """
    Counts of one policy; picklable, and can be merged.

    Attributes:
        unfit: Cases whose call does not exist in the run.
    """

    unfit: int = 0
    _counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def right(self, ruled: Ruled) -> None:
        """Count a right call."""
        self._count(_RIGHT, detected=ruled.flagged, blocked=ruled.ruling.blocked)

    def case(self, case: PlantedCase, ruled: Ruled, usual: Sequence[object]) -> None:
        """Count a planted case."""
        # a finding that the recorded call has as well is not about the fault
        findings = pointing_at(case, ruled.ruling.findings, usual=usual)
        key = (case["kind"], case["expect"])
        self._count(key, detected=bool(findings), blocked=ruled.ruling.blocked)

    def merge(self, later: PlantedFigures) -> None:
        """Add the counts of another part."""
        self.unfit += later.unfit
        self._counts.update(later._counts)

    def rows(self) -> Iterator[PlantedRow]:
        """Yield the kinds, by expectation and name, with the right calls at the end."""
        keys = dict.fromkeys((kind, expect) for kind, expect, _ in self._counts)
        order = [str(Expect.FLAG), str(Expect.CLEAN), str(Expect.INFO)]
        # right calls last, as they are the counterpart of all kinds
        for key in sorted(keys, key=lambda key: (key == _RIGHT, order.index(key[1]), key[0])):
            total = self._counts[*key, PLANTED]
            yield PlantedRow(
                *key,
                detected=Proportion(self._counts[*key, DETECTED], total),
                blocked=Proportion(self._counts[*key, BLOCKED], total),
            )

    @property
    def count(self) -> int:
        """The number of cases that were judged."""
        return sum(row.detected.of for row in self.rows() if (row.kind, row.expect) != _RIGHT)

    def _count(self, key: tuple[str, str], *, detected: bool, blocked: bool) -> None:
        self._counts[*key, PLANTED] += 1
        self._counts[*key, DETECTED] += detected
        self._counts[*key, BLOCKED] += blocked


class PlantedRun:
    """
    The planted cases of one run, judged after its recorded calls.

    Args:
        run: The run, which must not share a session.
        cases: The cases planted in it.
    """

    def __init__(self, run: Run, cases: Sequence[PlantedCase]) -> None:
        self._run = run
        self._cases = cases
        self._wanted = {case["call_index"] for case in cases}
        self._usual: dict[tuple[int, int], tuple[object, ...]] = {}
        self._aside = set_aside(run)
        self._calls = 0

    def record(self, ruled: Sequence[Ruled], into: Sequence[PlantedFigures]) -> None:
        """Record the next recorded call, as each side ruled on it."""
        index = self._calls
        self._calls += 1
        right = index not in self._aside  # calls that are set aside are neither right nor planted
        for side, (one, figures) in enumerate(zip(ruled, into, strict=True)):
            if right:
                figures.right(one)
            if index in self._wanted:
                self._usual[side, index] = tuple(map(gist, one.judged.decision.findings))

    def judge(self, sides: Sequence[Side], into: Sequence[PlantedFigures]) -> None:
        """Judge every planted case by each side."""
        for case in self._cases:
            index = case["call_index"]
            if index >= self._calls:
                for figures in into:
                    figures.unfit += 1
                continue
            # after a call, the recorded findings belong to another call
            after = case["op"] == Operation.INSERT_AFTER
            before = before_call(self._run, index, after=after)
            planted = with_call(self._run, before, case["mutated_call"])
            for place, (side, figures) in enumerate(zip(sides, into, strict=True)):
                *_, last = side.ruled(planted)
                usual = () if after else self._usual[place, index]
                figures.case(case, last, usual)
