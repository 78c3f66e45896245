"""
Fetch the official JSON Schema test suite, which the source package of `jsonschema` ships.

With `--check`, only look for it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

PACKAGE = "jsonschema==4.26.0"
CACHE = Path(__file__).resolve().parents[2] / ".cache" / "json-schema-test-suite"
TARGET = Path(os.environ.get("JSON_SCHEMA_TEST_SUITE", CACHE))


def main(argv: list[str]) -> int:
    """Download and unpack the suite once; print what was done, and return 1 where it is missing."""
    if (TARGET / "tests" / "draft2020-12").is_dir():
        print(f"already there: {TARGET}")
        return 0
    if "--check" in argv:
        print(f"the JSON Schema test suite is not at {TARGET}: its tests were skipped")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        archive = download(Path(folder))
        if archive is None:
            return 1
        unpack(archive, Path(folder) / "suite")
        TARGET.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(str(Path(folder) / "suite"), str(TARGET))
    print(f"unpacked {PACKAGE} into {TARGET}")
    return 0


def download(folder: Path) -> Path | None:
    """Ask pip for the source package; what its metadata needs to be built comes as wheels."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary=jsonschema"]
    done = subprocess.run(
        [*command, PACKAGE, "-d", str(folder)], capture_output=True, text=True, check=False
    )
    archives = sorted(folder.glob("*.tar.gz"))
    if done.returncode or not archives:
        print(f"could not download {PACKAGE}: {done.stderr.strip()[-300:]}")
        return None
    return archives[0]


def unpack(archive: Path, folder: Path) -> None:
    """Copy the plain files below `<package>/json/tests` into a folder's `tests`."""
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            parts = PurePosixPath(member.name).parts
            content = tar.extractfile(member) if member.isfile() else None
            if content is None or parts[1:3] != ("json", "tests") or ".." in parts:
                continue
            path = folder.joinpath(*parts[2:])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.read())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
