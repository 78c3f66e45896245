"""pyproject.toml agrees with the contents of the repository."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://github.com/abs-shield/abs-shield"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
SDIST = PYPROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
ALWAYS = {".gitignore", "LICENSE", "pyproject.toml"}
"""Files that hatchling puts into every source distribution."""


@pytest.mark.parametrize("name", ["Homepage", "Documentation", "Source", "Changelog", "Issues"])
def test_every_link_leads_into_the_repository(name: str) -> None:
    """A package index shows these links; one to a file names a file that exists."""
    link = PROJECT["urls"][name]
    _, main, path = link.partition(f"{REPOSITORY}/blob/main/")

    assert link.startswith(REPOSITORY)
    assert not main or (ROOT / path).is_file()


def test_the_classifiers_name_the_tested_versions_of_python() -> None:
    """The versions are those of the sessions in noxfile.py, from `requires-python` on."""
    source = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    (tested,) = re.findall(r"^PYTHONS = \((.*)\)$", source, re.MULTILINE)
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))

    assert re.findall(r"3\.\d+", tested) == named
    assert f">={named[0]}" == PROJECT["requires-python"]


def test_no_classifier_names_a_licence() -> None:
    """`license` is an SPDX expression; package indexes refuse a classifier beside it."""
    assert "Apache-2.0" == PROJECT["license"]
    assert [] == [name for name in PROJECT["classifiers"] if name.startswith("License")]


def test_the_source_distribution_holds_every_folder() -> None:
    """A folder or file at the top of the repository that git knows is included."""
    listing = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode:
        pytest.skip("needs a git checkout of the repository, not an archive of it")
    top = {path.partition("/")[0] for path in listing.stdout.splitlines()}

    assert set() == top - ALWAYS - {*SDIST}


@pytest.mark.parametrize("name", SDIST)
def test_the_source_distribution_names_what_exists(name: str) -> None:
    """A file that was moved is not silently left out."""
    assert (ROOT / name).exists()
