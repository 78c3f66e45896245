"""Propose a policy module from tools and runs, and try it on the runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from abs_shield.mining.miners import MINERS
from abs_shield.mining.miners.inverses import pairs_of
from abs_shield.mining.mining_study import Study, share
from abs_shield.mining.module_header import Header, header_lines, trial_lines
from abs_shield.mining.policy_draft import Draft, LetThrough
from abs_shield.mining.policy_module import execute_module, render_module
from abs_shield.mining.run_census import Census, OnBadLine, Recorded, ignore_line
from abs_shield.mining.run_evidence import RunEvidence
from abs_shield.mining.run_watcher import RunWatcher
from abs_shield.mining.strict_trial import StrictTrial, still_blocked, with_recorded_passes
from abs_shield.mining.tool_source import describe_tool
from abs_shield.plan import ToolPlan
from abs_shield.plan.policy_problem import Proof
from abs_shield.plan.proof import prove
from abs_shield.policy import Policy, Tool, configure
from abs_shield.replay.run_judging import Firewalls, judge_run

PASSES = 6
"""Maximum number of passes over the runs: count, watch, and try until nothing is blocked."""
_TRIALS = PASSES - 2  # all but the two that count and watch

ReportProgress = Callable[[str], Callable[[int], object]]
"""Called with the current step; returns a function that is called with the bytes read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSource:
    """
    The source of the tools.

    Attributes:
        name: The name of the source in the module.
        reasons: The reason, by tool, why its author declares it destructive or read-only.
        remarks: Parts that could not be read, by tool.
    """

    name: str
    tools: tuple[Tool, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mined:
    """
    The rendered module, and the results of its trials.

    Attributes:
        text: The module.
        first: The trial of the first draft; None without runs.
        last: The trial of the written policy.
        stays: The blocks that no policy could let through, a line for each reason.
        proof: The result of `prove`.
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
    progress: ReportProgress = _silent,
    on_bad_line: OnBadLine = ignore_line,
) -> Mined:
    """
    Propose a policy, render it, and try it on the runs.

    Args:
        source: The tools; None to take them from the runs.
        recorded: The runs; None for the tools alone.
        let_through: The calls blocked in strict mode that the policy lets through.
        progress: Called with each step.
        on_bad_line: Called once with each invalid line.

    Raises:
        OSError: A file cannot be opened or read.
    """
    census = Census()
    if recorded is not None:  # bad lines are reported in the first pass only
        for run in recorded.runs(on_bytes=progress("reading the runs"), on_bad_line=on_bad_line):
            census.update(run)
    plans, remarks = _tools(source, census)
    evidence = _collect_evidence(plans, recorded, progress)
    study = Study(
        plans=plans, evidence=evidence, reasons=source.reasons if source is not None else {}
    )
    draft = Draft(
        tools=tuple(plan.tool for plan in plans.values()),
        suggestions=tuple(suggestion for miner in MINERS.values() for suggestion in miner(study)),
        remarks={name: (*remarks.get(name, ()), *_call_remarks(name, evidence)) for name in plans},
        let_through=let_through,
    )
    return _try_draft(draft, evidence, source, recorded, progress)


def _tools(
    source: ToolSource | None, census: Census
) -> tuple[dict[str, ToolPlan], dict[str, tuple[str, ...]]]:
    """Return the tools by name, compiled as they are written, and the remarks on each."""
    by_name = {tool.name: tool for tool in source.tools} if source is not None else {}
    more = {
        name: tool
        for name, tool in census.tools.items()
        # tools that the runs describe but never call are not of this agent
        if name not in by_name and (source is None or name in census.called)
    }
    plans: dict[str, ToolPlan] = {}
    remarks: dict[str, tuple[str, ...]] = {}
    for name, tool in sorted({**by_name, **more}.items()):
        tool_described = describe_tool(tool)
        plans[name] = tool_described.plan
        tool_remarks = [*source.remarks.get(name, ())] if source is not None else []
        if source is not None and name in more:
            tool_remarks.append(f"not in {source.name}; the runs describe it and call it")
        remarks[name] = (*tool_remarks, *((tool_described.why,) if tool_described.why else ()))
    return plans, remarks


def _collect_evidence(
    plans: Mapping[str, ToolPlan], recorded: Recorded | None, progress: ReportProgress
) -> RunEvidence:
    if recorded is None:
        return RunEvidence()
    tools = [plan.tool for plan in plans.values()]
    watch = RunWatcher(configure(mode="audit", tools=tools), pairs=[*pairs_of(plans)])
    looked = progress("looking at the runs")
    for run in recorded.runs(on_bytes=looked, forget=watch.forget):
        watch.run(run)
    return watch.evidence


def _call_remarks(name: str, evidence: RunEvidence) -> Iterator[str]:
    counts = evidence.tools.get(name)
    if counts is not None and counts.calls:
        yield share(counts.worked, counts.calls, "in the runs worked")
    elif evidence.calls:
        yield "no recorded run calls it"


def _try_draft(
    draft: Draft,
    evidence: RunEvidence,
    source: ToolSource | None,
    recorded: Recorded | None,
    progress: ReportProgress,
) -> Mined:
    first: StrictTrial | None = None
    last: StrictTrial | None = None
    # each trial may withdraw something, and the next one shows what is left
    for number in range(_TRIALS if recorded is not None else 0):
        assert recorded is not None
        last = _run_trial(execute_module(render_module(draft, Header())), recorded, progress)
        first = first or last
        # the last trial must be of the policy that is written
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
    progress("proving it")
    return Mined(
        text=text,
        draft=draft,
        evidence=evidence,
        first=first,
        last=last,
        stays=stays,
        proof=prove(execute_module(text)),
    )


def _run_trial(policy: Policy, recorded: Recorded, progress: ReportProgress) -> StrictTrial:
    trial = StrictTrial(policy)
    firewalls = Firewalls(policy)
    tried = progress("trying it on the runs")
    for run in recorded.runs(on_bytes=tried, forget=firewalls.forget):
        for judged in judge_run(run, firewalls.of(run)):
            trial.update(judged)
    return trial
