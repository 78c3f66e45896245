"""Hand-written runs of many domains: few right calls are flagged, most faults are found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.processes import load_benchmark

FOLDER = Path(__file__).parents[2] / "benchmarks"


LIMITS = {"everyday.jsonl.gz": (15, 0.8)}
"""Of dialogues that were made to be hard: one right call in so many is flagged, so many found."""


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((FOLDER / "runs").glob("*.jsonl*")), ids=lambda p: p.name)
def test_runs_of_other_domains(path):
    """At most one right call in forty is flagged, and nine of ten phantom targets are found."""
    one_in, limit = LIMITS.get(path.name, (40, 0.9))
    result = load_benchmark("elsewhere").judged(path)

    assert result.flagged <= result.calls / one_in, result.flags
    assert result.found["phantom_target"] >= limit * result.planted["phantom_target"], result.misses


@pytest.mark.slow
@pytest.mark.release
def test_the_figures_are_printed_as_json(capsys):
    """Each file of runs has one object with counts by layer."""
    load_benchmark("elsewhere").main(["--format", "json"])
    output = json.loads(capsys.readouterr().out)

    assert {"awkward", "everyday", "mixed", "ordinary", "rules", "spellings"} == output.keys()
    assert all(0 < some["found"]["phantom_target"] <= some["calls"] for some in output.values())
