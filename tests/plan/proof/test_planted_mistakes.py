"""Each planted mistake is reported at its line; correct policies have no problem."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from abs_shield.cli.prove_command import _proof
from tests.plan.proof.planted import CORRECT, FURTHER, HARDER, MISTAKES, correct, module

PLANTED = {**MISTAKES, **HARDER, **FURTHER}


def prove_module(path: Path, source: str):
    """Return the proof of a module's policy, as the command line computes it."""
    path.write_text(source)
    return _proof(f"{path}:policy", [])


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_mistake_is_found(kind: str, tmp_path: Path) -> None:
    """It is reported with its code and its line, and there is no other problem."""
    source = module(PLANTED[kind])
    wanted = [
        (n, line.partition("#! ")[2])
        for n, line in enumerate(source.splitlines(), start=1)
        if "#! " in line
    ]
    path = tmp_path / "planted.py"
    problems = prove_module(path, source).problems
    results = {(each.file, each.line, each.code) for each in problems}

    assert {(str(path), *each) for each in wanted} == results, [*map(str, problems)]


def test_the_number_of_planted_mistakes() -> None:
    """There are 25 simple and 8 harder mistakes, each with one marked line."""
    assert (25, 8) == (len(MISTAKES), len(HARDER))
    assert [] == [kind for kind, source in PLANTED.items() if 1 != dedent(source).count("#! ")]


@pytest.mark.parametrize("kind", CORRECT)
def test_a_correct_policy_has_no_problem(kind: str, tmp_path: Path) -> None:
    """The policies have rules about dates, texts and amounts, allowlists, pairs and modes."""
    proof = prove_module(tmp_path / "correct.py", correct(CORRECT[kind]))

    assert [] == [*map(str, proof.problems)]
    assert {each.code for each in proof.notes} <= {
        "depends_on_logprobs",
        "depends_on_session",
        "idle_default_layer",
    }


def test_the_number_of_correct_policies() -> None:
    """There are 15 correct policies."""
    assert 15 == len(CORRECT)
