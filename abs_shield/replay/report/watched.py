"""What one layer did on the calls of one tool, as the decision log tells it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from abs_shield.core import RAN, Coverage, Decision, Finding, Mode, Outcome, Verdict
from abs_shield.core.label import Truth
from abs_shield.replay.tally import Counts
from abs_shield.stats.wilson import wilson

OTHER_REASONS = "other reasons"
_REASONS = 8
LOOKED_AT = 5
"""Decisions named as the ones to look at first, at most."""


class Share(NamedTuple):
    """A share that was counted, with its Wilson interval of 95 %."""

    hits: int
    of: int

    @property
    def ends(self) -> tuple[float, float]:
        """The lower and the upper end, in [0, 1]."""
        lower, upper = wilson(self.hits, self.of)
        # where none or all of them are hits, that end is exact, and floats miss it by a hair
        return lower if self.hits else 0.0, upper if self.hits < self.of else 1.0

    def to_dict(self) -> dict[str, float | int | None]:
        """Give it as JSON-able data; the share of nothing is None."""
        lower, upper = self.ends
        share = self.hits / self.of if self.of else None
        return {"hits": self.hits, "of": self.of, "share": share, "lower": lower, "upper": upper}


@dataclass(slots=True)
class Watch(Counts):
    """
    Counts of one layer, with what operators said of the calls.

    Attributes:
        looked: Calls that it judged, failed to judge, or found something in nevertheless.
        found_blocks: Calls it would block because of what it found, not because it broke.
        true_flags: Flagged calls that are labelled hallucinated.
        false_flags: Flagged calls that are labelled ok.
        true_blocks: Those of `found_blocks` that are labelled hallucinated.
        false_blocks: Those of `found_blocks` that are labelled ok.
        missed: Calls labelled hallucinated that it judged without finding anything.
        missed_by_all: Those of them in which no other layer found anything either.
        findings: Its findings, those that do not weigh included.
        suppressed: Its findings that a suppression of the policy silences.
        uncounted: Its findings that the policy's threshold does not count.
        overrides: Calls it would have blocked, but a suppression or an approval let them through.
        held: Calls held because of it until somebody approves them.
        granted: Calls held because of it that somebody approved.
    """

    looked: int = 0
    found_blocks: int = 0
    true_flags: int = 0
    false_flags: int = 0
    true_blocks: int = 0
    false_blocks: int = 0
    missed: int = 0
    missed_by_all: int = 0
    findings: int = 0
    suppressed: int = 0
    uncounted: int = 0
    overrides: int = 0
    held: int = 0
    granted: int = 0

    @property
    def stops(self) -> Share:
        """The calls that it would block, among those that it looked at."""
        return Share(self.would_block, self.looked)

    @property
    def unproven_stops(self) -> Share:
        """The calls that its findings would block and nobody labelled hallucinated."""
        return Share(self.found_blocks - self.true_blocks, self.looked)

    @property
    def precision(self) -> Share:
        """The flagged calls that are labelled hallucinated, among those with a label."""
        return Share(self.true_flags, self.true_flags + self.false_flags)

    @property
    def block_precision(self) -> Share:
        """The same of the calls that its findings would block."""
        return Share(self.true_blocks, self.true_blocks + self.false_blocks)

    @property
    def coverage(self) -> Share:
        """The calls that it judged, among all it was asked about."""
        return Share(self.ran, self.calls)


class Case(NamedTuple):
    """One call as one layer sees it."""

    decision: Decision
    findings: list[Finding]
    coverage: Coverage
    blamed: bool
    truth: Truth | None

    @property
    def flagged(self) -> bool:
        """Whether a finding of the layer weighs."""
        return any(finding.weighs for finding in self.findings)

    @property
    def found_block(self) -> bool:
        """Whether strict mode would have blocked because of what the layer found."""
        return self.blamed and self.flagged

    @classmethod
    def of(cls, decision: Decision, layer: str, *, blamed: bool, truth: Truth | None) -> Case:
        """Give what concerns one layer."""
        findings = [f for f in decision.findings if f.check == layer]
        return cls(decision, findings, decision.coverage.get(layer, RAN), blamed, truth)


@dataclass(slots=True)
class Place:
    """
    One layer on one tool, or on several.

    Attributes:
        counts: What it did.
        reasons: Why it did not judge: outcome and reason to the number of calls.
        unlabelled: The newest calls its findings would block that have no label, by decision id.
        modes: The modes it was last seen in, one for each tool.
    """

    counts: Watch = field(default_factory=Watch)
    reasons: Counter[tuple[Outcome, str]] = field(default_factory=Counter)
    unlabelled: deque[str] = field(default_factory=lambda: deque(maxlen=LOOKED_AT))
    modes: set[Mode] = field(default_factory=set)
    _revision: str = ""
    _of_finding: bool = False

    def update(self, case: Case) -> None:
        """Count one call."""
        self.counts.calls += 1
        self._outcome(case.coverage)
        self._findings(case)
        self._labels(case)
        self._mode(case)

    def add(self, other: Place) -> None:
        """Add *other* to this one."""
        self.counts.add(other.counts)
        self.reasons.update(other.reasons)
        self.unlabelled.extend(other.unlabelled)
        self.modes |= other.modes

    @classmethod
    def sum(cls, places: Iterable[Place]) -> Place:
        """Give several as one."""
        total = cls()
        for place in places:
            total.add(place)
        return total

    def reason(self, outcome: Outcome) -> str:
        """Give the most frequent reason of an outcome; empty where there is none."""
        found = ((n, why) for (kind, why), n in self.reasons.items() if kind is outcome)
        return max(found, default=(0, ""))[1]

    def _outcome(self, coverage: Coverage) -> None:
        counts = self.counts
        if coverage.outcome is Outcome.RAN:
            counts.ran += 1
            return
        counts.unavailable += coverage.outcome is Outcome.UNAVAILABLE
        counts.errors += coverage.outcome is Outcome.ERROR
        key = (coverage.outcome, coverage.reason)
        if key not in self.reasons and len(self.reasons) >= _REASONS:
            key = (coverage.outcome, OTHER_REASONS)
        self.reasons[key] += 1

    def _findings(self, case: Case) -> None:
        counts, decision = self.counts, case.decision
        weighing = [f for f in case.findings if f.weighs]
        counts.looked += bool(
            weighing or case.blamed or case.coverage.outcome is not Outcome.UNAVAILABLE
        )
        counts.findings += len(case.findings)
        counts.suspicious += sum(f.verdict is Verdict.SUSPICIOUS for f in weighing)
        counts.hallucinated += sum(f.verdict is Verdict.HALLUCINATED for f in weighing)
        counts.flagged += bool(weighing)
        counts.would_block += case.blamed
        counts.found_blocks += case.found_block
        counts.suppressed += sum(f.suppressed for f in case.findings)
        counts.uncounted += sum(not f.counted for f in case.findings)
        granted = case.blamed and decision.approval == "granted"
        counts.granted += granted
        counts.held += case.blamed and decision.approval == "required"
        counts.overrides += granted or any(map(_let_through, case.findings))

    def _labels(self, case: Case) -> None:
        counts, flagged = self.counts, case.flagged
        if case.truth is None:
            if case.found_block:
                self.unlabelled.append(case.decision.id)
            return
        true = case.truth is Truth.HALLUCINATED
        counts.true_flags += flagged and true
        counts.false_flags += flagged and not true
        counts.true_blocks += case.found_block and true
        counts.false_blocks += case.found_block and not true
        missed = true and not flagged and case.coverage.outcome is Outcome.RAN
        counts.missed += missed
        counts.missed_by_all += missed and case.decision.verdict is Verdict.CLEAN

    def _mode(self, case: Case) -> None:
        """A finding tells the layer's own mode; a call without any only that of its tool."""
        decision = case.decision
        if decision.policy_revision != self._revision:
            self._revision, self._of_finding = decision.policy_revision, False
        if case.findings:
            self.modes, self._of_finding = {case.findings[-1].mode}, True
        elif not self._of_finding and not any(f.weighs for f in decision.findings):
            self.modes = {decision.mode}


def _let_through(finding: Finding) -> bool:
    """Whether a suppression alone keeps a finding from blocking."""
    return finding.suppressed and finding.counted and finding.verdict is Verdict.HALLUCINATED
