"""Recorded and planted results: ``python benchmarks/verification_recorded.py``.

Prints for each folder of recorded runs how many results were not accepted, how many of them for
their shape, and in how many tools that gave at least 60 objects a planted result is not accepted.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from command_line import command_parser, report_progress
from recorded_data import QUICK_RUNS, data_folder, sampled, stop_without

from abs_shield.replay.planted_cases import RUNS
from abs_shield.verification import VerificationEngine

FOLDERS = ("toolcalls", "fields")
LEAST = 60
PLANTED: dict[str, Any] = {
    "{}": {}, "null": None, "[]": [], "prose": "I could not look that up; it is about 100.",
    "another object": {"answer": "the price is 100"},
}  # fmt: skip


class Tool:
    """One tool of one set, with an engine of its own."""

    def __init__(self) -> None:
        self.engine = VerificationEngine()
        self.results = self.flagged = self.by_shape = 0
        self.last: tuple[Any, str] = (None, "")

    def gives(self, result: Any, arguments: Any, run: str) -> None:
        """Judge one result, and count it."""
        self.last = arguments, run
        verification = self.engine.verify(
            "t", args=arguments, result=result, execution_time_ms=300.0, session_id=run
        )
        self.results += 1
        self.flagged += verification.verdict != "accept"
        self.by_shape += (
            verification.verdict != "accept" and verification.signals["schema_mismatch"].fired
        )

    @property
    def gives_objects(self) -> bool:
        """Return whether it gave objects alone, and enough of them, where it did not fail."""
        snapshots = self.engine.snapshot()["results"].values()
        kinds = [one["kind"] for one in snapshots if one["kind"]]
        return len(kinds) >= LEAST and {"object"} == {*kinds}

    def finds(self, planted: Any) -> bool:
        """Return whether a planted result is not accepted next."""
        engine = VerificationEngine().restore(self.engine.snapshot())
        arguments, run = self.last
        verification = engine.verify(
            "t", args=arguments, result=planted, execution_time_ms=300.0, session_id=run
        )
        return verification.verdict != "accept"


def recorded(path: Path) -> Iterator[tuple[tuple[str, ...], Any, Any, str]]:
    """Yield tool, arguments, result and run of each result without a recorded failure."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            run = json.loads(line)
            calls: dict[str, Any] = {}
            for message in run["messages"]:
                calls |= {call["id"]: call for call in message.get("tool_calls") or ()}
                call = calls.get(message.get("tool_call_id", ""))
                if message["role"] == "tool" and call is not None and not message.get("error"):
                    tool = (run["source"], str(run["toolset"]), call["name"])
                    yield tool, call["arguments"], message["content"], run["run_id"]


def measured(path: Path) -> dict[str, Any]:
    """Return the figures of one file."""
    tools: dict[tuple[str, ...], Tool] = {}
    doing = f"{path.parent.name}: verifying results"
    for name, arguments, result, run in report_progress(recorded(path), doing=doing):
        tools.setdefault(name, Tool()).gives(result, arguments, run)
    large = [tool for tool in tools.values() if tool.gives_objects]
    results = Counter(name for tool in large for name, x in PLANTED.items() if tool.finds(x))
    total = sum(tool.results for tool in tools.values())
    return {
        "tools": len(tools),
        "results": total,
        "not_accepted": round(sum(tool.flagged for tool in tools.values()) / total, 5),
        "not_accepted_for_their_shape": sum(tool.by_shape for tool in tools.values()),
        "tools_with_objects": len(large),
        "planted_and_not_accepted": {name: results[name] for name in PLANTED},
    }


def main() -> None:
    """Print the figures as JSON; name each folder that is not there."""
    parser = command_parser(__doc__, example="verification_recorded.py --quick", quick=QUICK_RUNS)
    parser.add_argument(
        "--data", type=Path, default=data_folder(), help=f"folder of {' and '.join(FOLDERS)}"
    )
    options = parser.parse_args()
    folders = [options.data / name for name in FOLDERS]
    if not any((folder / RUNS).is_file() for folder in folders):
        stop_without("recorded runs", *folders)
    report: dict[str, Any] = {"quick": options.quick}
    for folder in folders:
        if not (folder / RUNS).is_file():
            report[folder.name] = "skipped: no recorded runs"
            continue
        with sampled(folder, quick=options.quick) as sample:
            report[folder.name] = measured(sample / RUNS)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
