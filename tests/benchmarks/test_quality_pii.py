"""The benchmark of the PII stage reaches its goals on a few values."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("faker", reason="the benchmark makes its values with `faker`")
pytest.importorskip("stdnum", reason="the benchmark checks its values with `python-stdnum`")

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_every_type_reaches_its_goal(tmp_path: Path) -> None:
    """Of each type and locale a few values, from a seed that is used nowhere else."""
    command = [sys.executable, str(ROOT / "benchmarks" / "quality_pii.py"), "--each", "8"]
    command += ["--seed", "52", "--data", str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    *rows, last = done.stdout.splitlines()

    assert f"skipped: no recorded texts at {tmp_path}" == last
    assert 30 <= sum(" ok" in row for row in rows)
    assert [] == [row for row in rows if "MISS" in row]
