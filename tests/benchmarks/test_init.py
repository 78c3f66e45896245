"""Policies mined from recorded runs of other projects block none of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("ABS_SHIELD_DATA", ROOT.parent / "shared" / "data")) / "toolcalls"


def run_script(*options: str) -> str:
    """Return what the script prints; a failing script fails the test."""
    command = [sys.executable, str(ROOT / "benchmarks" / "init.py"), *options]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout


@pytest.mark.data
@pytest.mark.skipif(
    not (DATA / "runs.jsonl.gz").is_file(),
    reason=f"there are no recorded runs at {DATA}; set ABS_SHIELD_DATA",
)
@pytest.mark.parametrize("toolset", ["agentdojo:banking:v1", "tau2:airline"])
def test_a_toolset_is_mined(toolset: str) -> None:
    """The mined policy is proved, blocks no call, and each option allows more calls."""
    (row,) = json.loads(run_script("--data", str(DATA), "--toolset", toolset))

    assert 0 == row["prove_errors"]
    assert row["would_block_before"] == row["would_block"] == row["blocked_in_strict"]
    assert row["calls"] > 1_000

    held = row["held_out"]
    choices = [held[name] for name in ("plain", "none", "worked", "all")]
    assert {row["calls"] - held["calls_mined"]} == {one["calls"] for one in choices}
    for one in choices:
        assert one["of_these_refused"] + one["of_these_worked"] <= one["blocked"]
        assert one["blocked"] <= one["blocking_findings"]
    blocked = [one["blocked"] for one in choices]
    assert blocked == sorted(blocked, reverse=True)
    assert (blocked[0] > 0) == (toolset == "agentdojo:banking:v1")
