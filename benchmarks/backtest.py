"""Cost and results of backtests on recorded runs: ``python benchmarks/backtest.py``."""

from __future__ import annotations

import gzip
import json
import pickle
import tempfile
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from command_line import announce, command_parser, report_progress
from recorded_data import QUICK_RUNS, data_folder, require_runs, sampled

from abs_shield.backtest import Backtesting, Comparison, Kind, Proportion, Side, compare
from abs_shield.policy import configure
from abs_shield.replay import BadLine, Toolsets, WorkerPool, chunks, raw_lines, replay, runs
from abs_shield.replay.engines import outcomes


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what is measured in one run as one JSON object."""
    data = data_folder() / "toolcalls"
    parser = command_parser(__doc__, example="backtest.py --quick", quick=QUICK_RUNS)
    parser.add_argument("--data", type=Path, default=data, help="folder of the recorded runs")
    options = parser.parse_args(arguments)
    require_runs(options.data)
    with sampled(options.data, quick=options.quick) as folder:
        print(json.dumps({"quick": options.quick, **_measured(folder)}, indent=2))


def _measured(folder: Path) -> dict[str, Any]:
    toolsets = json.loads((folder / "toolsets.json").read_text(encoding="utf-8"))
    path = folder / "runs.jsonl.gz"
    with tempfile.TemporaryDirectory() as temporary:
        planted = Path(temporary) / "planted.jsonl"
        planted.write_text("".join(_planted(folder)), encoding="utf-8")
        measured = {**_cost(path, toolsets), "engines": _engines(path, toolsets)}
        return {**measured, "planted": _scores(planted, toolsets)}


def _cost(path: Path, toolsets: dict[str, Any]) -> dict[str, Any]:
    """Replay, and compare audit with strict, in turn on one core."""
    started = process_time()
    calls = sum(1 for _ in report_progress(replay([path], toolsets=toolsets), doing="replaying"))
    replayed = process_time() - started
    started = process_time()
    compared = _compared(path, toolsets, Side(configure()), Side(configure(mode="audit")))
    took = process_time() - started
    return {
        "calls": calls,
        "replay_cpu_s": round(replayed, 2),
        "backtest_cpu_s": round(took, 2),
        "backtest_over_replay": round(took / replayed, 2),
        "comparison_bytes": len(pickle.dumps(compared)),
        "audit_to_strict": {
            kind: {"calls": compared.kinds[kind], "in_successes": compared.in_successes[kind]}
            for kind in reversed(Kind)
        },
    }


def _engines(path: Path, toolsets: dict[str, Any]) -> dict[str, Any]:
    """Backtest the six layers with and without workers, starting included."""
    job, side = Backtesting(toolsets=toolsets), Side(configure())
    results = {}
    for workers in (1, 2):
        engine = "serial" if workers == 1 else "processes"
        announce(f"backtesting with the engine `{engine}`")
        worker_pool, whole = WorkerPool(workers=workers), Comparison.of(side)
        started = perf_counter()
        for part in outcomes(job, chunks(raw_lines([str(path)])), engine=engine, pool=worker_pool):
            whole.merge(part.comparison)
        took = perf_counter() - started
        results[f"{workers} process{'es' if workers > 1 else ''}"] = {
            "seconds": round(took, 1),
            "calls_per_second": round(whole.new.calls / took),
        }
    return results


def _scores(path: Path, toolsets: dict[str, Any]) -> dict[str, Any]:
    """Score the six layers, strict, on planted faults and harmless look-alikes."""
    figures = _compared(path, toolsets, Side(configure()), None).new
    return {
        "labelled": dict(figures.labelled),
        "sweep": [
            {
                "threshold": point.threshold,
                "precision": _share(point.flags.precision),
                "recall": _share(point.flags.recall),
                "recall_of_blocks": _share(point.blocks.recall),
            }
            for point in figures.sweep()
            if point.threshold in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
        ],
    }


def _share(share: Proportion) -> dict[str, Any]:
    low, high = share.interval
    value = None if share.value is None else round(share.value, 4)
    return {"value": value, "of": share.of, "low": round(low, 4), "high": round(high, 4)}


def _compared(path: Path, toolsets: dict[str, Any], new: Side, old: Side | None) -> Comparison:
    comparison = Comparison.of(new, old)
    for run in report_progress(runs([str(path)], Toolsets(toolsets)), doing="comparing runs"):
        if isinstance(run, BadLine) or compare(run, new, old, into=comparison) is not None:
            raise SystemExit(f"{run} is no run with readable labels")
    return comparison


def _planted(folder: Path) -> Iterator[str]:
    """Yield a labelled run for each fault that replaces a call; it ends with that call."""
    with gzip.open(folder / "runs.jsonl.gz", "rt", encoding="utf-8") as lines:
        recorded = {run["run_id"]: run for run in map(json.loads, lines)}
    with gzip.open(folder / "mutations.jsonl.gz", "rt", encoding="utf-8") as lines:
        for place, fault in enumerate(map(json.loads, lines)):
            if fault["op"] == "replace" and fault["expect"] != "info":
                yield json.dumps(_with(recorded[fault["run_id"]], fault, f"planted-{place}")) + "\n"


def _with(run: dict[str, Any], fault: dict[str, Any], name: str) -> dict[str, Any]:
    """Put the fault in place of its call, and label it."""
    at, index, messages = fault["call_index"], count(), []
    for message in run["messages"]:
        numbered = [(next(index), call) for call in message.get("tool_calls") or ()]
        calls = [fault["mutated_call"] if n == at else call for n, call in numbered if n <= at]
        messages.append({**message, "tool_calls": calls} if calls else message)
        if any(n >= at for n, _ in numbered):
            break
    label = "hallucinated" if fault["expect"] == "flag" else "ok"
    labels = {"success": None, "calls": {str(at): label}}
    return {**run, "run_id": name, "messages": messages, "labels": labels}


if __name__ == "__main__":
    main()
