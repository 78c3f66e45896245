"""The counts of one layer on the calls of one tool, from the decision log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from abs_shield.core import RAN, Coverage, Decision, Finding, Mode, Outcome, Verdict
from abs_shield.core.label import Truth
from abs_shield.policy.suppression import replace_positions
from abs_shield.report.layer_counts import LayerCounts, Observations, Share, add_counts

OTHER_REASONS = "other reasons"
_REASONS = 8  # texts of a table; further reasons are counted together
_KINDS = 50  # a schema may give as many kinds as it has fields
LOOKED_AT = 5
"""Maximum number of decisions that are listed to review first."""
SHOWN = 3
"""Maximum number of decisions that are listed for each kind of finding."""


class LayerCase(NamedTuple):
    """One decision from the view of one layer."""

    decision: Decision
    findings: list[Finding]
    coverage: Coverage
    blamed: bool
    truth: Truth | None

    @property
    def flagged(self) -> bool:
        """Return whether a finding of the layer weighs."""
        return any(finding.weighs for finding in self.findings)

    @property
    def finding_blocks(self) -> bool:
        """Return whether the layer's findings would block in strict mode."""
        return self.blamed and self.flagged

    @property
    def looked(self) -> bool:
        """Return whether the layer judged the call, failed to, or has a finding."""
        return self.coverage.outcome is not Outcome.UNAVAILABLE or self.flagged or self.blamed

    @property
    def observations(self) -> Observations:
        """Return the observations of each share for this decision."""
        # most calls have no finding: the shares are looked up
        if not (self.findings or self.blamed):
            return _WITHOUT_FINDING[self.coverage.outcome]
        labelled, true = self.truth is not None, self.truth is Truth.HALLUCINATED
        flagged, looked = self.flagged, self.looked
        blocks = self.blamed and flagged
        return (
            (True, self.coverage.outcome is Outcome.RAN),
            (looked, self.blamed),
            (looked, blocks and not true),
            (flagged and labelled, true),
            (blocks and labelled, true),
            (blocks, labelled),
            (looked, self.speaks),
        )

    @property
    def speaks(self) -> bool:
        """Return whether the layer has a finding that weighs, or failed."""
        return self.flagged or self.coverage.outcome is Outcome.ERROR

    @classmethod
    def whole(cls, decision: Decision, truth: Truth | None) -> LayerCase:
        """Return the whole decision as if one layer had made it."""
        findings = list(decision.findings)
        return cls(decision, findings, _coverage_of(decision), decision.would_block, truth)

    @classmethod
    def of(cls, decision: Decision, layer: str, *, blamed: bool, truth: Truth | None) -> LayerCase:
        """Return the part of a decision that concerns one layer."""
        findings = [f for f in decision.findings if f.check == layer]
        return cls(decision, findings, decision.coverage.get(layer, RAN), blamed, truth)


_NEVER = (False, False)
_WITHOUT_FINDING = {
    Outcome.RAN: ((True, True), *[(True, False)] * 2, *[_NEVER] * 3, (True, False)),
    Outcome.UNAVAILABLE: ((True, False), *[_NEVER] * 6),
    Outcome.ERROR: (*[(True, False)] * 3, *[_NEVER] * 3, (True, True)),
}
"""The observations of a call without a finding: nearly all calls."""


def _coverage_of(decision: Decision) -> Coverage:
    """Return the coverage of a whole decision: an error if that was its only outcome."""
    if decision.errors:
        return Coverage(Outcome.ERROR, decision.errors[0])
    outcomes = decision.coverage.values()
    if not outcomes or any(one.outcome is Outcome.RAN for one in outcomes):
        return RAN
    return next(iter(outcomes))


class FindingKind(NamedTuple):
    """A kind of finding: its code, its location with ``*`` for any position, and its verdict."""

    code: str
    where: str
    verdict: Verdict


