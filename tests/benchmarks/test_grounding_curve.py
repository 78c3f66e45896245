"""The calibration curve is drawn from a few labelled answers, or its data is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks.test_grounding import DATA, labelled, run_script


@pytest.mark.data
@labelled
def test_a_few_answers_give_a_picture(tmp_path: Path) -> None:
    """The points are in [0, 1] and in the order of their scores; the file is an SVG."""
    pytest.importorskip("matplotlib", reason="pictures need the extra `pictures`")
    path = tmp_path / "curve.svg"
    options = ("--data", str(DATA), "--limit", "60", "--picture", str(path))
    report = json.loads(run_script("grounding_curve.py", *options))
    answered = [point["said"] for point in report["curve"]]

    assert answered == sorted(answered)
    assert all(0 <= point["was"] <= 1 for point in report["curve"])
    assert 0 < sum(point["answers"] for point in report["curve"]) <= report["answers"]
    assert path.read_text("utf-8").rstrip().endswith("</svg>")
