"""
Policies mined from recorded runs, one a toolset: ``python benchmarks/init.py``; prints JSON.

Each is mined from all runs, and from the half that a hash of the run's id chooses, once for each
choice of ``--let-through``. The latter then judge the other half, beside a plain strict policy that
knows the tools alone.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from command_line import command_parser, report_progress
from recorded_data import QUICK_RUNS, data_folder, require_runs, sampled

from abs_shield import Mode, Policy, Shield, Verdict
from abs_shield.core.digest import digest
from abs_shield.mining import LenientToolsets, LetThrough, Mined, Recorded, ToolSource, mine
from abs_shield.mining.policy_module import execute_module
from abs_shield.policy import configure
from abs_shield.replay import Firewalls, judge_run
from abs_shield.replay.toolsets import tools_of


def main(arguments: Sequence[str] | None = None) -> None:
    """Mine every toolset, and count what the written policy blocks once it is strict."""
    data = data_folder() / "toolcalls"
    parser = command_parser(__doc__, example="init.py --quick", quick=QUICK_RUNS)
    parser.add_argument("--data", type=Path, default=data, help="folder of the recorded runs")
    parser.add_argument("--toolset", action="append", help="only this one; may be repeated")
    options = parser.parse_args(arguments)
    require_runs(options.data)
    with sampled(options.data, quick=options.quick) as folder:
        rows = [{"quick": options.quick} | row for row in _rows(folder, options.toolset)]
    print(json.dumps(rows, indent=2))


def _rows(folder: Path, chosen: Sequence[str] | None) -> list[dict[str, Any]]:
    """Return a row for each chosen toolset, else for all."""
    toolsets = json.loads((folder / "toolsets.json").read_text())
    path = folder / "runs.jsonl.gz"
    names = chosen or list(toolsets)
    with TemporaryDirectory() as temporary:
        halves = _halved(path, Path(temporary))
        return [
            _mined(name, toolsets, (str(path),)) | _held_out(name, toolsets, halves)
            for name in report_progress(names, doing="mining toolsets", total=len(names))
        ]


def _mined(name: str, toolsets: dict[str, Any], paths: tuple[str, ...]) -> dict[str, Any]:
    recorded = Recorded(paths=paths, toolsets=LenientToolsets(toolsets), toolset=name)
    started = perf_counter()
    mined = mine(ToolSource(name="toolsets.json", tools=tools_of(toolsets[name])), recorded)
    seconds = perf_counter() - started
    assert mined.first is not None
    assert mined.last is not None
    return {
        "toolset": name,
        "tools": len(mined.draft.tools),
        "calls": mined.evidence.calls,
        "proposals": mined.draft.counts(),
        "targets_without_a_mark": mined.draft.unmarked,
        "would_block_before": mined.first.would_block,
        "would_block": mined.last.would_block,
        "withdrawn": len(mined.draft.withdrawn),
        "enforced_refused": len(mined.draft.enforced),
        "suppressions_as_comments": len(mined.draft.proposed),
        "suppressions": len(mined.draft.active),
        "blocked_in_strict": _blocked(mined, recorded),
        "flagged": dict(sorted(mined.last.flagged.items())),
        "prove_errors": len(mined.proof.errors),
        "prove_warnings": len(mined.proof.warnings),
        "lines": mined.text.count("\n"),
        "seconds": round(seconds, 1),
    }


def _halved(path: Path, folder: Path) -> tuple[str, str]:
    """Write the runs into two files, by a hash of the session's id, else the run's."""
    halves = folder / "mined.jsonl", folder / "held_out.jsonl"
    with gzip.open(path) as lines, open(halves[0], "wb") as one, open(halves[1], "wb") as other:
        for line in lines:
            record = json.loads(line)
            name = str(record.get("session_id") or record["run_id"])
            (other if digest(name, size=1)[0] % 2 else one).write(line)
    return str(halves[0]), str(halves[1])


def _held_out(name: str, toolsets: dict[str, Any], halves: tuple[str, str]) -> dict[str, Any]:
    """Mine one half, and count what strict blocks of the other."""
    half, rest = (
        Recorded(paths=(path,), toolsets=LenientToolsets(toolsets), toolset=name) for path in halves
    )
    tools = tools_of(toolsets[name])
    source = ToolSource(name="toolsets.json", tools=tools)
    by_choice = {each: mine(source, half, let_through=each) for each in LetThrough}
    counts = {"plain": _stopped(configure(tools=tools), rest)}
    for choice, mined in by_choice.items():
        stopped = _stopped(execute_module(mined.text).enforced(), rest)
        counts[choice.value] = {"suppressions": len(mined.draft.active), **stopped}
    calls = by_choice[LetThrough.NONE].evidence.calls
    return {"held_out": {"calls_mined": calls, **counts}}


def _stopped(policy: Policy, recorded: Recorded) -> dict[str, int]:
    """Return what a strict policy blocks: findings, calls, and the recorded results of these."""
    counts = Counter(calls=0, blocking_findings=0, blocked=0, of_these_refused=0, of_these_worked=0)
    firewalls = Firewalls(policy)
    for run in recorded.runs(forget=firewalls.forget):
        for judged in judge_run(run, firewalls.of(run)):
            counts["calls"] += 1
            if judged.decision.would_block:
                counts["blocked"] += 1
                counts["of_these_refused"] += judged.refused
                counts["of_these_worked"] += judged.executed and not judged.refused
                counts["blocking_findings"] += sum(
                    finding.weighs and finding.verdict is Verdict.HALLUCINATED
                    for finding in judged.decision.findings
                )
    return dict(counts)


def _blocked(mined: Mined, recorded: Recorded) -> int:
    """Calls that a strict Shield of the written policy really stops."""
    firewall = Shield(
        execute_module(mined.text).model_copy(update={"mode": Mode.STRICT}), hooks=None
    )
    return sum(one.decision.blocked for run in recorded.runs() for one in judge_run(run, firewall))


if __name__ == "__main__":
    main()
