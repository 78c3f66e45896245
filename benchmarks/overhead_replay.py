"""Cost of a replay beyond reading JSON: ``python benchmarks/overhead_replay.py [FILE]``."""

from __future__ import annotations

import gzip
import json
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from command_line import command_parser, report_progress
from overhead_talk import ONE_SCHEMA, prose, result

from abs_shield.replay import replay


def measure(
    file: Path | None = None, *, tools: Path | None = None, rounds: int = 3
) -> dict[str, Any]:
    """
    Replay a file of runs and read it as JSON, in turn, on one core.

    Args:
        file: Runs; made-up ones of ten calls each where None.
        tools: The toolsets that the runs name.

    Returns:
        Seconds of both, the ratio, and how many calls were judged.
    """
    toolsets = None if tools is None else json.loads(tools.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        path = _write_runs(Path(folder) / "runs.jsonl") if file is None else file
        replayed, read, calls = [], [], 0
        for _ in report_progress(range(rounds), doing="replaying", total=rounds):
            started = perf_counter()
            _read(path)
            read.append(perf_counter() - started)
            started = perf_counter()
            calls = sum(1 for _ in replay([path], toolsets=toolsets))
            replayed.append(perf_counter() - started)
    return {
        "calls": calls,
        "json_s": round(median(read), 3),
        "replay_s": round(median(replayed), 3),
        "replay_over_json": round(median(replayed) / median(read), 2),
    }


def _read(path: Path) -> None:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            json.loads(line)


def _write_runs(path: Path, *, runs: int = 200) -> Path:
    """Write runs of ten calls, each with a result and a closing sentence."""
    dice = random.Random(11)
    tool = {"name": "get_order", "description": "Look an order up.", "parameters": ONE_SCHEMA}
    with path.open("w", encoding="utf-8") as lines:
        for run in range(runs):
            messages = [{"role": "system", "content": f"You are a shop's desk. {prose(200, dice)}"}]
            for n in range(run * 10, run * 10 + 10):
                question = f"What about ord_{n:06}? {prose(20, dice)}"
                call = {"id": f"c{n}", "name": "get_order", "arguments": {"id": f"ord_{n:06}"}}
                messages += [
                    {"role": "user", "content": question},
                    {"role": "assistant", "content": None, "tool_calls": [call]},
                    {"role": "tool", "tool_call_id": f"c{n}", "content": result(n, dice)},
                    {"role": "assistant", "content": prose(30, dice)},
                ]
            record = {"run_id": f"run-{run}", "tools": [tool], "messages": messages}
            lines.write(json.dumps(record) + "\n")
    return path


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one JSON object."""
    parser = command_parser(__doc__, example="overhead_replay.py")
    parser.add_argument("file", nargs="?", type=Path, help="runs of your own")
    parser.add_argument("--tools", type=Path, help="the toolsets that they name")
    options = parser.parse_args(arguments)
    print(json.dumps(measure(options.file, tools=options.tools), indent=2))


if __name__ == "__main__":
    main()
