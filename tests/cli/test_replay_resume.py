"""`abs-shield replay --resume` keeps the rows of an interrupted replay and adds the rest."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr
from functools import partial
from io import StringIO
from pathlib import Path

import pytest

from abs_shield.cli import main
from abs_shield.cli import resumable_rows as room

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "abs_shield", "replay", "runs.jsonl"]
RESUME = ["--format", "jsonl", "-o", "rows.jsonl", "--resume"]
POLICY = """
import time
from pathlib import Path
from abs_shield import rule, shield

@rule(tool="refund")
def small(amount: float) -> bool:
    "A refund is at most 500."
    while amount == 13 and not Path("go").exists():
        time.sleep(0.01)
    return amount <= 500

policy = shield.configure(mode="audit", rules=[small])
"""
REFUND = {
    "name": "refund",
    "parameters": {"type": "object", "properties": {"amount": {"type": "number"}}},
}
CHUNK = 1_000
"""Lines after which a chunk ends."""


def line(number: int, amount: float) -> str:
    """Return a run of one call; if the amount is 7, a line that is not a run."""
    call = {"name": "refund", "arguments": {"amount": amount}}
    messages = [{"role": "user", "content": "Hi."}, {"role": "assistant", "tool_calls": [call]}]
    run = {"run_id": f"r{number}", "session_id": f"s{number}", "tools": [REFUND]}
    return json.dumps(run if amount == 7 else {**run, "messages": messages}) + "\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return a folder with a policy, and runs; one of the fourth chunk waits for a file `go`."""
    monkeypatch.chdir(tmp_path)
    write_inputs()
    return tmp_path


def write_inputs() -> None:
    """Write the files of `here` into the current folder."""
    Path("pol.py").write_text(POLICY)
    amounts = [600 if number % 9 == 0 else 20 for number in range(4 * CHUNK)]
    amounts[5], amounts[CHUNK + 3], amounts[3 * CHUNK + 1] = 7, 7, 13
    lines = [line(number, amount) for number, amount in enumerate(amounts)]
    lines[2 * CHUNK] = lines[0]  # a session that comes back
    Path("runs.jsonl").write_text("".join(lines))


def interrupt(number: int, *options: str) -> tuple[int, str]:
    """Replay until three chunks are saved, send a signal, and return exit code and output."""
    env = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    argv = [*COMMAND, *RESUME, "--policy", "pol.py:policy", *options]
    with subprocess.Popen(
        argv,
        env=env,
        stderr=subprocess.PIPE,
        text=True,
        # a suite in the background ignores Ctrl-C, and so would its children
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            end = time.monotonic() + 60
            journal = Path(".rows.jsonl.journal")
            while time.monotonic() < end and process.poll() is None:
                if journal.exists() and journal.read_bytes().count(b"\n") > 3:
                    break
                time.sleep(0.01)
            process.send_signal(number)
            _, output = process.communicate(timeout=60)
        except BaseException:
            process.kill()  # it waits for a file that only this test writes
            raise
    return process.returncode, output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "options"),
    [
        (signal.SIGTERM, 143, ()),
        pytest.param(signal.SIGINT, 130, (), marks=pytest.mark.release),
        (signal.SIGKILL, -9, ()),
        pytest.param(signal.SIGTERM, 143, ("--sort",), marks=pytest.mark.release),
        pytest.param(signal.SIGTERM, 143, ("--workers", "2"), marks=pytest.mark.release),
    ],
)
def test_an_interrupted_replay_is_resumed(command, here, number, code, options):
    """Rows, counts and exit code equal those of a replay without an interruption."""
    ended, output = interrupt(number, *options)
    Path("go").touch()
    sort = options if "--sort" in options else ()
    argv = ("replay", "runs.jsonl", "--policy", "pol.py:policy", *sort)
    resumed = command(*argv, *RESUME)
    whole = command(*argv, "--format", "jsonl", "-o", "whole.jsonl")

    assert code == ended
    assert number == signal.SIGKILL or "not finished; the rows of 3,000 lines are saved" in output
    assert Path("whole.jsonl").read_bytes() == Path("rows.jsonl").read_bytes()
    assert (2, 2) == (whole.code, resumed.code)
    assert "3,998 calls of 3,998 runs judged; written to whole.jsonl" in whole.err
    assert "3,998 calls of 3,998 runs judged, 2,998 of them before it was" in resumed.err
    assert [] == [*here.glob(".rows*")]


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory):
    """Return a copy of what a replay leaves after an interruption at two chunks, and its folder."""

    def broken(self, part, *, lines):
        note(self, part, lines=lines)
        if lines == 2 * CHUNK:
            raise KeyboardInterrupt

    note = room.ResumableRows.note
    folder = tmp_path_factory.mktemp("unfinished")
    with pytest.MonkeyPatch.context() as patch, redirect_stderr(StringIO()):
        patch.chdir(folder)
        patch.setattr(room.ResumableRows, "note", broken)
        write_inputs()
        assert 130 == main(["replay", "runs.jsonl", *RESUME, "--policy", "pol.py:policy"])
    (folder / "go").touch()
    copy = tmp_path_factory.mktemp("copy")
    shutil.copytree(folder, copy, dirs_exist_ok=True)
    return copy, folder


