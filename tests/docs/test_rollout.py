"""The page of the rollout shows the output of the commands on the recorded runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.processes import run_benchmark
from tests.requirements import TOOLCALLS, needs_runs

ROOT = Path(__file__).parents[2]
TEXT = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DATED = re.compile(r", \d{4}-\d\d-\d\d .*")


def words(line: str) -> str:
    """Return a line without its dates and the widths of its columns."""
    return " ".join(DATED.sub("", line).split())


@pytest.mark.data
@needs_runs
def test_every_line_of_the_walk_is_printed():
    """Counts, rates, reasons and changes, each line of them."""
    output = run_benchmark("rollout", "--data", TOOLCALLS)
    printed = {words(line) for line in output.splitlines()}
    page = (ROOT / "docs" / "rollout.md").read_text(encoding="utf-8")
    shown = {words(line) for block in TEXT.findall(page) for line in block.splitlines()}

    assert [] == sorted(shown - printed - {""})
    assert ["exit 0"] * 4 + ["exit 1"] + ["exit 0"] * 3 == re.findall(r"^exit \d", output, re.M)
