"""The page of the rollout shows the output of the commands on the recorded runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("ABS_SHIELD_DATA", ROOT.parent / "shared" / "data")) / "toolcalls"
TEXT = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DATED = re.compile(r", \d{4}-\d\d-\d\d .*")


def words(line: str) -> str:
    """Return a line without its dates and the widths of its columns."""
    return " ".join(DATED.sub("", line).split())


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="the recorded runs are not here")
def test_every_line_of_the_walk_is_printed():
    """Counts, rates, reasons and changes, each line of them."""
    argv = [sys.executable, str(ROOT / "benchmarks" / "rollout.py"), "--data", str(DATA)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=900, check=True)
    printed = {words(line) for line in done.stdout.splitlines()}
    page = (ROOT / "docs" / "rollout.md").read_text(encoding="utf-8")
    shown = {words(line) for block in TEXT.findall(page) for line in block.splitlines()}

    assert [] == sorted(shown - printed - {""})
    assert ["exit 0"] * 4 + ["exit 1"] + ["exit 0"] * 3 == re.findall(
        r"^exit \d", done.stdout, re.M
    )
