"""Speed and memory of a replay: ``python benchmarks/replay.py --data FOLDER``."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from command_line import announce, command_parser, report_progress
from overhead_talk import ONE_SCHEMA, prose, result
from recorded_data import require_runs

from abs_shield.replay import Judging, WorkerPool, chunks, raw_lines
from abs_shield.replay.engines import outcomes

ENGINES = {
    "serial": ("serial", WorkerPool()),
    "two_workers": ("processes", WorkerPool(workers=2)),
    "ray_of_two": ("ray", WorkerPool(workers=2)),
}
SIZES, QUICK_SIZES = (10, 100, 1_000), (10, 40)
"""Megabytes of the files whose replay takes the memory that is measured."""
_MB = 1_000_000
_POLL_S = 0.02
_MAIN = "import sys; from abs_shield.cli import main; sys.exit(main())"


def speed(path: Path, tools: Path | None, *, rounds: int = 1) -> dict[str, Any]:
    """
    Replay *path* with each engine, in turn, and read it as JSON.

    Returns:
        Of the fastest round, calls a second, the start of the engine included, and seconds until
        its first part came; the share of decoding in the processor time of the serial replay;
        whether all wrote the same bytes.
    """
    toolsets = {} if tools is None else json.loads(tools.read_text(encoding="utf-8"))
    job = Judging(rows="jsonl", toolsets=toolsets)
    tried = [
        {name: _replayed(path, job, *engine) for name, engine in ENGINES.items()}
        for _ in report_progress(range(rounds), doing="replaying", total=rounds)
    ]
    measured = {
        name: max((one[name] for one in tried), key=lambda one: one["calls_per_s"] or 0)
        for name in ENGINES
    }
    ran = {name: one for name, one in measured.items() if "calls" in one}
    serial = ran["serial"]
    return {
        "calls": serial["calls"],
        "engines": measured,
        "over_serial": {
            name: round(one["calls_per_s"] / serial["calls_per_s"], 2) for name, one in ran.items()
        },
        "json_share_of_serial": round(_decoded(path) / serial["cpu_s"], 3),
        "same_bytes": len({one["sha256"] for one in ran.values()}) == 1,
    }


def _replayed(path: Path, job: Judging, engine: str, workers: WorkerPool) -> dict[str, Any]:
    if engine == "ray" and importlib.util.find_spec("ray") is None:
        return {"calls_per_s": None, "reason": "Ray is not installed: the extra `ray`"}
    hashed, calls, first = hashlib.sha256(), 0, 0.0
    started, worked = perf_counter(), process_time()
    for part in outcomes(job, chunks(raw_lines([str(path)])), engine=engine, pool=workers):
        first = first or perf_counter() - started
        hashed.update(part.rows)
        calls += part.tally.verdicts.total()
    seconds = perf_counter() - started
    return {
        "calls": calls,
        "seconds": round(seconds, 2),
        "cpu_s": round(process_time() - worked, 2),
        "calls_per_s": round(calls / seconds),
        "first_part_after_s": round(first, 2),
        "sha256": hashed.hexdigest()[:16],
    }


def _decoded(path: Path) -> float:
    """Seconds of the processor for JSON alone; reading and unpacking the file is not counted."""
    seconds = 0.0
    for line in raw_lines([str(path)]):
        data = line.data  # type: ignore[union-attr]
        started = process_time()
        json.loads(data.decode())
        seconds += process_time() - started
    return seconds


def memory(sizes: Sequence[int], *, folder: Path, sort: bool = False) -> dict[str, Any]:
    """Return the peak of all processes of `abs-shield replay --workers 2`, in MB, for each size."""
    peaks = {}
    for size in sizes:
        announce(f"replaying {size} MB{', sorted' if sort else ''}")
        path = _write_runs(folder / "runs.jsonl", size=size * _MB)
        peaks[f"{size} MB"] = _peak(path, ("--sort",) if sort else ("--workers", "2"))
        path.unlink()
    smallest, *_, largest = peaks.values()
    return {"peak_mb": peaks, "largest_over_smallest": round(largest / smallest, 2)}


def _peak(path: Path, more: Sequence[str]) -> float:
    rows = path.with_suffix(".out")
    argv = [sys.executable, "-c", _MAIN, "replay", str(path), "--format", "jsonl", "-o", str(rows)]
    process = subprocess.Popen([*argv, *more])
    peak = 0
    while process.poll() is None:
        peak = max(peak, sum(map(_resident, _tree(process.pid))))
        time.sleep(_POLL_S)
    if process.returncode != 0:
        raise RuntimeError(f"the replay ended with {process.returncode}")
    rows.unlink()
    return round(peak / _MB, 1)


def _tree(pid: int) -> Iterator[int]:
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from _tree(int(child))


def _resident(pid: int) -> int:
    """Bytes that a process has in memory; pages that several share are counted for each."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
    except (OSError, IndexError):
        return 0


def _write_runs(path: Path, *, size: int) -> Path:
    """Write runs of three calls with long results, two runs a session, up to *size* bytes."""
    dice = random.Random(11)
    tool = {"name": "get_order", "description": "Look an order up.", "parameters": ONE_SCHEMA}
    bodies = [prose(1_200, dice) for _ in range(50)]
    with path.open("w", encoding="utf-8") as lines:
        written = run = 0
        while written < size:
            record = {
                "run_id": f"run-{run}",
                "session_id": f"session-{run // 2}",
                "tools": [tool],
                "messages": list(_messages(run, bodies, dice)),
            }
            written += lines.write(json.dumps(record) + "\n")
            run += 1
    return path


def _messages(run: int, bodies: list[str], dice: random.Random) -> Iterator[dict[str, Any]]:
    for n in range(run * 3, run * 3 + 3):
        name = f"ord_{n:07}"
        call = {"id": f"c{n}", "name": "get_order", "arguments": {"id": name}}
        yield {"role": "user", "content": f"What about {name}?"}
        yield {"role": "assistant", "content": None, "tool_calls": [call]}
        text = f"{result(n, dice)} {dice.choice(bodies)}"
        yield {"role": "tool", "tool_call_id": f"c{n}", "content": text}


def measure(data: Path | None, *, quick: bool) -> dict[str, Any]:
    """Measure speed on recorded runs, made-up ones where there are none; memory on made-up ones."""
    sizes = QUICK_SIZES if quick else SIZES
    rounds = 1 if quick else 3
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if data is None:
            figures = speed(_write_runs(folder / "speed.jsonl", size=10 * _MB), None, rounds=rounds)
        else:
            figures = speed(data / "runs.jsonl.gz", data / "toolsets.json", rounds=rounds)
        return {
            "runs": "made up" if data is None else "recorded",
            **figures,
            "memory_two_workers": memory(sizes, folder=folder),
            "memory_sort": memory(sizes[:2], folder=folder, sort=True),
        }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one JSON object."""
    parser = command_parser(
        __doc__, example="replay.py --quick", quick=f"at most {QUICK_SIZES[-1]} MB, not 1 GB"
    )
    parser.add_argument("--data", type=Path, help="a folder with runs.jsonl.gz and toolsets.json")
    options = parser.parse_args(arguments)
    if options.data is not None:
        require_runs(options.data)
    print(
        json.dumps({"quick": options.quick, **measure(options.data, quick=options.quick)}, indent=2)
    )


if __name__ == "__main__":
    main()
