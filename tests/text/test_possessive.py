"""Patterns mean the same in every version of Python that the package runs on."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import abs_shield

PACKAGE = Path(abs_shield.__file__).parent
POSSESSIVE_GROUP = re.compile(r"(?<![\\(])\)(?:[*+?]|\{[0-9,]+\})\+")


def texts(path):
    """Return every text in a module."""
    tree = ast.parse(path.read_text())
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


@pytest.mark.parametrize("room", sorted(p.name for p in PACKAGE.iterdir() if p.suffix != ".typed"))
def test_no_group_repeats_possessively(room):
    """Python 3.11.0 to 3.11.4 match the possessive repeat of a group wrongly (gh-106052)."""
    paths = [PACKAGE / room, *(PACKAGE / room).rglob("*.py")]
    results = [
        (path.name, text)
        for path in paths
        if path.suffix == ".py"
        for text in texts(path)
        if POSSESSIVE_GROUP.search(text)
    ]

    assert [] == results
