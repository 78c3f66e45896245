"""The detection benchmark runs on a few recorded runs, and says so where there are none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("ABS_SHIELD_DATA", ROOT.parent / "shared" / "data")) / "toolcalls"
recorded = pytest.mark.skipif(
    not (DATA / "runs.jsonl.gz").is_file(),
    reason=f"there are no recorded runs at {DATA}; set ABS_SHIELD_DATA",
)


def printed(*options: str) -> str:
    """Give what the script prints; a failing script fails the test."""
    command = [sys.executable, str(ROOT / "benchmarks" / "detection.py"), *options]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout


def test_no_data_is_said(tmp_path: Path) -> None:
    """Without recorded runs there is one line, and no failure."""

    assert f"skipped: no recorded runs at {tmp_path}\n" == printed("--data", str(tmp_path))


@pytest.mark.data
@recorded
def test_a_few_runs_fill_every_table() -> None:
    """Twenty runs give the tables of both policies."""
    told = json.loads(printed("--data", str(DATA), "--limit", "20", "--format", "json"))
    titles = [table["title"][:2] for table in told["none"]]

    assert ["1a", "1b", "1c", "2.", "3.", "4a", "4b", "4c", "4d", "5a", "5b", "6."] == titles
    assert titles == [table["title"][:2] for table in told["author"]]


@pytest.mark.data
@recorded
def test_planted_faults_are_counted_once() -> None:
    """A kind's sources have as many faults as its domains."""
    told = json.loads(printed("--data", str(DATA), "--limit", "20", "--format", "json"))
    by_source, by_domain = (table["rows"] for table in told["none"][:2])
    faults = [rate for row in by_source for rate in row.values() if isinstance(rate, dict)]

    assert 0 < sum(rate["total"] for rate in faults)
    assert sum(rate["total"] for rate in faults) == sum(r["rate"]["total"] for r in by_domain)
