"""`./install` with programs that only write down how they were called."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

INSTALL = Path(__file__).parents[2] / "install"
PROGRAM = """#!/bin/sh
echo "$(basename "$0") $*" >>"$CALLS"
[ "$(basename "$0")" != "$FAILS" ]
"""


@pytest.fixture
def install(tmp_path):
    """Run the script in a folder with a `.venv`; the program named *fails* exits with 1."""

    def run(*arguments: str, fails: str = "nothing") -> tuple[int, list[str]]:
        shutil.copy(INSTALL, tmp_path)
        folder = tmp_path / ".venv" / "bin"
        folder.mkdir(parents=True)
        for name in ("python", "python3", "pip", "uv"):
            (folder / name).write_text(PROGRAM)
            (folder / name).chmod(0o755)
        calls = tmp_path / "calls"
        path = f"{folder}:{os.environ['PATH']}"
        words = {"PATH": path, "CALLS": str(calls), "FAILS": fails}
        done = subprocess.run([tmp_path / "install", *arguments], env=words, capture_output=True)
        lines = [line for line in calls.read_text().splitlines() if "install" in line]
        return done.returncode, [f"{line.split()[0]} {line.split()[-1]}" for line in lines]

    return run


def test_the_package_alone_is_installed_with_pip(install):
    """A user needs no other program than pip."""
    assert (0, ["pip ."]) == install()


def test_the_tools_of_developers_are_installed_with_uv(install):
    """The program uv is installed first."""
    assert (0, ["pip uv>=0.9", "uv .[dev]"]) == install("dev")


def test_pip_installs_what_uv_cannot(install):
    """This is the case if only the settings of pip name a package index."""
    assert (0, ["pip uv>=0.9", "uv .[dev]", "pip .[dev]"]) == install("dev", fails="uv")
