"""Policies mined from recorded runs of other projects block none of them."""

from __future__ import annotations

import json

import pytest

from tests.processes import run_benchmark
from tests.requirements import TOOLCALLS, needs_runs


@pytest.mark.data
@needs_runs
@pytest.mark.parametrize("toolset", ["agentdojo:banking:v1", "tau2:airline"])
def test_a_toolset_is_mined(toolset: str) -> None:
    """The mined policy is proved, blocks no call, and each option allows more calls."""
    (row,) = json.loads(run_benchmark("init", "--data", TOOLCALLS, "--toolset", toolset))

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
