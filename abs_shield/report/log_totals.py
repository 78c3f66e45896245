"""Totals of a decision log, counted in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from abs_shield.core import Action, Decision, Mode, Outcome, Subject, Verdict
from abs_shield.core.digest import digest
from abs_shield.core.label import Truth
from abs_shield.report.layer_counts import add_counts
from abs_shield.report.report_rows import RepeatedDecision
from abs_shield.shield.guarded_output import BACKGROUND_NOTE

_SESSIONS = 200_000  # some 20 MB of digests; further sessions are not told apart
_REVISIONS = 200  # a policy changes daily at most; further revisions are counted together
_OTHER_REVISIONS = "others"


@dataclass(slots=True)
class CallSpan:
    """The number of calls in a period, with times in seconds since the epoch."""

    first_at: float
    last_at: float
    calls: int = 0

    def add(self, first_at: float, last_at: float, *, times: int = 1) -> None:
        """Add calls that were made in a period."""
        self.calls += times
        self.first_at, self.last_at = min(self.first_at, first_at), max(self.last_at, last_at)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        return {"calls": self.calls, "first_at": self.first_at, "last_at": self.last_at}


@dataclass(slots=True)
class ResultCounts:
    """
    Counts of decisions about results.

    Attributes:
        judged: Results that were judged.
        errors: Results that could not be judged because of an error.
        flagged: Results with a finding that weighs, as the report's rows count them.
        flag_only: Results whose action is ``flag``: passed on in any mode.
        withheld: Results that were withheld.
        would_withhold: Results that strict mode would have withheld.
    """

    judged: int = 0
    errors: int = 0
    flagged: int = 0
    flag_only: int = 0
    withheld: int = 0
    would_withhold: int = 0

    def update(self, decision: Decision) -> None:
        """Count one result."""
        self.judged += decision.probability is not None
        self.errors += bool(decision.errors)
        self.flagged += any(finding.weighs for finding in decision.findings)
        self.flag_only += decision.action is Action.FLAG
        self.withheld += decision.blocked
        self.would_withhold += decision.would_block

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON-able data."""
        return asdict(self)


@dataclass(slots=True)
class AnswerCounts:
    """
    Counts of decisions about answers.

    Attributes:
        checked: Answers that were checked.
        errors: Answers that could not be checked because of an error.
        unverified: Answers without a checkable claim, or without evidence to check against.
        revised: Answers that had to be revised, without blocked ones.
        blocked: Answers that were blocked.
        would_block: Answers that strict mode would have blocked.
    """

    checked: int = 0
    errors: int = 0
    unverified: int = 0
    revised: int = 0
    blocked: int = 0
    would_block: int = 0

    def update(self, decision: Decision) -> None:
        """Count one answer."""
        outcomes = {coverage.outcome for coverage in decision.coverage.values()}
        self.checked += not decision.errors
        self.errors += bool(decision.errors)
        self.unverified += Outcome.UNAVAILABLE in outcomes
        self.revised += decision.action is Action.REVISE
        self.blocked += decision.blocked
        self.would_block += decision.would_block

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON-able data."""
        return asdict(self)


@dataclass(slots=True)
class OutputCounts:
    """
    Counts of decisions about outputs of the quality cascade.

    Attributes:
        checked: Outputs that every stage that ran could check.
        errors: Outputs that a stage failed to check.
        flagged: Outputs with a finding that weighs, as the report's rows count them.
        flag_only: Outputs whose action is ``flag``: shipped in any mode.
        held: Outputs that were held back, to be revised or permanently.
        would_hold: Outputs that strict mode would have held back.
        stages: Number of outputs by the stage with findings that count.
        afterwards: Findings in outputs that were already shipped: rejections of a judge, and
            shifts of the quality score.
    """

    checked: int = 0
    errors: int = 0
    flagged: int = 0
    flag_only: int = 0
    held: int = 0
    would_hold: int = 0
    stages: Counter[str] = field(default_factory=Counter)
    afterwards: int = 0

    def update(self, decision: Decision) -> None:
        """Count one output, or a later finding in it."""
        if BACKGROUND_NOTE in decision.notes:
            self.afterwards += 1
            return
        self.checked += not decision.errors
        self.errors += bool(decision.errors)
        self.flagged += any(finding.weighs for finding in decision.findings)
        self.flag_only += decision.action is Action.FLAG
        self.held += decision.blocked
        self.would_hold += decision.would_block
        self.stages.update({one.check for one in decision.findings if one.weighs})

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON-able data."""
        return {
            "checked": self.checked,
            "errors": self.errors,
            "flagged": self.flagged,
            "flag_only": self.flag_only,
            "held": self.held,
            "would_hold": self.would_hold,
            "stages": dict(self.stages),
            "afterwards": self.afterwards,
        }


