"""The policies' benchmark runs on a few recorded runs, and says so where there are none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("ABS_SHIELD_DATA", ROOT.parent / "shared" / "data")) / "toolcalls"


def run_script(*options: str) -> str:
    """Return what the script prints; a failing script fails the test."""
    command = [sys.executable, str(ROOT / "benchmarks" / "policies.py"), *options]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout


@pytest.mark.data
@pytest.mark.skipif(
    not (DATA / "runs.jsonl.gz").is_file(),
    reason=f"there are no recorded runs at {DATA}; set ABS_SHIELD_DATA",
)
def test_a_few_runs_fill_every_table() -> None:
    """Ten runs of each policy are judged, every call of them."""
    output = run_script("--data", str(DATA), "--limit", "10")
    totals = [line for line in output.splitlines() if line.startswith("| all |")]

    assert 3 == output.count("0 calls could not be judged") == len(totals)
    assert all(sum(map(int, line.split("|")[2:-1])) >= 10 for line in totals)
