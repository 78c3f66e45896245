"""Judges recorded runs, and the faults planted in them, and writes down what was noticed."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from detection_policies import author_policy

from abs_shield import Decision, Finding, Shield, ToolCall
from abs_shield.core import Outcome
from abs_shield.core.events import Event, MessageText, Proposed, Returned
from abs_shield.replay import BadLine, Firewalls, Judged, Run, Toolsets, judge_run, runs
from abs_shield.replay.planted_cases import (
    MUTATIONS,
    RUNS,
    TOOLSETS,
    Cases,
    Operation,
    PlantedCase,
    before_call,
    explain_miss,
    gist,
    layer_of,
    pointing_at,
    read_cases,
    set_aside,
    value_of,
    with_call,
)
from abs_shield.text.failure_results import is_failure_result
from abs_shield.text.normal_form import is_latin, normal

HARD = 0.9
"""From this strength on a finding is hard."""
ECHOED = "phantom_target:unseen_wellformed"
AFTER_FAILURE = "the call before it failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """
    One planted fault, or benign look-alike, and what its layer said.

    Attributes:
        expect: ``flag``, ``clean``, or ``info`` for what is not scored.
        original: The tool that the run called there.
        value: What was planted, as text.
        found: Whether a finding that counts points at it.
        script: ``Latin`` or ``other``: the letters of the user's words.
        nearest: What the finding proposes instead.
        why: What the finding says, or why there may be none.
    """

    policy: str
    source: str
    domain: str
    script: str
    kind: str
    expect: str
    layer: str
    run_id: str
    call_index: int
    tool: str
    original: str
    value: str
    found: bool
    nearest: str
    why: str

    @property
    def wrong(self) -> bool:
        """Return whether it is a miss, or a look-alike that was flagged."""
        return self.expect in ("flag", "clean") and self.found != (self.expect == "flag")


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A counted finding on a call of a successful run without an attack."""

    policy: str
    source: str
    domain: str
    layer: str
    code: str
    run_id: str
    call_index: int
    tool: str
    where: str
    strength: float
    detail: str


@dataclass(slots=True)
class Results:
    """
    Collected results.

    Attributes:
        calls: Policy, source, domain, layer and ``calls``, ``ran``, ``flagged`` or ``hard`` to
            the number of calls of successful runs.
        coverage: Policy, source, layer, outcome and reason to the number of calls of all runs.
        scripts: Policy, script of the user's words and ``calls``, ``flagged`` or ``hard`` to the
            number of calls of successful runs.
    """

    planted: list[Planted] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    calls: Counter[tuple[str, str, str, str, str]] = field(default_factory=Counter)
    coverage: Counter[tuple[str, str, str, str, str]] = field(default_factory=Counter)
    scripts: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def add(self, other: Results) -> None:
        """Add what was written down elsewhere."""
        self.planted += other.planted
        self.flags += other.flags
        self.calls.update(other.calls)
        self.coverage.update(other.coverage)
        self.scripts.update(other.scripts)


@dataclass(frozen=True, slots=True)
class Recorded:
    """The runs of a data folder, in order, with the domain and the planted faults of each."""

    runs: Sequence[Run]
    domains: Mapping[str, str]
    cases: Cases


def read(folder: Path) -> Recorded:
    """Read the runs, their tools, which runs may carry themselves, and the planted faults."""
    toolset_file = folder / TOOLSETS
    toolsets = Toolsets(json.loads(toolset_file.read_text()) if toolset_file.is_file() else {})
    file = folder / RUNS
    domains = {record["run_id"]: record.get("domain", "") for record in _records(file)}
    planted = folder / MUTATIONS
    cases = read_cases(str(planted), on_bad_line=_stop) if planted.is_file() else Cases({})
    recorded_runs = [run for run in runs([str(file)], toolsets) if isinstance(run, Run)]
    return Recorded(recorded_runs, domains, cases)


def _stop(line: BadLine) -> None:
    raise SystemExit(f"{line}")


def _records(path: Path) -> Iterator[Any]:
    with gzip.open(path) as file:
        yield from map(json.loads, file)


