"""An output file is written completely or not at all, and never replaces another kind of file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from abs_shield.cli.output_file import open_output


def test_a_file_appears_when_it_is_complete(tmp_path):
    """Until the output is complete the old file stays, and no other file remains beside it."""
    path = tmp_path / "out"
    path.write_text("old")

    with open_output(str(path)) as file:
        file.write(b"new")
        file.flush()
        assert "old" == path.read_text()

    assert "new" == path.read_text()
    assert [path] == list(tmp_path.iterdir())


def test_an_interrupted_output_leaves_no_file(tmp_path):
    """Neither an error nor Ctrl-C leaves a file."""

    def interrupted(path):
        with open_output(str(path)) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "out")

    assert [] == list(tmp_path.iterdir())


def test_a_link_stays_a_link(tmp_path):
    """Output to a symbolic link is written to the file that it points to."""
    (tmp_path / "link").symlink_to(tmp_path / "real")

    with open_output(str(tmp_path / "link")) as file:
        file.write(b"new")

    assert (tmp_path / "link").is_symlink()
    assert "new" == (tmp_path / "real").read_text()


def test_a_device_stays_a_device(command, clinic):
    """Output to a file that is not regular is written in place."""
    assert 0 == command("replay", clinic, "--output", os.devnull).code
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.parametrize("format", ["table", "json", "jsonl"])
def test_the_output_file_equals_the_printed_output(command, clinic, tmp_path, format):
    """The file has the printed text, with escape characters shown."""
    done = command("replay", clinic, "--format", format, "-o", tmp_path / "out")

    assert (0, "") == (done.code, done.out)
    assert f"3 calls of 1 run judged; written to {tmp_path / 'out'}\n" == done.err
    assert command("replay", clinic, "--format", format).out == (tmp_path / "out").read_text()
    assert b"\x1b" not in (tmp_path / "out").read_bytes()


def test_invalid_output_files_are_refused(command, clinic, tmp_path):
    """An input, a folder and a missing folder are each refused in one line."""
    same = command("replay", clinic, "-o", clinic)
    folder = command("replay", clinic, "-o", tmp_path)
    nowhere = command("replay", clinic, "-o", tmp_path / "nowhere" / "out")

    assert {2} == {same.code, folder.code, nowhere.code}
    assert "is read as well; name another file" in same.err
    assert "is a folder; name a file in it" in folder.err
    assert f"there is no folder `{tmp_path / 'nowhere'}`" in nowhere.err


def test_a_broken_policy_leaves_the_old_file(command, clinic, tmp_path):
    """If the policy cannot be loaded, the old output file stays unchanged."""
    path = tmp_path / "out"
    path.write_text("old")

    done = command("replay", clinic, "--policy", "nowhere:policy", "-o", path)

    assert 2 == done.code
    assert "old" == path.read_text()
