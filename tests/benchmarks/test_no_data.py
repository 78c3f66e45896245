"""Each benchmark that the docs name has `--help`, and says what recorded data it lacks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `(\w+)\.py` \| .* \| (yes|no|in part) \|$", PAGE, re.MULTILINE))
NO_DATA = [name for name, needs in ROWS.items() if needs == "yes"]
EXTRA = "mcp_proxy"
"""Imports FastMCP first; `nox -s proxy` runs it."""


def run(name: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a benchmark where no recorded data is."""
    return subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), *options],
        env={**os.environ, "PYTHONPATH": str(ROOT), "ABS_SHIELD_DATA": "/nonexistent"},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_every_benchmark_of_the_docs_has_its_row() -> None:
    """A script that README, a page of docs/ or `.ci/full` runs stands in the table."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    named = {
        name
        for page in pages
        for name in re.findall(r"python benchmarks/(\w+)\.py", page.read_text(encoding="utf-8"))
    }

    assert set() == named - ROWS.keys()
    assert [] == [name for name in ROWS if not (ROOT / "benchmarks" / f"{name}.py").is_file()]


@pytest.mark.slow
@pytest.mark.parametrize("name", NO_DATA)
def test_what_is_missing_is_said(name: str) -> None:
    """One line on the standard error names what is missing, and the exit code is 2."""
    done = run(name)

    assert (2, "") == (done.returncode, done.stdout)
    assert re.fullmatch(
        r"no recorded runs at /nonexistent.*\n|no labelled answers at .*\n", done.stderr
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ROWS if name != EXTRA])
def test_help_is_printed(name: str) -> None:
    """`--help` runs nothing, and prints how it is called."""
    done = run(name, "--help")

    assert 0 == done.returncode, done.stderr
    assert f"{name}.py" in done.stdout
