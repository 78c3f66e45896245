"""The benchmark of the hard checks runs on recorded data, if there is any."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks.test_command_lines import PROGRESS
from tests.processes import run_python
from tests.requirements import DATA, needs_runs

ROOT = Path(__file__).parents[2]


def run_benchmark(*options):
    """Return what the benchmark prints."""
    done = run_python(ROOT / "benchmarks" / "answers.py", "--data", DATA, *options, timeout=300)
    assert PROGRESS.fullmatch(done.stderr), done.stderr
    return json.loads(done.stdout)


@pytest.mark.data
@needs_runs
def test_a_few_runs_are_measured():
    """False alarms, changed figures and deeds of some runs, as one JSON object."""
    replies = run_benchmark("--only", "runs", "--every", "100")["replies"]

    assert replies["turns"] > 0
    assert replies["share of turns flagged"] <= 0.1
    assert replies["seen"]["id"]["share"] >= 0.9


@pytest.mark.data
@needs_runs
def test_the_gate_is_measured():
    """Answers with their own run are emitted more often than answers with another run."""
    gate = run_benchmark("--only", "gate", "--every", "200")["gate"]
    own, other = gate["default"]["its own run"], gate["default"]["another run"]

    assert own["emit"] > other["emit"]
    assert own["emit"] > gate["words gate"]["its own run"]["emit"]
    assert own["emit"] >= 0.9
