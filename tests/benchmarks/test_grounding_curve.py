"""The picture of the calibration, from a few labelled answers and without any."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks.test_grounding import DATA, labelled, printed


@pytest.mark.data
@labelled
def test_a_few_answers_make_a_picture(tmp_path: Path) -> None:
    """Points are between 0 and 1 in order of their scores; the file is an SVG picture."""
    pytest.importorskip("matplotlib", reason="pictures need the extra `pictures`")
    path = tmp_path / "curve.svg"
    options = ("--data", str(DATA), "--limit", "60", "--picture", str(path))
    report = json.loads(printed("grounding_curve.py", *options))
    answered = [point["said"] for point in report["curve"]]

    assert answered == sorted(answered)
    assert all(0 <= point["was"] <= 1 for point in report["curve"])
    assert 0 < sum(point["answers"] for point in report["curve"]) <= report["answers"]
    assert path.read_text("utf-8").rstrip().endswith("</svg>")
