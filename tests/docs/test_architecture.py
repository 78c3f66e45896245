"""The page of the architecture names existing files and functions."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.processes import run_python

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
FILES = sorted(set(re.findall(r"`(\w+/[\w/]+\.py)`", PAGE)))
METHODS = sorted(set(re.findall(r"`(Shield|Lifecycle|Evaluator)\.(\w+)`", PAGE)))


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_there(name: str) -> None:
    assert (ROOT / "abs_shield" / name).is_file() or (ROOT / name).is_file()


@pytest.mark.parametrize(("kind", "method"), METHODS, ids=".".join)
def test_every_method_is_there(kind: str, method: str) -> None:
    owner = getattr(import_module(f"abs_shield.shield.{kind.lower()}"), kind)

    assert inspect.isfunction(getattr(owner, method, None))


def test_the_page_names_files_and_methods() -> None:
    assert len(FILES) > 15
    assert len(METHODS) > 4


def test_the_picture_is_up_to_date() -> None:
    """The picture equals the output of its script for the current imports."""
    done = run_python(ROOT / "docs" / "pictures" / "architecture.py", "--check", check=False)

    assert (0, "") == (done.returncode, done.stdout)


def test_every_room_has_its_row() -> None:
    """A folder or module at the top of the package is in the table of rooms."""
    top = (ROOT / "abs_shield").iterdir()
    rooms = {path.stem for path in top if path.is_dir() or path.suffix == ".py"}
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", PAGE.partition("## Six")[0], re.MULTILINE)

    assert rooms - {"__init__", "__main__", "__pycache__"} == {
        room for row in rows for room in re.findall(r"\w+", row)
    }
