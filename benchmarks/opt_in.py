"""Findings of the opt-in layers in recorded runs: ``python benchmarks/opt_in.py``."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from missing_data import stop_without
from rich.console import Console
from rich.table import Table

from abs_shield import shield
from abs_shield.core.layer_names import OPT_IN_NAMES
from abs_shield.replay import BadLine, Firewalls, Toolsets, judge_run, runs
from abs_shield.stats.wilson import wilson

_SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what each layer flags of honest calls, and of calls that an injection asked for."""
    data = Path(os.environ.get("ABS_SHIELD_DATA", _SHARED)) / "toolcalls"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=data, help="folder of the recorded runs")
    folder = parser.parse_args(arguments).data
    if not (folder / "runs.jsonl.gz").is_file():
        stop_without("recorded runs", folder)
    Console(width=110).print(_table(*_counted(folder)))


def _counted(folder: Path) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """Count, by layer and kind of call, the calls that were judged and those that were flagged."""
    toolsets = Toolsets(json.loads((folder / "toolsets.json").read_text()))
    firewalls = Firewalls(shield.configure(mode="audit", layers=list(OPT_IN_NAMES)))
    judged: Counter[tuple[str, str]] = Counter()
    flagged: Counter[tuple[str, str]] = Counter()
    for run in runs([str(folder / "runs.jsonl.gz")], toolsets):
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
