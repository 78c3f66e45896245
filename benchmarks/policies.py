"""Findings of the policies of `policies/` in recorded runs: ``python benchmarks/policies.py``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from command_line import QUICK_NOTE, command_parser, report_progress
from recorded_data import QUICK_RUNS, data_folder, require_runs, sampled

from abs_shield.core import LAYER_NAMES
from abs_shield.policy import Policy, load_policy
from abs_shield.replay import BadLine, Firewalls, Judged, Run, Toolsets, judge_run, runs

FITS = {
    "airline_support": "airline",
    "bank_desk": "banking",
    "workspace_assistant": "workspace",
}
"""A policy of `policies/`, and the domain of the recorded runs that it fits."""
KINDS = ("success, own", "success, injected", "other, own", "other, injected")
"""How a call's run ended, and whether a planted instruction asked for the call."""


@dataclass(frozen=True)
class PolicyCounts:
    """Calls of one policy's runs, by kind; flagged ones by layer, and by rule."""

    runs: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    blocked: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    layers: Counter[tuple[str, str]] = field(default_factory=Counter)
    rules: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, judged: Judged, kind: str) -> None:
        """Count one call."""
        self.calls[kind] += 1
        self.blocked[kind] += judged.decision.would_block
        self.errors[kind] += bool(judged.decision.errors)
        weighing = [finding for finding in judged.decision.findings if finding.weighs]
        for layer in {finding.check for finding in weighing}:
            self.layers[layer, kind] += 1
        for sentence in {str(finding.expected) for finding in weighing if finding.code == "rule"}:
            self.rules[sentence, kind] += 1


def main(arguments: Sequence[str] | None = None) -> None:
    """Print, for each policy, what it flags by layer and by rule, as markdown."""
    data = data_folder() / "toolcalls"
    parser = command_parser(__doc__, example="policies.py --quick", quick=QUICK_RUNS)
    parser.add_argument("--data", type=Path, default=data, help="folder of the recorded runs")
    parser.add_argument("--limit", type=int, help="judge the first runs of each policy only")
    options = parser.parse_args(arguments)
    require_runs(options.data)
    with sampled(options.data, quick=options.quick) as folder:
        measured = _measured(folder, options.limit)
    if options.quick:
        print(f"{QUICK_NOTE}\n")
    for name, observed in measured.items():
        print("\n".join([f"### `policies/{name}.py`", "", *_page(observed)]))


def _measured(folder: Path, limit: int | None) -> dict[str, PolicyCounts]:
    policies = {name: _policy(name) for name in FITS}
    firewalls = {name: Firewalls(policy) for name, policy in policies.items()}
    observed = {name: PolicyCounts() for name in FITS}
    toolsets = Toolsets(json.loads((folder / "toolsets.json").read_text()))
    path = str(folder / "runs.jsonl.gz")
    for run in report_progress(runs([path], toolsets), doing="judging runs"):
        name = "" if isinstance(run, BadLine) else _fitting(run)
        if isinstance(run, BadLine) or not name or observed[name].runs.total() == limit:
            continue
        observed[name].runs["success" if run.success else "other"] += 1
        for judged in judge_run(run, firewalls[name].of(run)):
            observed[name].add(judged, _kind(run, judged))
    return observed


def _policy(name: str) -> Policy:
    return load_policy(f"policies.{name}:policy")


def _fitting(run: Run) -> str:
    return next((name for name, domain in FITS.items() if domain in run.toolset.split(":")), "")


def _kind(run: Run, judged: Judged) -> str:
    injected = judged.call_index in (run.labels.get("injected_calls") or ())
    return KINDS[2 * (not run.success) + injected]


def _page(observed: PolicyCounts) -> Iterator[str]:
    runs_text = f"{observed.runs['success']} successful runs, {observed.runs['other']} others"
    yield f"{runs_text}; {observed.errors.total()} calls could not be judged."
    yield ""
    yield from _head("Calls")
    yield _row("all", [observed.calls[kind] for kind in KINDS])
    for layer in LAYER_NAMES:
        yield _row(f"flagged by `{layer}`", [observed.layers[layer, kind] for kind in KINDS])
    yield _row("strict would block", [observed.blocked[kind] for kind in KINDS])
    yield ""
    yield from _head("Rule")
    for sentence in sorted({sentence for sentence, _ in observed.rules}):
        yield _row(sentence, [observed.rules[sentence, kind] for kind in KINDS])
    yield ""


def _head(first: str) -> list[str]:
    return [_row(first, KINDS), "|---" * (len(KINDS) + 1) + "|"]


def _row(first: str, cells: Iterable[object]) -> str:
    return f"| {first} | {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
