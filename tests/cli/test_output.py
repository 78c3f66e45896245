"""An output file appears when it is complete, and never takes the place of something else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from abs_shield.cli.output_file import open_output


def test_a_file_appears_when_it_is_complete(tmp_path):
    """Until then the old one stands; nothing else is left beside it."""
    path = tmp_path / "out"
    path.write_text("old")

    with open_output(str(path)) as file:
        file.write(b"new")
        file.flush()
        assert "old" == path.read_text()

    assert "new" == path.read_text()
    assert [path] == list(tmp_path.iterdir())


def test_a_file_that_is_not_completed_is_not_there(tmp_path):
    """An error, or Ctrl-C, leaves nothing behind."""

    def interrupted(path):
        with open_output(str(path)) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "out")

    assert [] == list(tmp_path.iterdir())


def test_a_link_stays_a_link(tmp_path):
    """The file behind it is written."""
    (tmp_path / "link").symlink_to(tmp_path / "real")

    with open_output(str(tmp_path / "link")) as file:
        file.write(b"new")

    assert (tmp_path / "link").is_symlink()
    assert "new" == (tmp_path / "real").read_text()


def test_a_device_stays_a_device(command, clinic):
    """A file that is not regular is written as it is."""
    assert 0 == command("replay", clinic, "--output", os.devnull).code
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.parametrize("format", ["table", "json", "jsonl"])
def test_what_is_printed_can_be_written(command, clinic, tmp_path, format):
    """The file has what the terminal would have had, escapes shown."""
    done = command("replay", clinic, "--format", format, "-o", tmp_path / "out")

    assert (0, "") == (done.code, done.out)
    assert f"3 calls of 1 run judged; written to {tmp_path / 'out'}\n" == done.err
    assert command("replay", clinic, "--format", format).out == (tmp_path / "out").read_text()
    assert b"\x1b" not in (tmp_path / "out").read_bytes()


def test_wrong_files(command, clinic, tmp_path):
    """An input, a folder, and a folder that is not there are one line each."""
    same = command("replay", clinic, "-o", clinic)
    folder = command("replay", clinic, "-o", tmp_path)
    nowhere = command("replay", clinic, "-o", tmp_path / "nowhere" / "out")

    assert {2} == {same.code, folder.code, nowhere.code}
    assert "is read as well; name another file" in same.err
    assert "is a folder; name a file in it" in folder.err
    assert f"there is no folder `{tmp_path / 'nowhere'}`" in nowhere.err


def test_a_broken_policy_leaves_the_old_file(command, clinic, tmp_path):
    """Where the replay cannot begin, what stood there stands."""
    path = tmp_path / "out"
    path.write_text("old")

    done = command("replay", clinic, "--policy", "nowhere:policy", "-o", path)

    assert 2 == done.code
    assert "old" == path.read_text()