@dataclass(slots=True)
class LayerReport:
    """
    One layer on one tool, or on several.

    Attributes:
        counts: The counts of the layer.
        reasons: Number of calls that it did not judge, by outcome and reason.
        unlabelled: The newest unlabelled calls that its findings would block: time and decision id.
        modes: Its latest modes, one for each tool.
        silenced: Number of suppressed findings by code and location; ``*`` is any position of a
            list.
        kinds: Number of calls by kind of finding that weighs.
        newest: The ids of the newest decisions with each kind.
    """

    counts: LayerCounts = field(default_factory=LayerCounts)
    reasons: Counter[tuple[Outcome, str]] = field(default_factory=Counter)
    unlabelled: list[tuple[float, str]] = field(default_factory=list)
    modes: set[Mode] = field(default_factory=set)
    silenced: Counter[tuple[str, str]] = field(default_factory=Counter)
    kinds: Counter[FindingKind] = field(default_factory=Counter)
    newest: dict[FindingKind, list[str]] = field(default_factory=dict)
    _revision: str = ""
    _of_finding: bool = False

    def update(self, case: LayerCase) -> None:
        """Count one call."""
        counts = self.counts
        counts.calls += 1
        counts.looked += case.looked
        counts.alerts += case.speaks
        self._outcome(case.coverage)
        if case.blamed:
            self._blocks(case)
        if case.findings:
            self._findings(case)
        if case.truth is not None:
            self._label(case, case.truth is Truth.HALLUCINATED)
        elif case.finding_blocks:
            self._keep([(case.decision.at, case.decision.id)])
        self._mode(case)

    def repeat(self, case: LayerCase, times: int) -> None:
        """Count a decision several times; it has no id, and its sessions are unknown."""
        one = LayerReport()
        one.update(case)
        add_counts(self, one, times=times, without=("counts",))
        self.counts.add(one.counts, times=times)
        for kind in one.newest:
            self.newest.setdefault(kind, [])
        self._mode(case)

    def add(self, other: LayerReport) -> None:
        """Add the counts of *other*."""
        add_counts(self, other, without=("counts",))
        self.counts.add(other.counts)
        self._keep(other.unlabelled)
        self.modes |= other.modes
        for kind, ids in other.newest.items():
            self.newest[kind] = [*self.newest.get(kind, ()), *ids][-SHOWN:]

    @classmethod
    def sum(cls, places: Iterable[LayerReport]) -> LayerReport:
        """Return the sum of several reports."""
        total = cls()
        for place in places:
            total.add(place)
        return total

    def reason(self, outcome: Outcome) -> str:
        """Return the most frequent reason of an outcome, or an empty text."""
        by_count = ((n, why) for (kind, why), n in self.reasons.items() if kind is outcome)
        return max(by_count, default=(0, ""))[1]

    def _keep(self, unlabelled: Iterable[tuple[float, str]]) -> None:
        # the newest: their data is most likely still there
        self.unlabelled = sorted([*self.unlabelled, *unlabelled])[-LOOKED_AT:]

    def _outcome(self, coverage: Coverage) -> None:
        counts = self.counts
        if coverage.outcome is Outcome.RAN:
            counts.ran += 1
            return
        counts.unavailable += coverage.outcome is Outcome.UNAVAILABLE
        counts.errors += coverage.outcome is Outcome.ERROR
        # without values, or each call would have a reason of its own
        key = (coverage.outcome, coverage.without_values().reason)
        if key not in self.reasons and len(self.reasons) >= _REASONS:
            key = (coverage.outcome, OTHER_REASONS)
        self.reasons[key] += 1

    def _blocks(self, case: LayerCase) -> None:
        counts, approval = self.counts, case.decision.approval
        counts.would_block += 1
        counts.found_blocks += case.finding_blocks
        counts.held += approval in ("required", "refused")
        counts.granted += approval == "granted"

    def _findings(self, case: LayerCase) -> None:
        counts, findings = self.counts, case.findings
        weighing = [finding for finding in findings if finding.weighs]
        counts.findings += len(findings)
        counts.suspicious += sum(f.verdict is Verdict.SUSPICIOUS for f in weighing)
        counts.hallucinated += sum(f.verdict is Verdict.HALLUCINATED for f in weighing)
        counts.flagged += bool(weighing)
        counts.runs_in_strict += bool(weighing) and not case.decision.would_block
        for finding in findings:
            if finding.suppressed:
                counts.suppressed += 1
                self._count_silenced(finding)
        counts.uncounted += sum(not f.counted for f in findings)
        self._add_kinds(case.decision, weighing)
        granted = case.blamed and case.decision.approval == "granted"
        counts.overrides += granted or any(map(_let_through, findings))

    def _add_kinds(self, decision: Decision, weighing: list[Finding]) -> None:
        kinds = {FindingKind(f.code, replace_positions(f.where), f.verdict) for f in weighing}
        for kind in sorted(kinds):
            if kind not in self.kinds and len(self.kinds) >= _KINDS:
                kind = FindingKind(OTHER_REASONS, "", Verdict.worst(f.verdict for f in weighing))
            self.kinds[kind] += 1
            # the newest ids only, as a reader opens one or two
            self.newest[kind] = [*self.newest.get(kind, ()), decision.id][-SHOWN:]

    def _count_silenced(self, finding: Finding) -> None:
        key = (finding.code, replace_positions(finding.where))
        if key not in self.silenced and len(self.silenced) >= _REASONS:
            key = (OTHER_REASONS, "")
        self.silenced[key] += 1

    def _label(self, case: LayerCase, true: bool) -> None:
        counts, flagged = self.counts, case.flagged
        counts.true_flags += flagged and true
        counts.false_flags += flagged and not true
        counts.true_blocks += case.finding_blocks and true
        counts.false_blocks += case.finding_blocks and not true
        # a layer that did not run has missed nothing
        missed = true and not flagged and case.coverage.outcome is Outcome.RAN
        counts.missed += missed
        counts.missed_by_all += missed and case.decision.verdict is Verdict.CLEAN

    def _mode(self, case: LayerCase) -> None:
        """Record the mode: the layer's own from a finding, else that of the tool."""
        decision = case.decision
        if decision.policy_revision != self._revision:  # another policy may have other modes
            self._revision, self._of_finding = decision.policy_revision, False
        if case.findings:
            self.modes, self._of_finding = {case.findings[-1].mode}, True
        elif not self._of_finding and not any(f.weighs for f in decision.findings):
            self.modes = {decision.mode}


