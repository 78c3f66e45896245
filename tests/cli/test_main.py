"""The command as a whole: help, versions, errors of one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from abs_shield.cli import COMMANDS


def test_version(command):
    """`--version` says one line."""
    done = command("--version")

    assert done.code == 0
    assert done.out.startswith("abs-shield ")


def test_alone_it_explains_itself(command):
    """Without arguments the commands are listed."""
    done = command()

    assert done.code == 0
    assert all(name in done.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_an_example(command, name):
    """Each command's help ends with an example of it."""
    done = command(name, "--help")

    assert done.code == 0
    assert "Example:" in done.out
    assert f"abs-shield {name}" in done.out


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["repaly"], "did you mean `replay`?"),
        (["x\x1b[31m"], "no command is named `x\\x1b[31m`"),
        (["--speed"], "--speed"),
        (["check", "--format", "xml"], "xml"),
        (["check", "--tools", "/nowhere/tools.json"], "/nowhere/tools.json: No such file"),
        (["check", "--policy", "nowhere"], "write `package.module:attr`"),
        (["check", "--policy", "no_such_module_here:policy"], "no_such_module_here"),
    ],
)
def test_a_mistake_is_one_line_on_stderr(command, argv, told):
    """Whatever a user gets wrong is answered with one line that helps, and exit code 2."""
    done = command(*argv)

    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert done.err.startswith("abs-shield: ")
    assert done.err.count("\n") == 1
    assert "\x1b" not in done.err


def test_importing_the_command_is_light():
    """The command starts without the firewall; each subcommand brings what it needs."""
    code = "import sys, abs_shield.cli; print('pydantic' in sys.modules, 'rich' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "False"]


def test_a_reader_that_leaves_is_no_error(clinic, tmp_path):
    """A closed pipe ends the command without a word."""
    many = tmp_path / "many.jsonl"
    many.write_bytes(Path(clinic).read_bytes() * 2_000)
    run = "import sys; from abs_shield.cli import main; sys.exit(main())"
    argv = [sys.executable, "-c", run, "replay", str(many), "--format", "jsonl"]

    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        told = process.stderr.read()

    assert told == b""
