"""From tools and runs to a module that was tried on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from abs_shield.plan import ToolPlan
from abs_shield.plan.policy_problem import Proof
from abs_shield.plan.proof import prove
from abs_shield.policy import Policy, Tool, configure
from abs_shield.replay.mining.draft import Draft, LetThrough
from abs_shield.replay.mining.miners import MINERS
from abs_shield.replay.mining.miners.inverses import pairs_of
from abs_shield.replay.mining.mining_study import Study, share
from abs_shield.replay.mining.module_header import Header, header_lines, trial_lines
from abs_shield.replay.mining.policy_module import execute_module, render_module
from abs_shield.replay.mining.recorded_passes import with_recorded_passes
from abs_shield.replay.mining.run_census import Census, OnBadLine, Recorded, ignore_line
from abs_shield.replay.mining.run_evidence import RunEvidence
from abs_shield.replay.mining.run_watcher import RunWatcher
from abs_shield.replay.mining.still_blocked import still_blocked
from abs_shield.replay.mining.strict_trial import StrictTrial
from abs_shield.replay.mining.tool_description import describe_tool
from abs_shield.replay.run_judging import Firewalls, judge_run

PASSES = 6
"""How often runs are read at most: counted, watched, and tried until nothing is blocked."""
_TRIALS = PASSES - 2

ReportProgress = Callable[[str], Callable[[int], object]]
"""Told what is done with the runs now; what it gives is told how many bytes were read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSource:
    """
    Where the tools come from.

    Attributes:
        name: What the module calls it.
        reasons: Tool to why its author calls it destructive or read-only.
        remarks: Tool to what could not be read of it.
    """

    name: str
    tools: tuple[Tool, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mined:
    """
    A written module and what became of it.

    Attributes:
        text: The module.
        first: What the first draft made of the runs; None without runs.
        last: What the written policy makes of them.
        stays: What of them it blocks and no policy could let through, a line for each reason.
        proof: What `prove` says of it.
    """

    text: str
    draft: Draft
    evidence: RunEvidence
    first: StrictTrial | None
    last: StrictTrial | None
    stays: tuple[str, ...]
    proof: Proof


def _silent(what: str) -> Callable[[int], object]:
    return lambda count: None


def mine(
    source: ToolSource | None,
    recorded: Recorded | None = None,
    *,
    let_through: LetThrough = LetThrough.NONE,
    told: ReportProgress = _silent,
    on_bad_line: OnBadLine = ignore_line,
) -> Mined:
    """
    Propose a policy, write it down, and try it on the runs.

    Args:
        source: The tools; None where the runs bring them.
        recorded: The runs; None for the tools alone.
        let_through: Which of the calls that strict blocks the policy lets through.
        told: Hears what is done.
        on_bad_line: Told once of each line that is no run.

    Raises:
        OSError: A file cannot be opened or read.
    """
    census = Census()
    if recorded is not None:
        for run in recorded.runs(on_bytes=told("reading the runs"), on_bad_line=on_bad_line):
            census.update(run)
    plans, remarks = _tools(source, census)
    evidence = _watched(plans, recorded, told)
    study = Study(
        plans=plans, evidence=evidence, reasons=source.reasons if source is not None else {}
    )
    draft = Draft(
        tools=tuple(plan.tool for plan in plans.values()),
        suggestions=tuple(said for miner in MINERS.values() for said in miner(study)),
        remarks={name: (*remarks.get(name, ()), *_called(name, evidence)) for name in plans},
        let_through=let_through,
    )
    return _tried(draft, evidence, source, recorded, told)


def _tools(
    source: ToolSource | None, census: Census
) -> tuple[dict[str, ToolPlan], dict[str, tuple[str, ...]]]:
    """The tools by name, as they can be written, compiled, and what is to be said of each."""
    given = {tool.name: tool for tool in source.tools} if source is not None else {}
    more = {
        name: tool
        for name, tool in census.tools.items()
        if name not in given and (source is None or name in census.called)
    }
    plans: dict[str, ToolPlan] = {}
    remarks: dict[str, tuple[str, ...]] = {}
    for name, tool in sorted({**given, **more}.items()):
        known = describe_tool(tool)
        plans[name] = known.plan
        said = [*source.remarks.get(name, ())] if source is not None else []
        if source is not None and name in more:
            said.append(f"not in {source.name}; the runs describe it and call it")
        remarks[name] = (*said, *((known.why,) if known.why else ()))
    return plans, remarks


def _watched(
    plans: Mapping[str, ToolPlan], recorded: Recorded | None, told: ReportProgress
) -> RunEvidence:
    if recorded is None:
        return RunEvidence()
    tools = [plan.tool for plan in plans.values()]
    watch = RunWatcher(configure(mode="audit", tools=tools), pairs=[*pairs_of(plans)])
    looked = told("looking at the runs")
    for run in recorded.runs(on_bytes=looked, forget=watch.forget):
        watch.run(run)
    return watch.evidence


def _called(name: str, evidence: RunEvidence) -> Iterator[str]:
    seen = evidence.tools.get(name)
    if seen is not None and seen.calls:
        yield share(seen.worked, seen.calls, "in the runs worked")
    elif evidence.calls:
        yield "no recorded run calls it"


def _tried(
    draft: Draft,
    evidence: RunEvidence,
    source: ToolSource | None,
    recorded: Recorded | None,
    told: ReportProgress,
) -> Mined:
    first: StrictTrial | None = None
    last: StrictTrial | None = None
    for number in range(_TRIALS if recorded is not None else 0):
        assert recorded is not None
        last = _trial(execute_module(render_module(draft, Header())), recorded, told)
        first = first or last
        more = with_recorded_passes(draft, last) if number < _TRIALS - 1 else draft
        same = more.decides_as(draft)
        draft = more
        if same:
            break
    stays = () if last is None else tuple(still_blocked(last, draft.passes))
    lines = [
        *header_lines(source.name if source is not None else "", recorded, evidence),
        *trial_lines(first, last, draft, stays),
    ]
    text = render_module(draft, Header(lines=tuple(lines)))
    told("proving it")
    return Mined(
        text=text,
        draft=draft,
        evidence=evidence,
        first=first,
        last=last,
        stays=stays,
        proof=prove(execute_module(text)),
    )


def _trial(policy: Policy, recorded: Recorded, told: ReportProgress) -> StrictTrial:
    trial = StrictTrial(policy)
    firewalls = Firewalls(policy)
    tried = told("trying it on the runs")
    for run in recorded.runs(on_bytes=tried, forget=firewalls.forget):
        for judged in judge_run(run, firewalls.of(run)):
            trial.update(judged)
    return trial
