"""The policies' benchmark runs on a few recorded runs, and says so where there are none."""

from __future__ import annotations

import pytest

from tests.processes import run_benchmark
from tests.requirements import TOOLCALLS, needs_runs


@pytest.mark.data
@needs_runs
def test_a_few_runs_fill_every_table() -> None:
    """Ten runs of each policy are judged, every call of them."""
    output = run_benchmark("policies", "--data", TOOLCALLS, "--limit", "10")
    totals = [line for line in output.splitlines() if line.startswith("| all |")]

    assert 3 == output.count("0 calls could not be judged") == len(totals)
    assert all(sum(map(int, line.split("|")[2:-1])) >= 10 for line in totals)
