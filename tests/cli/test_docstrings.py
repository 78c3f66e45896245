"""Docstrings of the commands and of the report begin with a verb or a noun phrase."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "abs_shield"
FILES = sorted([*(ROOT / "cli").rglob("*.py"), *(ROOT / "replay" / "report").glob("*.py")])
FIRST = {"Give", "What", "Which", "Whether", "Who"}
RIDDLES = ("of which", "stands in", "nobody", "of ours", "at once")


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of each documented thing in a file, and its docstring."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = getattr(node, "name", path.stem)
            yield name, " ".join((ast.get_docstring(node) or "-").split())


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_docstring_is_plain(path: Path) -> None:
    """None begins with a question word, and none has a phrase that readers stumble over."""
    assert [] == [
        (name, text)
        for name, text in docstrings(path)
        if text.split()[0] in FIRST or any(phrase in text.lower() for phrase in RIDDLES)
    ]
