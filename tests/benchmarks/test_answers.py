"""The benchmark of the hard checks runs on recorded data, where there is some."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("ABS_SHIELD_DATA", ROOT.parent / "shared" / "data"))


@pytest.mark.skipif(
    not (DATA / "toolcalls" / "runs.jsonl.gz").exists(),
    reason="the recorded runs are not here; $ABS_SHIELD_DATA names their folder",
)
def test_a_few_runs_are_measured():
    """False alarms, changed figures and deeds of some runs, as one JSON object."""
    done = subprocess.run(
        [
            sys.executable, "benchmarks/answers.py", "--data", str(DATA), "--only", "runs",
            "--every", "100",
        ],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, cwd=ROOT,
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert "" == done.stderr
    replies = json.loads(done.stdout)["replies"]

    assert replies["turns"] > 0
    assert replies["share of turns flagged"] <= 0.1
    assert replies["seen"]["id"]["share"] >= 0.9
