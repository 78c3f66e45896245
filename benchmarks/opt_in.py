"""Findings of the opt-in layers in recorded runs: ``python benchmarks/opt_in.py``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from command_line import QUICK_NOTE, command_parser, report_progress
from recorded_data import QUICK_RUNS, data_folder, require_runs, sampled
from rich.console import Console
from rich.table import Table

from abs_shield import shield
from abs_shield.core.vocabularies import OPT_IN_NAMES
from abs_shield.replay import BadLine, Firewalls, Toolsets, judge_run, runs
from abs_shield.stats.share_intervals import wilson


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what each layer flags of honest calls, and of calls that an injection asked for."""
    data = data_folder() / "toolcalls"
    parser = command_parser(__doc__, example="opt_in.py --quick", quick=QUICK_RUNS)
    parser.add_argument("--data", type=Path, default=data, help="folder of the recorded runs")
    options = parser.parse_args(arguments)
    require_runs(options.data)
    with sampled(options.data, quick=options.quick) as folder:
        table = _table(*_counted(folder))
    if options.quick:
        print(QUICK_NOTE)
    Console(width=110).print(table)


def _counted(folder: Path) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """Count, by layer and kind of call, the calls that were judged and those that were flagged."""
    toolsets = Toolsets(json.loads((folder / "toolsets.json").read_text()))
    firewalls = Firewalls(shield.configure(mode="audit", layers=list(OPT_IN_NAMES)))
    judged: Counter[tuple[str, str]] = Counter()
    flagged: Counter[tuple[str, str]] = Counter()
    path = str(folder / "runs.jsonl.gz")
    for run in report_progress(runs([path], toolsets), doing="judging runs"):
        injected = None if isinstance(run, BadLine) else run.labels.get("injected_calls")
        if isinstance(run, BadLine) or not (run.success or injected):
            continue
        attacked = bool(run.labels.get("attack"))
        for one in judge_run(run, firewalls.of(run)):
            kind = "injected" if one.call_index in (injected or ()) else run.source
            if attacked and kind != "injected":
                continue
            for layer, coverage in one.decision.coverage.items():
                judged[layer, kind] += coverage.outcome == "ran"
            for layer in {finding.check for finding in one.decision.findings}:
                flagged[layer, kind] += 1
    return judged, flagged


def _table(judged: Counter[tuple[str, str]], flagged: Counter[tuple[str, str]]) -> Table:
    table = Table("flagged of judged", *OPT_IN_NAMES, title="Opt-in layers", title_justify="left")
    for kind in sorted({kind for _, kind in judged}):
        cells = [_rate(flagged[layer, kind], judged[layer, kind]) for layer in OPT_IN_NAMES]
        table.add_row(kind.rpartition("/")[2], *cells)
    return table


def _rate(hits: int, total: int) -> str:
    low, high = wilson(hits, total)
    return f"{hits}/{total} {hits / total:.3f} [{low:.3f}, {high:.3f}]" if total else "-"


if __name__ == "__main__":
    main()
