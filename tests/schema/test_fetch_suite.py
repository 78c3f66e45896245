"""The official JSON Schema test suite is downloaded, or its absence is reported."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from tests.schema import fetch_suite


@pytest.fixture
def target(tmp_path, monkeypatch):
    """The folder of the suite, which is not there yet."""
    folder = tmp_path / "suite"
    monkeypatch.setattr(fetch_suite, "TARGET", folder)
    return folder


def package(folder: Path) -> Path:
    """A source package like that of `jsonschema`."""
    path = folder / "package.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name in ("json/tests/draft2020-12/type.json", "json/README", "json/tests/../../out"):
            tar.addfile(tarfile.TarInfo(f"jsonschema/{name}"), io.BytesIO())
    return path


def test_a_missing_suite_fails_the_check(target, capsys):
    """`--check` downloads nothing and returns 1."""
    assert 1 == fetch_suite.main(["--check"])
    assert f"the JSON Schema test suite is not at {target}" in capsys.readouterr().out


def test_a_failed_download_fails(target, monkeypatch):
    """If the download fails, the exit code is 1."""
    monkeypatch.setattr(fetch_suite, "download", lambda folder: None)

    assert 1 == fetch_suite.main([])
    assert not target.exists()


def test_the_suite_is_unpacked_once(target, monkeypatch):
    """Only its own files are unpacked; then the check is content, and nothing is downloaded."""
    monkeypatch.setattr(fetch_suite, "download", package)
    assert 0 == fetch_suite.main([])
    monkeypatch.delattr(fetch_suite, "download")

    assert [0, 0] == [fetch_suite.main(["--check"]), fetch_suite.main([])]
    files = [path for path in target.rglob("*") if path.is_file()]
    assert [target / "tests" / "draft2020-12" / "type.json"] == files