def _let_through(finding: Finding) -> bool:
    """Return whether only a suppression keeps a finding from blocking."""
    return finding.suppressed and finding.counted and finding.verdict is Verdict.HALLUCINATED


_SHARES = ("coverage", "stops", "precision", "block_precision")


def entry_of(layer: str, place: LayerReport) -> dict[str, Any]:
    """Return the counts, shares, reasons and labels of one layer."""
    counts = place.counts
    shares: dict[str, Share] = {name: getattr(counts, name) for name in _SHARES}
    return {
        "layer": layer,
        **counts.to_dict(),
        "shares": {name: share.to_dict() for name, share in shares.items()},
        "reasons": [
            {"outcome": outcome.value, "reason": reason, "calls": calls}
            for (outcome, reason), calls in place.reasons.most_common()
        ],
        "unlabelled": [name for _, name in place.unlabelled],
        "modes": sorted(place.modes),
        "silenced": [
            {"code": code, "where": where, "findings": findings}
            for (code, where), findings in place.silenced.most_common()
        ],
        "kinds": [
            {
                "code": kind.code, "where": kind.where, "verdict": kind.verdict.value,
                "findings": number, "newest": place.newest[kind],
            }
            for kind, number in place.kinds.most_common()
        ],
    }  # fmt: skip
