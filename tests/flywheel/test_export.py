"""Exports are accepted by trainers, pytest, replay and the quality cascade."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from abs_shield.cli import main
from abs_shield.errors import ShieldError
from abs_shield.flywheel.mutate import (
    MutationSources,
    TrainingExample,
    mutate,
    read_examples,
    render_export,
)
from abs_shield.quality.facts import Fact
from tests.flywheel.catches import catch, gap, misspelt_id, phantom_tool

pytest.importorskip("rapidfuzz", reason="needs `pip install abs-shield[flywheel]`")
pytest.importorskip("faker", reason="needs `pip install abs-shield[flywheel]`")

APPLE = Fact(subject="Apple", attribute="market cap", value="$3.1T", period="Q4 2025")


@pytest.fixture(scope="module")
def examples() -> list[TrainingExample]:
    """Return examples of three kinds."""
    return [
        *mutate(gap(), [catch()], MutationSources(facts=[APPLE])).examples,
        *mutate(
            gap(id="g2", code="unknown_tool", right_answer="refund"),
            [phantom_tool()],
            MutationSources(),
        ).examples,
        *mutate(gap(id="g3", code="unmentioned"), [misspelt_id()], MutationSources()).examples,
    ]


def test_the_shapes_of_trainers(examples: list[TrainingExample]) -> None:
    """OpenAI's chats, Hugging Face's completions, preference pairs."""
    first = examples[0]
    lines = {
        form: json.loads(render_export(examples, form, system="Be exact.").splitlines()[0])
        for form in ("openai", "huggingface", "preference")
    }

    assert lines["openai"] == {
        "messages": [
            {"role": "system", "content": "Be exact."},
            {"role": "user", "content": first.prompt},
            {"role": "assistant", "content": first.answer},
        ]
    }
    prompt = f"Be exact.\n\n{first.prompt}"
    assert lines["huggingface"] == {"prompt": prompt, "completion": first.answer}
    assert lines["preference"] == {
        "prompt": prompt,
        "chosen": first.answer,
        "rejected": first.rejected,
    }


def test_examples_are_read_back(examples: list[TrainingExample]) -> None:
    """The package's own form loses nothing."""
    assert examples == read_examples(render_export(examples, "examples"))


@pytest.mark.release
@pytest.mark.slow
def test_the_test_file_passes(examples: list[TrainingExample], tmp_path: Path) -> None:
    """The exported tests pass, and fail if a fact is changed."""
    good, bad = tmp_path / "test_good.py", tmp_path / "test_bad.py"
    text = render_export(examples, "pytest")
    good.write_text(text)
    bad.write_text(text.replace("'value': '$3.1T'", "'value': '$3.2T'"))

    assert (0, 1) == (_pytest(good), _pytest(bad))


def test_the_tests_of_the_file_pass(examples: list[TrainingExample]) -> None:
    """Each of its functions, called with each of its cases."""
    names: dict[str, Any] = {}
    exec(render_export(examples, "pytest"), names)
    for case in names["CASES"]:
        names["test_the_wrong_value_is_found"](*case)
    for case in names["CALLS"]:
        names["test_the_wrong_call_is_found"](*case)

    assert len(names["CALLS"]) > 40


def _pytest(path: Path) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path.name]
    return subprocess.run(command, cwd=path.parent, capture_output=True).returncode


def test_the_run_file_is_replayed(
    examples: list[TrainingExample], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a replay exactly the wrong calls are flagged, and exactly the wrong outputs are held."""
    runs, out = tmp_path / "runs.jsonl", tmp_path / "out.jsonl"
    runs.write_text(render_export(examples, "runs"))

    assert 0 == main(["replay", str(runs), "--format", "jsonl", "--output", str(out)])
    judged = [json.loads(line) for line in out.read_text().splitlines()]
    assert {True} == {
        (row["verdict"] == "CLEAN") == row["run_id"].endswith("right") for row in judged
    }
    assert len(judged) > 40
    capsys.readouterr()
    assert 0 == main(["quality", str(runs), "--format", "jsonl"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {True} == {(row["action"] == "block") == row["id"].endswith("wrong") for row in rows}


def test_an_unknown_format_suggests_the_nearest(examples: list[TrainingExample]) -> None:
    """An unknown format, and an export of no examples, are errors."""
    with pytest.raises(ShieldError, match="did you mean `pytest`"):
        render_export(examples, "pytests")
    with pytest.raises(ShieldError, match="no check tells"):
        render_export([], "runs")
