"""The calibration benchmark counts findings, and the shipped table is its fit."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from abs_shield.plan.strengths import PRIOR, STRENGTHS
from tests.processes import run_benchmark
from tests.requirements import DATA, needs_data

ROOT = Path(__file__).parents[2]
FOLDERS = [DATA / "toolcalls", DATA / "fields"]
recorded = needs_data(*(folder / "runs.jsonl.gz" for folder in FOLDERS))


def test_a_held_out_source_is_not_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The strength for a source is fitted to the other sources."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from calibration import held_out

    right = Counter({("hard_id", "one", True): 9})
    wrong = Counter({("hard_id", "other", False): 9})
    lines = held_out({"one": right, "other": wrong}, "source").splitlines()

    assert "| one | `hard_id` | 0.08 | 9/9 |" in lines
    assert "| other | `hard_id` | 0.97 | 0/9 |" in lines


def test_the_prior_is_fitted_to_the_shipped_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped prior equals the fit to the counts of all classes."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from calibration import fit_prior

    counts = [(row.right, row.wrong) for row in STRENGTHS.values() if row.right + row.wrong]

    assert pytest.approx(fit_prior(counts), abs=0.01) == PRIOR


@pytest.mark.data
@recorded
def test_the_shipped_table_is_the_fit() -> None:
    """The counts and strengths of the package are those of the recorded runs."""
    output = json.loads(
        run_benchmark("calibration", "--data", *map(str, FOLDERS), "--format", "json")
    )
    names = ("strength", "right", "wrong", "found", "planted")
    fitted = {row["basis"]: [row[name] for name in names] for row in output["rows"]}
    shipped = {
        row.basis: [getattr(row, name) for name in names]
        for row in STRENGTHS.values()
        if row.interval is not None
    }

    assert shipped == fitted