@pytest.fixture
def interrupted_replay(monkeypatch, unfinished):
    """Return the current folder, with what an interrupted replay left there."""
    copy, folder = unfinished
    shutil.rmtree(folder)
    shutil.copytree(copy, folder)  # into the same folder: the journal names its input by its path
    monkeypatch.chdir(folder)
    return folder


def resume(command, *options: str):
    """Resume the replay with the original policy."""
    return command("replay", "runs.jsonl", *RESUME, "--policy", "pol.py:policy", *options)


def test_unfinished_rows_have_another_name(interrupted_replay):
    """The output file does not exist; unfinished rows are in a `.part` file."""
    assert [".rows.jsonl.journal", ".rows.jsonl.part"] == sorted(
        p.name for p in interrupted_replay.glob(".*")
    )
    assert not Path("rows.jsonl").exists()


def test_rows_after_the_last_note_are_written_again(command, interrupted_replay):
    """An incomplete row or journal entry, as after a power cut, is discarded."""
    for name in (".rows.jsonl.part", ".rows.jsonl.journal"):
        with open(name, "ab") as file:
            file.write(b'{"run_id": "half')
    done = resume(command)
    command("replay", "runs.jsonl", "--policy", "pol.py:policy", *RESUME[:2], "-o", "whole.jsonl")

    assert "written to rows.jsonl" in done.err
    assert Path("whole.jsonl").read_bytes() == Path("rows.jsonl").read_bytes()


def test_lost_rows_are_judged_again(command, interrupted_replay):
    """A journal entry is ignored if its rows are not complete."""
    rows = Path(".rows.jsonl.part")
    rows.write_bytes(rows.read_bytes()[:-10])
    resume(command)
    command("replay", "runs.jsonl", "--policy", "pol.py:policy", *RESUME[:2], "-o", "whole.jsonl")

    assert Path("whole.jsonl").read_bytes() == Path("rows.jsonl").read_bytes()


TOOLS = '[{"name": "look", "parameters": {"type": "object"}}]'


@pytest.mark.parametrize(
    ("change", "options", "named"),
    [
        (lambda: Path("runs.jsonl").write_text(line(1, 20)), (), "in input"),
        (lambda: Path("pol.py").write_text(POLICY.replace("<= 500", "<= 400")), (), "policy"),
        (lambda: Path("tools.json").write_text(TOOLS), ("--tools", "tools.json"), "tools; give"),
        (lambda: None, ("--sort",), "in options; give"),
    ],
)
def test_resuming_with_other_inputs_is_refused(command, interrupted_replay, change, options, named):
    """The error names what differs and how to start again; unfinished rows are kept."""
    change()
    done = resume(command, *options)

    assert (2, 1) == (done.code, done.err.count("\n"))
    assert "the unfinished rows do not match this command in " in done.err
    assert named in done.err
    assert f"delete {interrupted_replay / '.rows.jsonl.journal'} to begin anew" in done.err
    assert 2 == len([*interrupted_replay.glob(".rows*")])


def test_a_damaged_journal_is_an_error(command, interrupted_replay):
    """The error says that the journal is damaged, and why."""
    journal = Path(".rows.jsonl.journal")
    journal.write_bytes(b"no JSON\n" + journal.read_bytes())

    assert "the journal is damaged: the line is not JSON" in resume(command).err
    assert "give JSON lines" not in resume(command).err


def test_two_processes_cannot_resume_one_replay(command, interrupted_replay):
    """A process locks the journal while it writes the rows."""
    fcntl = pytest.importorskip("fcntl", reason="needs a Unix system with file locks")
    with open(".rows.jsonl.journal", "rb") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        done = resume(command)

    assert (2, True) == (done.code, "another process is writing rows.jsonl" in done.err)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["runs.jsonl", "--resume"], "add `--format jsonl --output FILE`"),
        (["runs.jsonl", "--resume", "-o", "x"], "add `--format jsonl --output FILE`"),
        (["-", *RESUME], "reads its input twice, and - cannot be read again"),
        (
            ["gone.jsonl", *RESUME],
            "gone.jsonl: No such file or directory; did you mean `runs.jsonl`?",
        ),
        (["runs.jsonl", *RESUME[:3], "/dev/null", "--resume"], "is not a regular file"),
        (["runs.jsonl", *RESUME[:3], "runs.jsonl", "--resume"], "is read as well"),
    ],
)
def test_invalid_resume_options_are_refused(command, here, argv, message):
    """The error is one line before any call is judged, and no file is left."""
    done = command("replay", *argv)

    assert (2, 1) == (done.code, done.err.count("\n"))
    assert message in done.err
    assert [] == [*here.glob(".r*")]


def test_an_empty_input_leaves_no_file(command, here):
    """A replay without runs leaves neither output nor unfinished rows."""
    Path("runs.jsonl").write_text("")

    assert 2 == resume(command).code
    assert [] == [*here.glob(".rows*"), *here.glob("rows*")]
