"""Requirements of tests beyond the package; each skip says how to get what is missing."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import pytest

DATA = Path(os.environ.get("ABS_SHIELD_DATA", Path(__file__).parents[2] / "shared" / "data"))
"""The folder of recorded data, which is not part of the project."""
TOOLCALLS = DATA / "toolcalls"
RUNS = TOOLCALLS / "runs.jsonl.gz"

needs_fork = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="this system cannot fork; run the test on Linux or macOS"
)
needs_fastmcp = pytest.mark.skipif(
    find_spec("fastmcp") is None, reason="needs `pip install abs-shield[fastmcp]`"
)
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="there is no /proc; run the test on Linux"
)


def needs_data(*files: Path) -> pytest.MarkDecorator:
    """Return the mark of a test that reads recorded data; it is skipped without the files."""
    return pytest.mark.skipif(bool(_missing(files)), reason=_missing(files) or "-")


def require_data(*files: Path) -> None:
    """Skip the test unless the files of recorded data exist."""
    if reason := _missing(files):
        pytest.skip(reason)


def _missing(files: Iterable[Path]) -> str:
    missing = ", ".join(str(file) for file in files if not file.is_file())
    return missing and f"no recorded data at {missing}; set ABS_SHIELD_DATA to its folder"


needs_runs = needs_data(RUNS)
