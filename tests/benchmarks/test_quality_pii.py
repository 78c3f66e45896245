"""The benchmark of the PII stage reaches its goals on a few values."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tests.processes import run_benchmark

pytest.importorskip("faker", reason="needs `pip install abs-shield[flywheel]`")
pytest.importorskip("stdnum", reason="needs `pip install python-stdnum`")

from abs_shield.quality.pii.pii_detector import TableDetector

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("text", "confirmed"),
    [
        ("Their phone number is 415-287-6599.", True),
        ("510-794-9981 is the number to call.", True),
        ("Write to ann@mail.org.", True),
        ("Ours is 415-287-6599.", False),
    ],
)
def test_a_finding_is_confirmed_by_its_form_or_by_a_word_near_it(
    text: str, confirmed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    is_confirmed = importlib.import_module("quality_pii").is_confirmed

    (finding,) = TableDetector().detect(text)

    assert is_confirmed(finding, text) is confirmed


@pytest.mark.slow
@pytest.mark.release
def test_every_type_reaches_its_goal(tmp_path: Path) -> None:
    """The goals are reached on a few values of each type and locale with a separate seed."""
    options = ("--each", "8", "--seed", "52", "--data", tmp_path)
    *rows, last = run_benchmark("quality_pii", *options).splitlines()

    assert f"skipped: no recorded texts at {tmp_path}" == last
    assert 30 <= sum(" ok" in row for row in rows)
    assert [] == [row for row in rows if "MISS" in row]
