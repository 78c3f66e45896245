"""The command line as a whole: help, version, one-line errors, closed pipes and completion."""

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
from tests.cli.shop import fill_log, refund
from tests.processes import run_python


def test_version(command):
    """`--version` prints one line."""
    done = command("--version")

    assert done.code == 0
    assert done.out == f"abs-shield {abs_shield.__version__}\n"


def test_the_version_is_that_of_the_installed_package():
    """`__version__` equals the version in the metadata of the installed package."""
    assert abs_shield.__version__ == version("abs_shield")


def test_without_arguments_the_commands_are_listed(command):
    """`abs-shield` without arguments prints the names of all commands."""
    done = command()

    assert done.code == 0
    assert all(name in done.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_has_an_example(command, name):
    """`abs-shield COMMAND --help` contains an example of the command."""
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
    """A wrong argument is exit code 2 and one line that suggests a valid one."""
    done = command(*argv)

    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.startswith("abs-shield: ")
    assert done.err.count("\n") == 1
    assert "\x1b" not in done.err
    assert not any(words in done.err for words in LIBRARIES)


@pytest.mark.parametrize("word", ["HALUCINATED", "halucinated"])
def test_a_misspelt_verdict_is_corrected_in_a_valid_spelling(command, word):
    """The suggested verdict is in a spelling that the option accepts."""
    done = command("replay", "x", "--fail-on", word)

    assert done.err.casefold().endswith("did you mean `hallucinated`?\n")


def test_a_misspelt_file_name_is_corrected(command, file):
    """The error suggests the most similar name in the same folder."""
    path = file("tools.json", [])

    done = command("check", "--tools", path.replace("tools", "toosl"))

    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"No such file or directory; did you mean `{path}`?" in done.err


def test_a_file_name_without_a_similar_one_has_no_suggestion(command, tmp_path):
    """If no file has a similar name, the error says to name a file that exists."""
    done = command("check", "--messages", tmp_path / "nope.json")

    assert done.err.endswith("nope.json: No such file or directory; name a file that exists\n")


def test_a_file_with_another_suffix_is_not_suggested(command, file, tmp_path):
    """`tools.jsonl` is not suggested for `tools.json`."""
    file("tools.jsonl", {})
    done = command("check", "--tools", tmp_path / "tools.json")

    assert done.err.endswith("tools.json: No such file or directory; name a file that exists\n")


def test_importing_the_command_imports_no_dependency():
    """`import abs_shield.cli` imports neither pydantic nor rich; each command imports its own."""
    code = "import sys, abs_shield.cli; print('pydantic' in sys.modules, 'rich' in sys.modules)"

    done = run_python("-c", code)

    assert done.stdout.split() == ["False", "False"]


@pytest.mark.slow
@pytest.mark.release
def test_a_pipe_closed_during_output_ends_the_command(clinic, tmp_path):
    """If the reader closes the pipe, the exit code is 141 and nothing is written to stderr."""
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
    "argv",
    [
        *UNREAD,
        *(
            pytest.param(words, marks=[pytest.mark.slow, pytest.mark.release])
            for words in UNREAD_TOO
        ),
    ],
)
def test_a_pipe_closed_before_output_ends_the_command(argv, clinic, tmp_path):
    """If the reader has closed the pipe, the exit code is 141; files are written anyway."""
    (one,) = fill_log(str(tmp_path / "log.db"), refund(1, 900))
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
    """`python -m abs_shield` is the same command as `abs-shield`."""
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
    """Bash completion offers commands, subcommands, options and values."""
    env = {
        **os.environ,
        "_ABS_SHIELD_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    output = subprocess.check_output([sys.executable, "-m", "abs_shield"], env=env, text=True)

    assert completed == {*output.split()}


def test_show_completion_prints_the_script_of_the_shell(command, monkeypatch):
    """`--show-completion` prints a script for the detected shell, or names the supported shells."""
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))
    bash = command("--show-completion")
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("tcsh", "/bin/tcsh"))
    other = command("--show-completion")

    assert (0, True) == (bash.code, "_abs_shield_completion" in bash.out)
    assert (2, "") == (other.code, other.out)
    assert "run this in bash, zsh, fish or PowerShell" in other.err