class Judge:
    """Judges runs under the named policies; a toolset's firewall is built once."""

    def __init__(self, recorded: Recorded, policies: Sequence[str]) -> None:
        self._recorded = recorded
        self._policies = policies
        self._firewalls: dict[tuple[str, str], Firewalls] = {}
        self._marked = any(run.success is not None for run in recorded.runs)

    def __call__(self, places: Iterable[int]) -> Results:
        """Judge the runs at *places* and what was planted in them."""
        results = Results()
        for run in map(self._recorded.runs.__getitem__, places):
            for policy in self._policies:
                domain = self._recorded.domains[run.run_id]
                sheet = _Sheet(run, domain, policy, results, self._marked)
                sheet.fill(self._firewall(run, policy), self._recorded.cases.of(run.run_id))
        return results

    def _firewall(self, run: Run, policy: str) -> Shield:
        key = (policy, run.toolset)
        if key not in self._firewalls:
            self._firewalls[key] = Firewalls(author_policy(run) if policy == "author" else None)
        return self._firewalls[key].of(run)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """Writes down what one policy says of one run."""

    run: Run
    domain: str
    policy: str
    results: Results
    marked: bool
    """Whether the runs of the folder say if they succeeded; else all are right but what is set
    aside."""

    @property
    def source(self) -> str:
        return self.run.source.rpartition("/")[2]

    @property
    def script(self) -> str:
        sentences = [
            e.text for e in self.run.events if isinstance(e, MessageText) and e.role == "user"
        ]
        return "Latin" if all(is_latin(normal(text)) for text in sentences) else "other"

    def fill(self, firewall: Shield, cases: Iterable[PlantedCase]) -> None:
        """Judge the run, and then the run up to each planted fault."""
        judged = list(judge_run(self.run, firewall))
        succeeded = self.run.success if self.marked else True
        right = succeeded and not self.run.labels.get("attack")
        aside = set_aside(self.run)
        for call in judged:
            self._cover(call.decision)
            if right and call.call_index not in aside:
                self._count(call)
        for case in cases:
            self._plant(case, judged, firewall)

    def _cover(self, decision: Decision) -> None:
        for layer, (outcome, reason) in decision.coverage.items():
            key = (self.policy, self.source, layer, str(outcome), reason)
            self.results.coverage[key] += 1

    def _count(self, judged: Judged) -> None:
        counted = [f for f in judged.decision.findings if f.counted]
        domain = self.domain if self.run.tools else f"{self.domain} (no schema)"
        for layer, coverage in judged.decision.coverage.items():
            strengths = [f.strength for f in counted if f.check == layer]
            key = (self.policy, self.source, domain, layer)
            calls = self.results.calls
            calls[*key, "calls"] += 1
            calls[*key, "ran"] += coverage.outcome is Outcome.RAN
            calls[*key, "flagged"] += bool(strengths)
            calls[*key, "hard"] += max(strengths, default=0) >= HARD
        self.results.flags += [self._flag(judged, domain, finding) for finding in counted]
        scripts = self.results.scripts
        scripts[self.policy, self.script, "calls"] += 1
        scripts[self.policy, self.script, "flagged"] += bool(counted)
        scripts[self.policy, self.script, "hard"] += any(f.strength >= HARD for f in counted)

    def _flag(self, judged: Judged, domain: str, finding: Finding) -> Flag:
        return Flag(
            policy=self.policy,
            source=self.source,
            domain=domain,
            layer=finding.check,
            code=finding.code,
            run_id=self.run.run_id,
            call_index=judged.call_index,
            tool=judged.call.name,
            where=finding.where,
            strength=finding.strength,
            detail=finding.detail,
        )

    def _plant(self, case: PlantedCase, judged: Sequence[Judged], firewall: Shield) -> None:
        recorded = judged[case["call_index"]]
        after = case["op"] == Operation.INSERT_AFTER
        usual = () if after else tuple(map(gist, recorded.decision.findings))
        before = before_call(self.run, case["call_index"], after=after)
        decision = judge_next(self.run, before, case["mutated_call"], firewall)
        planted = self._planted(case, decision, recorded.call.name, usual)
        if after and not planted.found and _failed(before):
            planted = replace(planted, why=f"{planted.why}; {AFTER_FAILURE}")
        self.results.planted.append(planted)
        if case["kind"] == ECHOED and planted.found:
            for name, events in echoes(before, case["mutated_call"]):
                decision = judge_next(self.run, events, case["mutated_call"], firewall)
                echoed = {**case, "kind": f"echo:{name}"}
                row = self._planted(echoed, decision, recorded.call.name, usual)
                self.results.planted.append(row)

    def _planted(
        self, case: PlantedCase, decision: Decision, original: str, usual: Sequence[object]
    ) -> Planted:
        layer = layer_of(case)
        findings = pointing_at(case, decision.findings, usual=usual)
        return Planted(
            policy=self.policy,
            source=self.source,
            domain=self.domain,
            script=self.script,
            kind=case["kind"],
            expect=case["expect"],
            layer=layer,
            run_id=self.run.run_id,
            call_index=case["call_index"],
            tool=case["mutated_call"]["name"],
            original=original,
            value=value_of(case),
            found=bool(findings),
            nearest=findings[0].nearest if findings else "",
            why=findings[0].detail if findings else explain_miss(case, decision, usual=usual),
        )


def judge_next(run: Run, events: Sequence[Event], call: Mapping[str, Any], by: Shield) -> Decision:
    """Judge *call* as the next one of *run* after *events*."""
    *_, last = judge_run(with_call(run, events, call), by)
    return last.decision


def echoes(
    events: Sequence[Event], call: Mapping[str, Any]
) -> Iterator[tuple[str, Sequence[Event]]]:
    """Yield the run in which *call* ran, and its result repeats the arguments: as text, as JSON."""
    arguments = call["arguments"]
    proposed = Proposed((ToolCall(call["name"], arguments, "echoed"),))
    results = {
        "text": f"Done: {json.dumps(arguments)}",
        "json": {"status": "done", **arguments},
    }
    for name, value in results.items():
        result = Returned(name=call["name"], value=value, call_id="echoed")
        yield name, (*events, proposed, result)


def _failed(events: Sequence[Event]) -> bool:
    """Return whether the newest result is an error, marked so or told so in its text."""
    newest = events[-1]
    return isinstance(newest, Returned) and (newest.error or is_failure_result(newest.value))
