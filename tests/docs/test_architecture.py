"""The page of the architecture names files and functions that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
FILES = sorted(set(re.findall(r"`(\w+/[\w/]+\.py)`", PAGE)))
METHODS = sorted(set(re.findall(r"`(Shield|Lifecycle|Evaluator)\.(\w+)`", PAGE)))


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_there(name: str) -> None:
    assert (ROOT / "abs_shield" / name).is_file() or (ROOT / name).is_file()


@pytest.mark.parametrize(("kind", "method"), METHODS, ids=".".join)
def test_every_method_is_there(kind: str, method: str) -> None:
    code = (ROOT / "abs_shield" / "shield" / f"{kind.lower()}.py").read_text(encoding="utf-8")

    assert re.search(rf"class {kind}\b", code)
    assert re.search(rf"    (?:async )?def {method}\(", code)


def test_the_page_names_files_and_methods() -> None:
    assert len(FILES) > 15
    assert len(METHODS) > 4
