"""Lines of JSON may contain Unicode line separators."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from abs_shield.flywheel.candidate import read_answers
from abs_shield.flywheel.cases import EvaluationCase, read_cases
from abs_shield.flywheel.mutate import TrainingExample, read_examples, render_export
from abs_shield.flywheel.policy_candidate import run_cases

ODD = "one\u2028two\x85three\x0cfour"
EXAMPLE = TrainingExample(
    prompt=ODD, answer=ODD, rejected="", gap="g", kind="fact", template="", source=""
)


def raw(**record: object) -> str:
    """Return a record as one line of JSON without escaping its characters."""
    return json.dumps(record, ensure_ascii=False)


@pytest.mark.parametrize("text", ["one\u2028two", "one\x85two", "one\u2029two"])
def test_a_case_and_an_answer_keep_their_breaks(text: str) -> None:
    """In cases, in answers and in runs."""
    [case] = read_cases(raw(id="1", prompt=text, expected=text))
    answers = read_answers(raw(id="1", answer=text).encode(), [case])
    [run] = run_cases(raw(run_id="1", labels={"success": True}, note=text))

    assert (text, {"1": text}) == (case.prompt, answers)
    assert EvaluationCase(id="1", prompt=run.prompt, expected="clean") == run


def test_exported_examples_are_read_unchanged() -> None:
    """Line separators in an example survive export and import."""
    examples = [EXAMPLE, replace(EXAMPLE, prompt="plain")]

    assert examples == read_examples(render_export(examples, "examples"))
