"""Queue of decisions to label, ordered by how much a label helps enforcement."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from abs_shield.core import Decision, Mode
from abs_shield.core.label import Label, Truth
from abs_shield.policy.suppression import replace_positions
from abs_shield.report import LayerCounts, LayerReport, Readiness, Report
from abs_shield.report.report_rows import NO_TOOLS, cases_of

_MAX_WAITING = 20_000
"""Maximum number of decisions in memory, some 10 MB; the newest stay."""
_DECIDES, _BLOCKS, _FLAGS = range(3)
"""The value of a label: it brings a check nearer to enforcement, or only tells whether a block,
or a flag, is right."""


class LabelCandidate(NamedTuple):
    """
    A decision without a label.

    Attributes:
        at: Time of the decision, in seconds since the epoch.
        tool: Its row in the report: its tool, or the row of answers or outputs.
        checks: The checks that flag it.
        blocks: The checks that would block it in strict mode.
        repeats: Whether its session already has the same findings on the same tool.
    """

    decision_id: str
    at: float
    tool: str
    checks: tuple[str, ...]
    blocks: frozenset[str]
    repeats: bool


class LabelsNeeded(NamedTuple):
    """
    The labels that a check still needs on one tool, or on all tools if *tool* is empty.

    Attributes:
        labels: Number of further labels, all hallucinated, after which it may be enforced; None
            if no number is enough.
    """

    check: str
    tool: str
    labels: int | None


_Rank = tuple[int, int, int]


@dataclass(slots=True)
class LabelQueue:
    """
    The candidates of a log, and the effect of their labels on the report's counts.

    Candidates of checks that labels can make ready for enforcement come first, and of these the
    checks with the fewest labels. Repetitions within a session come last.

    Attributes:
        rule: The conditions for enforcing a check.
        check: The only check to consider; empty for all.
    """

    rule: Readiness
    check: str = ""
    _counts: dict[tuple[str, str], LayerCounts] = field(default_factory=dict)
    _enforced: set[tuple[str, str]] = field(default_factory=set)
    _waiting: deque[LabelCandidate] = field(default_factory=lambda: deque(maxlen=_MAX_WAITING))
    _labels: dict[str, Truth] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        decisions: Iterable[Decision],
        labels: Mapping[str, Label],
        *,
        rule: Readiness,
        check: str = "",
    ) -> Self:
        """
        Collect the unlabelled decisions, and count all decisions as the report does.

        Args:
            decisions: The decisions, oldest first: a store's ``scan()``.
            labels: The labels by decision id: a store's ``labels()``.
            rule: The conditions for enforcing a check.
            check: The only check to consider; empty for all.
        """
        queue, report = cls(rule=rule, check=check), Report()
        sessions: set[int] = set()
        for decision in decisions:
            label = labels.get(decision.id)
            report.update(decision, label)
            if candidate := _candidate(decision):
                candidate = candidate._replace(repeats=_repeats(decision, sessions))
                if label is None and (not check or check in candidate.checks):
                    queue._waiting.append(candidate)
        queue._count(report)
        return queue

    def checks(self) -> list[str]:
        """Return the checks in the log."""
        return list(dict.fromkeys(check for check, _ in self._counts))

    def pop(self) -> LabelCandidate | None:
        """Remove and return the most valuable candidate; None if the queue is empty."""
        if not self._waiting:
            return None
        # candidates share few ranks, and computing one takes long
        ranks: dict[tuple[str, str, bool], _Rank] = {}
        # searched anew each time, because every label changes the ranks
        best = min(self._waiting, key=lambda one: (self._rank(one, ranks), one.repeats, -one.at))
        self._waiting.remove(best)
        return best

    def put_back(self, candidate: LabelCandidate) -> None:
        """Return a candidate to the queue."""
        self._waiting.append(candidate)

    def label(self, candidate: LabelCandidate, truth: Truth) -> None:
        """Count a candidate's label, replacing an earlier one."""
        if (before := self._labels.get(candidate.decision_id)) is not None:
            self._add(candidate, before, -1)
        self._labels[candidate.decision_id] = truth
        self._add(candidate, truth, 1)

    def label_of(self, candidate: LabelCandidate) -> Truth | None:
        """Return the label that a candidate got from this queue; None without one."""
        return self._labels.get(candidate.decision_id)

    def needs(self, candidate: LabelCandidate) -> list[LabelsNeeded]:
        """Return the labels that the blocking checks of a candidate still need."""
        return [self._need(check, candidate.tool) for check in self._selected(candidate.blocks)]

    def open_needs(self) -> list[LabelsNeeded]:
        """Return the checks that labels can still make ready for enforcement."""
        checks = self._selected(self.checks())
        needs = [LabelsNeeded(check, "", self._missing_labels(check, "")) for check in checks]
        return [need for need in needs if need.labels]

    def counts(self, check: str) -> LayerCounts:
        """Return the counts of a check on all tools, the newest labels included."""
        return self._counts.get((check, ""), LayerCounts())

    def __len__(self) -> int:
        return len(self._waiting)

    def _count(self, report: Report) -> None:
        for check in report.columns():
            for row in {"", *report.rows()}:
                if not row or (row, check) in report:
                    place = report.place(check, row or None)
                    self._counts[check, row] = place.counts
                    if place.modes == {Mode.STRICT}:
                        self._enforced.add((check, row))

    def _selected(self, checks: Iterable[str]) -> list[str]:
        return sorted(check for check in checks if self.check in ("", check))

    def _rank(self, one: LabelCandidate, ranks: dict[tuple[str, str, bool], _Rank]) -> _Rank:
        best = []
        for check in self._selected(one.checks):
            key = check, one.tool, check in one.blocks
            if key not in ranks:
                ranks[key] = self._rank_of(*key)
            best.append(ranks[key])
        return min(best)

    def _rank_of(self, check: str, tool: str, blocks: bool) -> _Rank:
        labelled = self.counts(check).precision.of
        if not blocks:
            return _FLAGS, labelled, 0
        need = self._need(check, tool)
        if not need.labels:
            return _BLOCKS, labelled, 0
        return _DECIDES, self._counts[check, need.tool].block_precision.of, need.labels

    def _need(self, check: str, tool: str) -> LabelsNeeded:
        """Return the labels that a check needs overall, or on the tool if none are missing."""
        whole = self._missing_labels(check, "")
        apart = tool not in NO_TOOLS and (check, tool) in self._counts
        if whole != 0 or not apart or not self._has_objection(check, tool):
            return LabelsNeeded(check, "", whole)
        return LabelsNeeded(check, tool, self._missing_labels(check, tool))

    def _missing_labels(self, check: str, tool: str) -> int | None:
        """Return the number of missing labels; None if no number is enough."""
        if (check, tool) in self._enforced and not self._has_objection(check, tool):
            return 0
        return self.rule.labels_needed(self._counts[check, tool])

    def _has_objection(self, check: str, tool: str) -> bool:
        """Return whether an observation speaks against enforcing a check."""
        reasons = self.rule.reasons(LayerReport(counts=self._counts[check, tool]))
        return any(reason.is_evidence for reason in reasons)

    def _add(self, candidate: LabelCandidate, truth: Truth, count: int) -> None:
        for check in candidate.checks:
            for tool in {"", candidate.tool}:
                counts = self._counts.get((check, tool))
                if counts is None:
                    continue
                blocks = count * (check in candidate.blocks)
                if truth is Truth.HALLUCINATED:
                    counts.true_flags += count
                    counts.true_blocks += blocks
                else:
                    counts.false_flags += count
                    counts.false_blocks += blocks


def _candidate(decision: Decision) -> LabelCandidate | None:
    """Return a flagged decision as a candidate; None for any other."""
    cases = [(row, check, case) for row, check, case in cases_of(decision, None) if case.flagged]
    if not cases:
        return None
    return LabelCandidate(
        decision_id=decision.id,
        at=decision.at,
        tool=cases[0][0],
        checks=tuple(dict.fromkeys(check for _, check, _ in cases)),
        blocks=frozenset(check for _, check, case in cases if case.finding_blocks),
        repeats=False,
    )


def _repeats(decision: Decision, sessions: set[int]) -> bool:
    """Return whether the session already has such findings, and record them."""
    if not decision.session_id:
        return False
    weighing = [one for one in decision.findings if one.weighs]
    findings = tuple((one.check, one.code, replace_positions(one.where)) for one in weighing)
    # hashes instead of texts: a log may have millions of sessions, and a rare collision only delays
    # a question
    key = hash((decision.session_id, decision.subject, decision.tool, findings))
    repeated = key in sessions
    sessions.add(key)
    return repeated