@dataclass(slots=True)
class Totals:
    """
    Totals of a log.

    Attributes:
        verdicts: Calls by verdict.
        modes: Calls by the mode under which they were judged.
        blocked: Calls that were blocked.
        would_block: Calls that strict mode would have blocked.
        others: Decisions about other subjects than a call, by subject.
        results: Counts of decisions about results.
        answers: Counts of decisions about answers.
        outputs: Counts of decisions about outputs.
        labels: Labelled calls, by label.
        other_labels: Labelled results, answers and outputs, by subject and label.
        missed: Calls labelled hallucinated without any finding.
        revisions: Number and period of calls by policy revision.
        dropped: Decisions that were lost before they were written.
        span: The period of the calls, or None.
        more_sessions: Whether there are more sessions than could be counted.
    """

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    modes: Counter[Mode] = field(default_factory=Counter)
    blocked: int = 0
    would_block: int = 0
    others: Counter[Subject] = field(default_factory=Counter)
    results: ResultCounts = field(default_factory=ResultCounts)
    answers: AnswerCounts = field(default_factory=AnswerCounts)
    outputs: OutputCounts = field(default_factory=OutputCounts)
    labels: Counter[Truth] = field(default_factory=Counter)
    other_labels: Counter[tuple[Subject, Truth]] = field(default_factory=Counter)
    missed: int = 0
    revisions: dict[str, CallSpan] = field(default_factory=dict)
    dropped: int = 0
    span: CallSpan | None = None
    more_sessions: bool = False
    _sessions: set[bytes] = field(default_factory=set)

    @property
    def calls(self) -> int:
        """The number of calls that were judged."""
        return self.verdicts.total()

    @property
    def sessions(self) -> int:
        """The number of their sessions, as far as they were counted."""
        return len(self._sessions)

    @property
    def decisions(self) -> int:
        """The number of decisions, about calls and other subjects."""
        return self.calls + self.others.total()

    @property
    def dropped_share(self) -> float:
        """Return the share of all decisions that were lost, in [0, 1]."""
        total = self.decisions + self.dropped
        return self.dropped / total if total else 0.0

    def update(self, decision: Decision, truth: Truth | None) -> None:
        """Count one decision; other subjects than calls are counted separately."""
        if decision.subject is not Subject.CALL:  # other subjects have other outcomes
            self._count_separately(decision, truth)
            return
        self.verdicts[decision.verdict] += 1
        self.modes[decision.mode] += 1
        self.blocked += decision.blocked
        self.would_block += decision.would_block
        if truth is not None:
            self.labels[truth] += 1
            silent = decision.verdict is Verdict.CLEAN
            self.missed += silent and truth is Truth.HALLUCINATED
        if self.span is None:  # from the first call on
            self.span = CallSpan(decision.at, decision.at)
        self.span.add(decision.at, decision.at)
        self._revision(decision.policy_revision, decision.at, decision.at)
        self._session(decision.session_id)

    def repeat(self, repeated: RepeatedDecision) -> None:
        """Count a decision by its number of occurrences."""
        one = Totals()
        one.update(repeated.decision, repeated.truth)
        add_counts(self, one, times=repeated.times, without=("span",))
        if not one.calls:
            return
        first_at, last_at = repeated.first_at, repeated.last_at
        self.span = self.span or CallSpan(first_at, last_at)
        self.span.add(first_at, last_at, times=repeated.times)
        for name in one.revisions:
            self._revision(name, first_at, last_at, times=repeated.times)

    def _count_separately(self, decision: Decision, truth: Truth | None) -> None:
        self.others[decision.subject] += 1
        if truth is not None:
            self.other_labels[decision.subject, truth] += 1
        if decision.subject is Subject.RESULT:
            self.results.update(decision)
        elif decision.subject is Subject.ANSWER:
            self.answers.update(decision)
        elif decision.subject is Subject.OUTPUT:
            self.outputs.update(decision)

    def lose(self, gaps: Iterable[Mapping[str, Any]]) -> None:
        """Count lost decisions."""
        self.dropped += sum(gap["dropped"] for gap in gaps)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON-able data."""
        return {
            "calls": self.calls,
            "verdicts": {verdict.value: self.verdicts[verdict] for verdict in Verdict},
            "by_mode": {mode.value: self.modes[mode] for mode in Mode},
            "blocked": self.blocked,
            "would_block": self.would_block,
            "labels": {truth.value: self.labels[truth] for truth in Truth},
            "other_labels": {
                subject.value: {t.value: self.other_labels[subject, t] for t in Truth}
                for subject in Subject
                if subject is not Subject.CALL
            },
            "missed": self.missed,
            "sessions": self.sessions,
            "more_sessions": self.more_sessions,
            "dropped": self.dropped,
            "other_subjects": {s.value: self.others[s] for s in Subject if s is not Subject.CALL},
            "results": self.results.to_dict(),
            "answers": self.answers.to_dict(),
            "outputs": self.outputs.to_dict(),
            "first_at": self.span and self.span.first_at,
            "last_at": self.span and self.span.last_at,
            "policy_revisions": [
                {"revision": name, **span.to_dict()} for name, span in self.revisions.items()
            ],
        }

    def _revision(self, name: str, first_at: float, last_at: float, *, times: int = 1) -> None:
        if name not in self.revisions and len(self.revisions) >= _REVISIONS:
            name = _OTHER_REVISIONS
        span = self.revisions.setdefault(name, CallSpan(first_at, last_at))
        span.add(first_at, last_at, times=times)

    def _session(self, session_id: str) -> None:
        key = digest(session_id, size=8)  # a digest, as an id may have a kilobyte
        if key in self._sessions:
            return
        if len(self._sessions) >= _SESSIONS:
            self.more_sessions = True
        else:
            self._sessions.add(key)
