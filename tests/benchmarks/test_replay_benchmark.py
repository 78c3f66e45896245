"""The benchmark of replay runs, in its smallest form; none of its figures is judged here."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from tests.requirements import needs_proc

FOLDER = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(FOLDER))


@pytest.fixture(scope="module")
def benchmark():
    """Return it as a module; `benchmarks/` is not a package."""
    spec = importlib.util.spec_from_file_location("replay_benchmark", FOLDER / "replay.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_speed_of_each_engine(benchmark, tmp_path, monkeypatch):
    """Engines that are there judge all calls and write the same bytes."""
    monkeypatch.delitem(benchmark.ENGINES, "ray_of_two")

    result = benchmark.speed(benchmark._write_runs(tmp_path / "runs.jsonl", size=200_000), None)

    assert {"serial", "two_workers"} == {*result["engines"]}
    assert {result["calls"]} == {one["calls"] for one in result["engines"].values()}
    assert result["same_bytes"]
    assert 0 <= result["json_share_of_serial"] < 1  # rounded: on a busy machine it may be 0


@pytest.mark.release
@pytest.mark.slow
@needs_proc
def test_the_memory_of_all_processes(benchmark, tmp_path):
    """The peak of the whole tree is measured for each size, and what was written is removed."""
    result = benchmark.memory((1, 2), folder=tmp_path)

    assert ["1 MB", "2 MB"] == list(result["peak_mb"])
    assert min(result["peak_mb"].values()) > 30
    assert [] == list(tmp_path.iterdir())
