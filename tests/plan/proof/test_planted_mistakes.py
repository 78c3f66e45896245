"""Each planted mistake is told in its line, and nothing else is; correct policies have none."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from abs_shield.cli.prove_command import _proof
from tests.plan.proof.planted import CORRECT, FURTHER, HARDER, MISTAKES, correct, module

PLANTED = {**MISTAKES, **HARDER, **FURTHER}


def proved(path: Path, source: str):
    """The proof of a module's policy, as the command line makes it."""
    path.write_text(source)
    return _proof(f"{path}:policy", [])


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_mistake_is_found(kind: str, tmp_path: Path) -> None:
    """With its code and its line, and no other problem of the policy."""
    source = module(PLANTED[kind])
    wanted = [
        (n, line.partition("#! ")[2])
        for n, line in enumerate(source.splitlines(), start=1)
        if "#! " in line
    ]
    path = tmp_path / "planted.py"
    problems = proved(path, source).problems
    results = {(each.file, each.line, each.code) for each in problems}

    assert {(str(path), *each) for each in wanted} == results, [*map(str, problems)]


def test_there_are_as_many_as_are_promised() -> None:
    """25 plain ones, 8 harder ones, each with one marked line."""
    assert (25, 8) == (len(MISTAKES), len(HARDER))
    assert [] == [kind for kind, source in PLANTED.items() if 1 != dedent(source).count("#! ")]


@pytest.mark.parametrize("kind", CORRECT)
def test_a_correct_policy_has_no_problem(kind: str, tmp_path: Path) -> None:
    """Rules about dates, texts, sums, sessions and several parameters; lists, pairs and modes."""
    proof = proved(tmp_path / "correct.py", correct(CORRECT[kind]))

    assert [] == [*map(str, proof.problems)]
    assert {each.code for each in proof.notes} <= {
        "depends_on_logprobs",
        "depends_on_session",
        "idle_default_layer",
    }


def test_there_are_fifteen_correct_ones() -> None:
    """As many as are promised."""
    assert 15 == len(CORRECT)
