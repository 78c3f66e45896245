"""The tests of a framework: its source package from the index, or a checkout that you have."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "suites"
CHECKOUTS = "ABS_SHIELD_SUITES"
"""The variable that names a folder with checkouts, each named as in `frameworks.toml`."""


def checkout(name: str) -> Path | None:
    """Return the checkout of a framework's repository, where there is one."""
    folder = os.environ.get(CHECKOUTS)
    path = Path(folder, name).resolve() if folder else None
    return path if path is not None and path.is_dir() else None


def source_package(project: str, version: str) -> Path:
    """Return the unpacked source package; it is downloaded once, and pip checks its hash."""
    target = CACHE / f"{project}-{version}"
    if not target.is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            unpacked = _unpack(_download(f"{project}=={version}", Path(scratch)), Path(scratch))
            shutil.move(unpacked, target)
    return target


def _download(requirement: str, folder: Path) -> Path:
    """Ask pip for one archive; the index that it uses is the one that installed the framework."""
    project = requirement.partition("==")[0]
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", project]
    done = subprocess.run(
        [*command, requirement, "-d", str(folder)], capture_output=True, text=True, timeout=600
    )
    archives = sorted(folder.glob("*.tar.gz"))
    if done.returncode or not archives:
        lines = done.stderr.strip().splitlines() or ["pip said nothing"]
        raise SystemExit(f"could not download the source package of {requirement}: {lines[-1]}")
    return archives[0]


def _unpack(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as tar:
        tar.extractall(folder / "unpacked", filter="data")
    return next((folder / "unpacked").iterdir())
