"""A quick run reads a sample of the recorded runs with their tools and faults."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from abs_shield.replay.planted_cases import MUTATIONS, RUNS, TOOLSETS
from benchmarks.recorded_data import ONE_IN, sampled


def write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows as compressed JSON lines."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def names(path: Path) -> list[str]:
    """Read the ids of the runs of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["run_id"] for line in lines]


def test_a_sample_is_whole(tmp_path: Path) -> None:
    """Each run of the sample has its tools and its planted faults; other faults are left out."""
    folder = tmp_path / "runs"
    folder.mkdir()
    rows = [{"run_id": f"r{n}"} for n in range(2 * ONE_IN)]
    write(folder / RUNS, rows)
    write(folder / MUTATIONS, rows[::2])
    (folder / TOOLSETS).write_text("{}")

    with sampled(folder, quick=True) as sample:
        assert folder.name == sample.name
        assert ["r0", f"r{ONE_IN}"] == names(sample / RUNS) == names(sample / MUTATIONS)
        assert "{}" == (sample / TOOLSETS).read_text()
    assert not sample.exists()


def test_a_whole_run_reads_the_folder_itself(tmp_path: Path) -> None:
    """A run that is not quick copies no data."""
    with sampled(tmp_path, quick=False) as folder:
        assert tmp_path == folder
