"""A training command receives two paths and must write a candidate."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from abs_shield.errors import ShieldError
from abs_shield.flywheel.train import train
from abs_shield.flywheel.version_artifact import hash_at

COPY = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"


def test_a_candidate_is_written_and_hashed(tmp_path: Path) -> None:
    """With the hash of the data that it was made from."""
    data, out = tmp_path / "train.jsonl", tmp_path / "model"
    data.write_text("{}\n")
    hashes = train([sys.executable, "-c", COPY, "{data}", "{out}"], data=data, out=out)

    assert {"data": hash_at(str(data)), "candidate": hash_at(str(out))} == hashes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["true", "{data}"], r"no word `\{out\}`"),
        ([sys.executable, "-c", "", "{data}", "{out}"], "it wrote no candidate"),
        ([sys.executable, "-c", "raise SystemExit('no GPU')", "{data}", "{out}"], "no GPU"),
    ],
)
def test_a_command_that_violates_the_contract_is_an_error(
    words: list[str], message: str, tmp_path: Path
) -> None:
    """The error names the missing placeholder, the missing candidate or the output."""
    data = tmp_path / "train.jsonl"
    data.write_text("{}\n")
    with pytest.raises(ShieldError, match=message):
        train(words, data=data, out=tmp_path / "model")


@pytest.mark.parametrize(
    "text",
    [
        "open(sys.argv[1], 'w')",
        "os.makedirs(sys.argv[1] + '/layers'); open(sys.argv[1] + '/layers/1', 'w')",
        "open(sys.argv[1], 'w').write('half'); sys.exit('out of memory')",
        "os.mkdir(sys.argv[1]); open(sys.argv[1] + '/1', 'w').write('half'); sys.exit(1)",
    ],
)
def test_an_incomplete_candidate_is_refused(text: str, tmp_path: Path) -> None:
    """An empty or partial candidate is removed, so that the command can run again."""
    data, out = tmp_path / "train.jsonl", tmp_path / "model"
    data.write_text("{}\n")
    command = [sys.executable, "-c", f"import os, sys; {text}", "{out}", "{data}"]
    for _ in range(2):
        with pytest.raises(ShieldError, match=r"an empty one|out of memory|exit code 1"):
            train(command, data=data, out=out)

    assert not out.exists()


def test_an_existing_candidate_is_not_overwritten(tmp_path: Path) -> None:
    """A path that exists is refused."""
    with pytest.raises(ShieldError, match="exists; name another file"):
        train(["x", "{data}", "{out}"], data=tmp_path / "a", out=tmp_path)
