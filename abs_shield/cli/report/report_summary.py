"""The report's content for the terminal, the page and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from time import time
from typing import Any, Self

from abs_shield.cli.report.report_text import location_text
from abs_shield.cli.shared_options import format_time
from abs_shield.core import Decision, Mode, Subject, Verdict
from abs_shield.core.label import Truth
from abs_shield.report import (
    Readiness,
    Report,
    RolloutStep,
    Standing,
    modes,
    modes_line,
    percent,
    rollout,
    silent_layers,
)
from abs_shield.report.log_totals import OutputCounts, ResultCounts
from abs_shield.stores import ChainFault, Verified, verify
from abs_shield.stores.durable_store import DurableStore
from abs_shield.stores.sealed_record import Damaged
from abs_shield.stores.store_address import log_key
from abs_shield.text.safe_display import escaped, quantity
from abs_shield.version import __version__

_FAULTS = 3  # examples; `abs-shield log verify` lists them


@dataclass(frozen=True, slots=True, kw_only=True)
class LogIntegrity:
    """
    The result of a log's verification.

    Attributes:
        verified: The counts of the verification.
        faults: The first faults.
    """

    verified: Verified
    faults: tuple[ChainFault, ...]

    @classmethod
    def of(cls, store: DurableStore) -> Self:
        """Verify every record of a log, under the key of ``ABS_SHIELD_LOG_KEY``."""
        verified = Verified()
        faults = verify(store, key=log_key(), into=verified)
        first: list[ChainFault] = []
        try:
            for fault in faults:
                first += [fault][: _FAULTS - len(first)]
        except Damaged as error:  # damaged pages: later records are unverified
            verified.faults += 1
            first = [ChainFault("", 0, "edited", str(error)), *first][:_FAULTS]
        return cls(verified=verified, faults=tuple(first))

    @property
    def is_intact(self) -> bool:
        """Return whether the log has no fault."""
        return not self.verified.faults

    def sentences(self) -> Iterator[str]:
        """Yield the result as sentences, with one for each of the first faults."""
        chains = quantity(self.verified.chains, "chain")
        records = f"{quantity(self.verified.records, 'record')} in {chains}"
        if self.is_intact:
            yield f"The log is intact: {records}, each as it was written."
            return
        faults = quantity(self.verified.faults, "fault")
        yield f"THE LOG IS NOT INTACT: {faults} in {records}; the figures below may be wrong."
        yield from (escaped(str(fault), limit=300) for fault in self.faults)
        if self.verified.faults > len(self.faults):
            yield "All of them: abs-shield log verify."

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        return {
            "intact": self.is_intact,
            "records": self.verified.records,
            "chains": self.verified.chains,
            "faults": self.verified.faults,
            "first_faults": [fault._asdict() for fault in self.faults],
        }


_REVISIONS = 5  # the newest; a log of a year may have hundreds
EMPTY = (
    "It has no decision about a call yet. Give your Shield a log,"
    " store=open_store(...), and run your agent in audit mode."
)
NO_MATCH = "It has no decision about a call for that time and policy revision."


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSummary:
    """
    A report with the results of its rule.

    Attributes:
        log: The name of the log.
        limited: Whether the report covers only a part of the log.
        steps: The layers, and tools that differ, each with its standing.
        muted: The layers that say nothing, and why.
        integrity: The result of the log's verification; None if not verified.
        unreadable: Number of unreadable records, which the report leaves out.
        decisions: Decisions that the report refers to, by id.
        labels: Their labels.
        created_at: Creation time, in seconds since the epoch.
    """

    log: str
    limited: bool
    report: Report
    rule: Readiness
    steps: list[RolloutStep]
    muted: Mapping[str, str]
    integrity: LogIntegrity | None = None
    unreadable: int = 0
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    labels: Mapping[str, Truth] = field(default_factory=dict)
    created_at: float = field(default_factory=time)

    @classmethod
    def of(cls, report: Report, rule: Readiness, *, log: str, limited: bool = False) -> Self:
        """Apply the rule to every layer."""
        steps = rollout(report, rule)
        return cls(
            log=log,
            limited=limited,
            report=report,
            rule=rule,
            steps=steps,
            muted=silent_layers(report),
        )

    @property
    def created_by(self) -> str:
        """The creation time and the version of the package."""
        return f"{format_time(self.created_at)} UTC, abs_shield {__version__}"

    def decision_ids(self) -> list[str]:
        """Return the ids of the decisions to review and of examples of each kind of finding."""
        report = self.report
        # first those to review: the page has room for some hundred
        ids = [name for step in self.steps for name in step.look_at]
        for row in report.rows():
            for layer in report.columns():
                newest = report.place(layer, row).newest.values() if (row, layer) in report else ()
                ids += [name for some in newest for name in reversed(some)]
        return list(dict.fromkeys(ids))

    def standing(self, standing: Standing) -> list[RolloutStep]:
        """Return the layers and tools of one standing."""
        return [step for step in self.steps if step.standing is standing]

    def modes_line(self) -> str:
        """Return the line to paste into the policy; empty if nothing is safe."""
        return modes_line(modes(self.steps))

    def totals(self) -> Iterator[str]:
        """Yield the totals of the log, one sentence each."""
        totals = self.report.totals
        if self.unreadable:
            records = quantity(self.unreadable, "record")
            yield f"{records} could not be read and are not among the figures."
        if totals.span is None:
            yield NO_MATCH if self.limited else EMPTY
            yield from self._results()
            yield from self._answers()
            yield from self._outputs()
            if totals.other_labels:
                yield from self._labels()
            return
        sessions = f"more than {totals.sessions:,}" if totals.more_sessions else totals.sessions
        time = f"{format_time(totals.span.first_at)} to {format_time(totals.span.last_at)} UTC"
        yield f"{quantity(totals.calls, 'call')} of {quantity(sessions, 'session')}, {time}."
        verdicts = ", ".join(f"{totals.verdicts[v]:,} {v}" for v in Verdict)
        modes = ", ".join(f"{totals.modes[m]:,} in {m}" for m in Mode if totals.modes[m])
        yield f"{verdicts}; {modes}."
        yield (
            f"{totals.blocked:,} blocked; strict mode would have blocked {totals.would_block:,}."
        )
        yield from self._results()
        yield from self._answers()
        yield from self._outputs()
        yield from self._labels()
        yield from self._rest()

    def silenced(self) -> Iterator[tuple[str, str]]:
        """Yield each layer and tool with suppressed findings, and the list of these."""
        report = self.report
        for tool in report.rows():
            for layer in report.columns():
                places = report.place(layer, tool).silenced.most_common()
                if places:
                    entries = (f"{n:,} {code} {where}".rstrip() for (code, where), n in places)
                    yield location_text(layer, tool), ", ".join(entries)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-able data."""
        ready_modes = modes(self.steps)
        return {
            "log": self.log,
            "made_at": self.created_at,
            "version": __version__,
            "unreadable": self.unreadable,
            "integrity": None if self.integrity is None else self.integrity.to_dict(),
            **self.report.to_dict(),
            "muted": [{"layer": layer, "why": why} for layer, why in self.muted.items()],
            "rule": {name: getattr(self.rule, name) for name in Readiness.__slots__},
            "readiness": [step.to_dict() for step in self.steps],
            "modes": [
                {"layer": key, "tool": None, "mode": mode.value}
                if isinstance(key, str)
                else {"layer": key[1], "tool": key[0], "mode": mode.value}
                for key, mode in ready_modes.items()
            ],
            "modes_line": modes_line(ready_modes),
        }

    def _results(self) -> Iterator[str]:
        counts = self.report.totals.results
        if counts.judged or counts.errors:
            failed = f", {counts.errors:,} could not be" if counts.errors else ""
            yield (
                f"{quantity(counts.judged, 'result')} judged{failed}: {_flagged(counts)},"
                f" {counts.withheld:,} withheld; strict mode would have withheld"
                f" {counts.would_withhold:,}."
            )

    def _answers(self) -> Iterator[str]:
        counts = self.report.totals.answers
        if counts.checked or counts.errors:
            apart = (
                f", {counts.unverified:,} of them with nothing to check"
                if counts.unverified
                else ""
            )
            failed = f", {counts.errors:,} could not be" if counts.errors else ""
            yield (
                f"{quantity(counts.checked, 'answer')} checked{apart}{failed}:"
                f" {counts.revised:,} to be revised, {counts.blocked:,} blocked;"
                f" strict mode would have blocked {counts.would_block:,}."
            )

    def _outputs(self) -> Iterator[str]:
        counts = self.report.totals.outputs
        if counts.checked or counts.errors:
            failed = f", {counts.errors:,} could not be" if counts.errors else ""
            stages = ", ".join(f"{escaped(k)} {n:,}" for k, n in counts.stages.most_common())
            yield (
                f"{quantity(counts.checked, 'output')} checked{failed}: {_flagged(counts)},"
                f" {counts.held:,} held back; strict mode would have held {counts.would_hold:,}."
                + (f" Found by stage: {stages}." if stages else "")
                + (f" Found after they were sent: {counts.afterwards:,}." * bool(counts.afterwards))
            )

    def _labels(self) -> Iterator[str]:
        totals = self.report.totals
        labels = Counter({(Subject.CALL, truth): n for truth, n in totals.labels.items()})
        labels += totals.other_labels
        if not labels:
            yield "No labels yet: abs-shield label --next."
            return
        true = sum(n for (_, truth), n in labels.items() if truth is Truth.HALLUCINATED)
        text = f"{quantity(labels.total(), 'label')}: {true:,} hallucinated,"
        text += f" {labels.total() - true:,} ok"
        if totals.other_labels:
            by = ((s, sum(labels[s, truth] for truth in Truth)) for s in Subject)
            text += f"; of {', '.join(quantity(n, s.value) for s, n in by if n)}"
        if totals.missed:
            text += f"; {totals.missed:,} of the hallucinated were missed by every layer"
        yield f"{text}."

    def _rest(self) -> Iterator[str]:
        totals = self.report.totals
        if others := [quantity(n, s.value) for s in Subject if (n := totals.others[s])]:
            yield f"Not among these calls: decisions about {', '.join(others)}."
        if totals.dropped:
            share = percent(totals.dropped_share)
            yield f"{quantity(totals.dropped, 'decision')} ({share}) could not be stored."
        newest = list(totals.revisions.items())[-_REVISIONS:]
        for revision, span in newest:
            until = f"{format_time(span.first_at)} to {format_time(span.last_at)}"
            yield f"Policy revision {escaped(revision)}: {quantity(span.calls, 'call')}, {until}."
        if len(totals.revisions) > len(newest):
            yield f"And {len(totals.revisions) - len(newest):,} older policy revisions."


def _flagged(counts: ResultCounts | OutputCounts) -> str:
    """Return the number flagged, and how many of these have the action `flag`."""
    only = f" ({counts.flag_only:,} with the action `flag`)" if counts.flag_only else ""
    return f"{counts.flagged:,} flagged{only}"
