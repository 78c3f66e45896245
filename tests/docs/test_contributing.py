"""CONTRIBUTING.md explains the markers and the commands."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def sessions() -> list[str]:
    """The functions of noxfile.py that are sessions."""
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [
        function.name
        for function in functions
        if any("nox.session" in ast.unparse(decorator) for decorator in function.decorator_list)
    ]


@pytest.mark.parametrize("session", sessions())
def test_every_session_has_its_row(session: str) -> None:
    """A nox session is in the table of sessions."""
    assert re.search(rf"^\| `\.venv/bin/nox -s {session}(-3\.\d+)?` \| ", PAGE, re.MULTILINE)


def test_every_profile_has_its_row() -> None:
    """A hypothesis profile of tests/conftest.py is in its table, with its number of examples."""
    source = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    profiles = re.findall(r'"(\w+)", (?:deadline=None, max_examples=)?([\d_]+)', source)

    assert {"fast", "ci", "long"} == {name for name, _ in profiles}
    for name, examples in profiles:
        assert f"| `{name}` | {int(examples):,}, " in PAGE


def test_every_marker_is_explained() -> None:
    """Each marker of pyproject.toml, and that of hypothesis, is on the page."""
    source = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    markers = re.findall(r'^  "(\w+): ', source, re.MULTILINE)

    assert ["slow", "release", "data"] == markers
    assert [] == [name for name in [*markers, "hypothesis"] if f"`{name}`" not in PAGE]


@pytest.mark.parametrize("script", ["run", "full"])
def test_every_script_of_ci_has_its_row(script: str) -> None:
    """A script of `.ci` is in the table of CI steps."""
    assert (ROOT / ".ci" / script).is_file()
    assert f"\n| `.ci/{script}` | " in PAGE
