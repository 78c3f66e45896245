"""The command as a whole: help, versions, errors of one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import abs_shield
from abs_shield.cli import COMMANDS, main
from tests.cli.shop import filled, refund


def test_version(command):
    """`--version` says one line."""
    done = command("--version")

    assert done.code == 0
    assert done.out == f"abs-shield {abs_shield.__version__}\n"


def test_the_version_is_that_of_the_installed_package():
    """It is written once, and what installs the package reads it there."""
    assert abs_shield.__version__ == version("abs_shield")


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


LIBRARIES = ("Value error", "Input should", "Got unexpected", "requires an argument", "Missing")
"""Words of typer, click and pydantic, which nobody reads here."""


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["repaly"], "did you mean `replay`?"),
        (["x\x1b[31m"], "no command is named `x\\x1b[31m`"),
        (["--speed"], "no option is named `--speed`; see `abs-shield --help`"),
        (["check", "--toools", "x"], "did you mean `--tools`?"),
        (["check", "--x\x1b"], "no option is named `--x\\x1b`; see `abs-shield check --help`"),
        (["check", "--tools"], "`--tools` needs a value; see `abs-shield check --help`"),
        (["check", "x"], "`x` is one argument too many; see `abs-shield check"),
        (["check", "--format", "xml"], "`--format`: `xml` is not valid; use one of text, json"),
        (["check", "--format", "jsn"], "`--format`: `jsn` is not valid; did you mean `json`?"),
        (["layers", "--format", "tabel"], "did you mean `table`?"),
        (["replay"], "`FILE` is missing; see `abs-shield replay --help`"),
        (["replay", "x", "--sort=3"], "`--sort` takes no value; see `abs-shield replay --help`"),
        (["replay", "x", "--workers", "0"], "got `0`; give a whole number, at least 1; see"),
        (["report", "--max-stops", "2"], "give a number, 0 to 1; see"),
        (["plant", "x", "-o", "y", "--per-kind", "0"], "give a whole number, 1 to 20000; see"),
        (["replay", "x", "--findings", "many"], "`--findings`: got `many`; give a whole number"),
        (["replay", "x", "--findings", "-1"], "; see `abs-shield replay --help`"),
        (["check", "--tools", "/nowhere/tools.json"], "there is no folder `/nowhere`"),
        (["check", "--messages", "/"], "/: Is a directory; name a file in it"),
        (["check", "--policy", "nowhere"], "write `package.module:attr`"),
        (["check", "--policy", "no_such_module_here:policy"], "no_such_module_here"),
    ],
)
def test_a_mistake_is_one_line_on_stderr(command, argv, message):
    """Whatever a user gets wrong is answered with one line that helps, and exit code 2."""
    done = command(*argv)

    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.startswith("abs-shield: ")
    assert done.err.count("\n") == 1
    assert "\x1b" not in done.err
    assert not any(words in done.err for words in LIBRARIES)


@pytest.mark.parametrize("word", ["HALUCINATED", "halucinated"])
def test_a_verdict_that_is_misspelt(command, word):
    """The nearest verdict is named; as it is told, it is accepted."""
    done = command("replay", "x", "--fail-on", word)

    assert done.err.casefold().endswith("did you mean `hallucinated`?\n")


def test_a_file_that_is_misspelt(command, file):
    """The nearest name in the same folder is told."""
    path = file("tools.json", [])

    done = command("check", "--tools", path.replace("tools", "toosl"))

    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"No such file or directory; did you mean `{path}`?" in done.err


def test_a_file_that_is_like_no_other(command, tmp_path):
    """Where nothing is near, the line says what is wanted."""
    done = command("check", "--messages", tmp_path / "nope.json")

    assert done.err.endswith("nope.json: No such file or directory; name a file that exists\n")


def test_a_file_of_another_kind_is_not_meant(command, file, tmp_path):
    """However near its name is."""
    file("tools.jsonl", {})
    done = command("check", "--tools", tmp_path / "tools.json")

    assert done.err.endswith("tools.json: No such file or directory; name a file that exists\n")


def test_importing_the_command_is_light():
    """The command starts without the firewall; each subcommand brings what it needs."""
    code = "import sys, abs_shield.cli; print('pydantic' in sys.modules, 'rich' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "False"]


@pytest.mark.slow
def test_a_reader_that_leaves_is_no_error(clinic, tmp_path):
    """A reader that closes the pipe after a line ends the command without a word."""
    many = tmp_path / "many.jsonl"
    many.write_bytes(Path(clinic).read_bytes() * 2_000)
    argv = [*_COMMAND, "replay", str(many), "--format", "jsonl"]

    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        output = process.stderr.read()

    assert (141, b"") == (process.returncode, output)


_COMMAND = [sys.executable, "-c", "import sys; from abs_shield.cli import main; sys.exit(main())"]
_POLICY = "from abs_shield import shield\n\npolicy = shield.configure(mode='audit')\n"


UNREAD = [
    "--help",
    "replay runs.jsonl",
    "report log.db --html report.html",
]
UNREAD_TOO = [
    "backtest runs.jsonl",
    "backtest runs.jsonl --format github --policy policy.py:policy",
    "backtest runs.jsonl --picture sweep.svg",
    "check",
    "demo",
    "init --runs runs.jsonl",
    "label ID ok --db log.db",
    "label --export - --db log.db",
    "label --from ids.txt --db log.db",
    "layers",
    "log export log.db",
    "log prune log.db --older-than 2020-01-01",
    "log verify log.db",
    "prove policy.py:policy",
    "replay runs.jsonl --findings 3",
    "replay runs.jsonl --format json",
    "replay runs.jsonl --format jsonl",
    "replay runs.jsonl --workers 2",
    "report log.db",
    "report log.db --format json",
]
"""More commands whose output is not read; a process each."""


@pytest.mark.parametrize(
    "argv", [*UNREAD, *(pytest.param(words, marks=pytest.mark.slow) for words in UNREAD_TOO)]
)
def test_no_reader_is_no_error(argv, clinic, tmp_path):
    """If the reader of the output is gone, the exit code is 141; other output is written."""
    (one,) = filled(str(tmp_path / "log.db"), refund(1, 900))
    (tmp_path / "policy.py").write_text(_POLICY)
    (tmp_path / "ids.txt").write_text(f"{one.id} ok\n")
    assert main(["label", one.id, "ok", "--db", str(tmp_path / "log.db")]) == 0
    words = [one.id if word == "ID" else word for word in argv.split()]
    call = json.dumps(refund(1)).encode()
    gone, standard_output = os.pipe()
    os.close(gone)
    try:
        done = subprocess.run(
            [*_COMMAND, *words], cwd=tmp_path, input=call, stdout=standard_output,
            stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    finally:
        os.close(standard_output)

    assert done.returncode == 141, done.stderr
    assert b"ended the program" not in done.stderr
    written = [tmp_path / name for name in words if name.endswith((".svg", ".html"))]
    assert all(path.stat().st_size for path in written)


def test_a_module_runs_as_the_command():
    """`python -m abs_shield` is `abs-shield`."""
    argv = [sys.executable, "-m", "abs_shield", "--version"]

    assert f"abs-shield {abs_shield.__version__}\n" == subprocess.check_output(argv, text=True)


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("abs-shield rep", {"replay", "report"}),
        ("abs-shield log ver", {"verify"}),
        ("abs-shield check --for", {"--format"}),
        ("abs-shield replay --fail-on S", {"SUSPICIOUS"}),
    ],
)
def test_a_shell_completes_commands_options_and_values(words, completed):
    """A shell asks as its script does, and reads what may follow."""
    env = {
        **os.environ,
        "_ABS_SHIELD_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    output = subprocess.check_output([sys.executable, "-m", "abs_shield"], env=env, text=True)

    assert completed == {*output.split()}


def test_the_script_of_a_shell(command, monkeypatch):
    """`--show-completion` prints it for the shell that is detected; without one it says so."""
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))
    bash = command("--show-completion")
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("tcsh", "/bin/tcsh"))
    other = command("--show-completion")

    assert (0, True) == (bash.code, "_abs_shield_completion" in bash.out)
    assert (2, "") == (other.code, other.out)
    assert "run this in bash, zsh, fish or PowerShell" in other.err
