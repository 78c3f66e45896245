"""Policies mined from recorded runs, one a toolset: ``python benchmarks/init.py``; prints JSON."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from abs_shield import Mode, Shield
from abs_shield.replay import judge_run
from abs_shield.replay.mining import Given, Mined, Recorded, Source, mine
from abs_shield.replay.mining.module import executed
from abs_shield.replay.toolsets import tools_of

_SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def main(arguments: Sequence[str] | None = None) -> None:
    """Mine every toolset, and count what the written policy blocks once it is strict."""
    data = Path(os.environ.get("ABS_SHIELD_DATA", _SHARED)) / "toolcalls"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=data, help="folder of the recorded runs")
    parser.add_argument("--toolset", action="append", help="only this one; may be repeated")
    given = parser.parse_args(arguments)
    if not (given.data / "runs.jsonl.gz").is_file():
        print(f"skipped: no recorded runs at {given.data}")
        return
    named = json.loads((given.data / "toolsets.json").read_text())
    paths = (str(given.data / "runs.jsonl.gz"),)
    print(json.dumps([_mined(name, named, paths) for name in given.toolset or named], indent=2))


def _mined(name: str, named: dict[str, Any], paths: tuple[str, ...]) -> dict[str, Any]:
    recorded = Recorded(paths=paths, toolsets=Given(named), toolset=name)
    started = perf_counter()
    mined = mine(Source(name="toolsets.json", tools=tools_of(named[name])), recorded)
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
        "let_through": len(mined.draft.passes),
        "blocked_in_strict": _blocked(mined, recorded),
        "flagged": dict(sorted(mined.last.flagged.items())),
        "prove_errors": len(mined.proof.errors),
        "prove_warnings": len(mined.proof.warnings),
        "lines": mined.text.count("\n"),
        "seconds": round(seconds, 1),
    }


def _blocked(mined: Mined, recorded: Recorded) -> int:
    """Calls that a strict Shield of the written policy really stops."""
    door = Shield(executed(mined.text).model_copy(update={"mode": Mode.STRICT}), hooks=None)
    return sum(one.decision.blocked for run in recorded.runs() for one in judge_run(run, door))


if __name__ == "__main__":
    main()
