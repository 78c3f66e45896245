"""No command overwrites its inputs, and a policy that exits is an error."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from abs_shield.stores import SqliteStore
from tests.stores.conftest import decision

ROOT = Path(__file__).parents[2]
RUN = "import sys; from abs_shield.cli import main; sys.exit(main())"


@pytest.fixture
def here(tmp_path, monkeypatch, file):
    """Return a folder with a log, runs, tools, labels and a policy."""
    monkeypatch.chdir(tmp_path)
    with closing(SqliteStore("log.db")) as store:
        store.append(decision(1))
    call = {"name": "refund", "arguments": {}, "id": "c1"}
    messages = [{"role": "user", "content": "Hi."}, {"role": "assistant", "tool_calls": [call]}]
    file("runs.svg", {"run_id": "r1", "toolset": "t", "messages": messages})
    file("tools.json", {"t": [{"name": "refund"}]})
    file("labels.svg", {"run_id": "r1", "call_index": 0, "label": "ok"})
    Path("pol.py").write_text("from abs_shield import shield\npolicy = shield.configure()\n")
    return tmp_path


RUNS = ["runs.svg", "--tools", "tools.json", "--policy", "pol.py:policy"]


@pytest.mark.parametrize(
    ("argv", "target"),
    [
        (["report", "log.db", "--html", "log.db"], "log.db"),
        (["label", "--export", "log.db", "--db", "log.db"], "log.db"),
        (["log", "export", "log.db", "--output", "log.db"], "log.db"),
        (["log", "verify", "log.db", "--save-heads", "log.db"], "log.db"),
        (["replay", *RUNS, "--format", "jsonl", "--output", "pol.py"], "pol.py"),
        (["replay", *RUNS, "--format", "jsonl", "--output", "tools.json"], "tools.json"),
        (["backtest", *RUNS, "--picture", "runs.svg"], "runs.svg"),
        (["backtest", *RUNS, "--labels", "labels.svg", "--picture", "labels.svg"], "labels.svg"),
    ],
)
def test_an_input_is_not_overwritten(command, here, argv, target):
    """The command is refused in one line with exit code 2, and the file is unchanged."""
    before = (here / target).read_bytes()
    done = command(*argv)

    assert (2, 1, before) == (done.code, done.err.count("\n"), (here / target).read_bytes())
    assert f"{target} is read as well; name another file" in done.err


@pytest.mark.parametrize("source", ["import sys; sys.exit(0)", "raise SystemExit(3)"])
@pytest.mark.parametrize(
    "argv",
    [
        ["prove", "pol.py:policy"],
        ["replay", *RUNS, "--fail-on", "SUSPICIOUS"],
        ["backtest", *RUNS, "--against", "pol.py:policy", "--fail-on", "any"],
    ],
)
def test_a_policy_that_exits_is_an_error(command, here, argv, source):
    """The exit code is 2, also if the policy calls `sys.exit(0)`."""
    (here / "pol.py").write_text(source)
    done = command(*argv)

    assert (2, True) == (done.code, "it ends the program" in done.err)


def test_a_rule_that_exits_is_an_error(command, here):
    """The exit code is 2 if a rule calls `sys.exit(0)` while calls are judged."""
    (here / "pol.py").write_text(
        "import sys\nfrom abs_shield import rule, shield\n"
        '@rule(tool="refund")\ndef gone(session):\n    """Never."""\n    sys.exit(0)\n'
        "policy = shield.configure(rules=[gone])\n"
    )

    assert 2 == command("replay", *RUNS).code


def test_sigterm_leaves_no_partial_output(here):
    """A command stopped by `timeout` or a service manager leaves no output file."""
    line = Path("runs.svg").read_text()
    Path("many.jsonl").write_text(line * 60_000)
    argv = [sys.executable, "-c", RUN, "replay", "many.jsonl", "--tools", "tools.json"]
    env = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    process = subprocess.Popen([*argv, "--format", "jsonl", "-o", "out.jsonl"], env=env)
    end = time.monotonic() + 30
    while not list(here.glob(".out.jsonl.*.part")) and time.monotonic() < end:
        time.sleep(0.01)
    process.terminate()

    assert 143 == process.wait(30)
    assert [] == [*here.glob(".out*"), *here.glob("out*")]


@pytest.mark.parametrize("closing", ["<&-", ">&-"])
def test_a_closed_stream_is_reported_on_one_line(here, closing):
    """A shell may start the command with stdin or stdout closed."""
    words = f"replay - --format jsonl {closing}"
    done = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -c '{RUN}' {words}"],
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert (2, 1) == (done.returncode, done.stderr.count("\n")), done.stderr
