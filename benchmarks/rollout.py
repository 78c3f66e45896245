"""
The steps of docs/rollout.md on recorded runs: audit, report, labels, backtest, planted faults.

    python benchmarks/rollout.py --data ../shared/data/toolcalls

The decision log is filled by a replay instead of a live agent, and a call is labelled hallucinated
where the recorded tool itself refused it: nobody's opinion is in it.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from command_line import QUICK_NOTE, announce, command_parser, report_progress
from recorded_data import QUICK_RUNS, data_folder, require_runs, sampled

from abs_shield.replay import replay
from abs_shield.stores import SqliteStore

TOOLSET = "agentdojo:workspace:v1"
OLD = """
from abs_shield import shield

policy = shield.configure(mode="audit")
"""
NEW = """
from abs_shield import shield

NOT_YET = ("send_email", "share_file", "search_files", "search_emails")
policy = shield.configure(
    mode="audit",
    modes={
        "phantom_tool": "strict",
        "parameter_mismatch": "strict",
        **{(tool, "parameter_mismatch"): "audit" for tool in NOT_YET},
    },
)
"""
COMMAND = "import sys; from abs_shield.cli import main; sys.exit(main())"


def chosen(data: Path) -> Iterator[dict[str, Any]]:
    """Yield the recorded runs of one agent."""
    with gzip.open(data / "runs.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            run = json.loads(line)
            if run["toolset"] == TOOLSET:
                yield run


def audited(runs: Path, toolsets: dict[str, Any], log: Path) -> None:
    """Keep what audit mode decides, as a live agent's Shield with this store would have."""
    with closing(SqliteStore(log)) as store:
        judging = replay([runs], toolsets=toolsets)
        for judged in report_progress(judging, doing="judging calls in audit mode"):
            store.append(judged.decision)


def refused(runs: list[dict[str, Any]], log: Path) -> list[str]:
    """Return the ids of calls that strict mode would block and the recorded tool refused."""
    answers: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for run in runs:
        for message in run["messages"]:
            if message["role"] == "tool":
                key = (run["run_id"], str(message.get("tool_call_id")))
                answers.setdefault(key, []).append(message)
    with closing(SqliteStore(log, existing=True)) as store:
        blocked = [decision for decision in store.scan() if decision.would_block]
    return [
        decision.id
        for decision in blocked
        if any(m.get("error") for m in answers.get((decision.run_id, str(decision.call_id)), ()))
    ]


def shown(folder: Path, *words: str) -> None:
    """Run a command, and print it with what it prints."""
    announce(f"abs-shield {words[0]}")
    print(f"$ abs-shield {' '.join(words)}", flush=True)
    env = {**os.environ, "COLUMNS": "140", "PYTHONPATH": str(Path(__file__).parents[1])}
    argv = [sys.executable, "-c", COMMAND, *words]
    done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, check=False)
    print(f"{done.stdout}{done.stderr}exit {done.returncode}\n", flush=True)


def main() -> None:
    """Print every output of the page."""
    parser = command_parser(__doc__.splitlines()[1], example="rollout.py --quick", quick=QUICK_RUNS)
    default = data_folder() / "toolcalls"
    parser.add_argument("--data", type=Path, default=default, help="folder of the recorded runs")
    options = parser.parse_args()
    require_runs(options.data)
    if options.quick:
        print(f"{QUICK_NOTE}\n")
    with sampled(options.data, quick=options.quick) as data:
        walk(data)


def walk(data: Path) -> None:
    """Take the steps of the page, and print what each prints."""
    toolsets = json.loads((data / "toolsets.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        runs = list(chosen(data))
        lines = "".join(json.dumps(run) + "\n" for run in runs)
        (folder / "runs.jsonl").write_text(lines, encoding="utf-8")
        (folder / "toolsets.json").write_text(json.dumps({TOOLSET: toolsets[TOOLSET]}))
        (folder / "old.py").write_text(OLD)
        (folder / "new.py").write_text(NEW)
        audited(folder / "runs.jsonl", toolsets, folder / "decisions.db")
        shown(folder, "report", "decisions.db", "--rows", "6")
        wrong = refused(runs, folder / "decisions.db")
        (folder / "review.txt").write_text("".join(f"{each} hallucinated\n" for each in wrong))
        shown(folder, "label", "--from", "review.txt", "--db", "decisions.db", "--by", "tools")
        shown(folder, "report", "decisions.db", "--rows", "6", "--html", "report.html")
        words = ["--policy", "new.py:policy", "--against", "old.py:policy"]
        options = ["--tools", "toolsets.json", "--examples", "1"]
        shown(folder, "backtest", "runs.jsonl", *words, *options)
        shown(folder, "backtest", "runs.jsonl", *words, *options, "--fail-on", "allow-to-block")
        shown(folder, "plant", "runs.jsonl", "--tools", "toolsets.json", "-o", "planted")
        shown(folder, "backtest", "planted", *words[:2], "--modes", "strict", "--examples", "0")
        shown(folder, "log", "verify", "decisions.db")


if __name__ == "__main__":
    main()
