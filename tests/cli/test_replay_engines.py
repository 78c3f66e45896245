"""`replay` writes the same bytes with every engine and number of workers, in every format."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from abs_shield.cli import main
from abs_shield.replay import chunks
from tests.cli.engines import REAL, SHUFFLED, mixed_lines
from tests.requirements import RUNS, TOOLCALLS, require_data

TOOLS = [
    {"name": "lend_copy", "parameters": {"type": "object", "properties": {"copy_id": {}}}},
    {
        "name": "renew",
        "parameters": {"type": "object", "properties": {"weeks": {"type": "integer"}}},
    },
]
FORMATS = ["jsonl", "json", "table", "parquet"]


def run(n, session):
    """Return one of many runs: right calls, misspelt ones, wrong types, unmentioned copies."""
    wrong = [
        {"name": "lend_copy", "arguments": {"copy_id": f"copy_{n:05}"}},
        {"name": "lend_copy", "arguments": {"copy_id": f"copy_{n - 5:05}"}},
        {"name": "renw\x1b[1m\ud800", "arguments": {}},
        {"name": "renew", "arguments": {"weeks": "two"}},
    ]
    record = {
        "run_id": f"r{n}",
        "source": ("north", "south")[n % 2],
        "tools": TOOLS,
        "messages": [
            {"role": "user", "content": f"May I have copy_{n:05}? " + "Please. " * 40},
            {"role": "assistant", "tool_calls": [wrong[n % 4], wrong[n % 3]]},
        ],
        "labels": {"success": (True, False, None)[n % 3]},
    }
    return json.dumps(record if session is None else {**record, "session_id": session})


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Write two files of several chunks, one gzipped, with unsorted sessions and bad lines."""
    lines = mixed_lines(run, 300, no_json=200)
    folder = tmp_path_factory.mktemp("library")
    first, second = folder / "first.jsonl.gz", folder / "second.jsonl"
    first.write_bytes(gzip.compress("\n".join(lines[:152]).encode()))
    second.write_text("\n".join(lines[152:]))
    return [str(first), str(second)]


@pytest.fixture(scope="module")
def recorded_file(tmp_path_factory):
    """Write every sixteenth recorded run to a file."""
    require_data(RUNS)
    path = tmp_path_factory.mktemp("recorded") / "runs.jsonl"
    with gzip.open(RUNS) as lines, path.open("wb") as file:
        file.writelines(line for n, line in enumerate(lines) if n % 16 == 0)
    return [str(path), "--tools", str(TOOLCALLS / "toolsets.json")]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """Make chunks small, so that a small input has many."""
    monkeypatch.setattr("abs_shield.cli.chunked_job.chunks", partial(chunks, most_lines=20))


@pytest.fixture
def replay_to_file(command, tmp_path):
    """Return a function that replays to a file and returns its bytes, exit code and stderr."""

    def replay(*args):
        if "parquet" in args:
            pytest.importorskip("pyarrow", reason="needs `pip install abs-shield[parquet]`")
        path = tmp_path / "out"
        done = command("replay", *args, "--output", path)
        assert done.out == ""
        return path.read_bytes(), done.code, done.err

    return replay


@pytest.mark.usefixtures("shuffle")
@pytest.mark.parametrize("format", FORMATS)
def test_every_engine_writes_the_same_bytes(replay_to_file, library, format):
    """Shuffled chunks give the same file, messages and exit code as the serial engine."""
    here = replay_to_file(*library, "--format", format)

    assert here == replay_to_file(*library, "--format", format, *SHUFFLED)
    assert here[1] == 2
    assert "first.jsonl.gz:1: `messages` is 3; give a list" in here[2]
    assert "second.jsonl:49: the line is not JSON" in here[2]
    assert 'session "back" continues after another one began; use --sort' in here[2]


@pytest.mark.slow
@pytest.mark.parametrize("engine", REAL)
@pytest.mark.parametrize("format", ["jsonl", pytest.param("json", marks=pytest.mark.slow)])
def test_worker_processes_write_the_same_bytes(replay_to_file, library, engine, format):
    """Workers with other hash seeds write the same rows and sums as the serial engine."""
    here = replay_to_file(*library, "--format", format)

    assert here == replay_to_file(*library, "--format", format, *engine)


@pytest.mark.usefixtures("shuffle")
def test_sorted_output_is_the_same_for_every_engine(replay_to_file, library):
    """With `--sort` no session continues after another, and the bytes are equal."""
    here = replay_to_file(*library, "--format", "jsonl", "--sort")

    assert here == replay_to_file(*library, "--format", "jsonl", "--sort", *SHUFFLED)
    assert "after another one began" not in here[2]


@pytest.mark.data
@pytest.mark.usefixtures("shuffle")
@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_every_engine_writes_the_same_bytes_for_recorded_runs(
    replay_to_file, recorded_file, format
):
    """Shuffled chunks of runs of other projects give the same bytes as the serial engine."""
    here = replay_to_file(*recorded_file, "--format", format)

    assert here == replay_to_file(*recorded_file, "--format", format, *SHUFFLED)
    assert (0, 1) == (here[1], here[2].count("\n"))
    assert "1,670 calls of 297 runs judged; written to " in here[2]
    assert len(here[0]) > 20_000


@pytest.mark.usefixtures("shuffle")
@pytest.mark.parametrize("format", ["jsonl", "json", "table"])
def test_stdout_and_output_file_have_the_same_bytes(command, replay_to_file, library, format):
    """A replay prints exactly what it would write to `--output`."""
    printed = command("replay", *library, "--format", format, *SHUFFLED)
    written = replay_to_file(*library, "--format", format)

    assert printed.out.encode() == written[0]


@pytest.mark.usefixtures("shuffle")
def test_findings_option_returns_the_first_findings(command, library):
    """`--findings 100` reports the first 100 findings with every engine."""
    argv = ("replay", *library, "--format", "json", "--findings", "100")

    here, there = (json.loads(command(*argv, *more).out) for more in ((), SHUFFLED))

    assert 100 == len(here["findings"])
    assert here["findings"] == there["findings"]
    assert "r1" == here["findings"][0]["run_id"]


LOUD = """
from abs_shield.policy import configure, rule
print("loaded")

@rule(tool="*")
def loudly(call):
    '''Nothing is wrong.'''
    print("judged")

policy = configure(rules=[loudly])
"""
POLICY = "from abs_shield.policy import configure\npolicy = configure(layers=['phantom_tool'])\n"


@pytest.mark.slow
@pytest.mark.parametrize("engine", REAL)
@pytest.mark.parametrize("place", ["ward.py:policy", "desk_policy:policy"])
def test_a_policy_reaches_every_worker(command, library, tmp_path, monkeypatch, engine, place):
    """A policy from a file or a module of the working directory is used in every process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "desk_policy", raising=False)
    (tmp_path / "ward.py").write_text(POLICY)
    (tmp_path / "desk_policy.py").write_text(POLICY)

    done = command("replay", library[1], "--policy", place, "--format", "json", *engine)

    assert ["phantom_tool"] == [layer["layer"] for layer in json.loads(done.out)["layers"]]


@pytest.mark.parametrize(
    "more",
    [
        pytest.param((), id="one"),
        pytest.param(("--workers", "2"), id="two", marks=pytest.mark.slow),
    ],
)
def test_output_printed_by_a_policy_goes_to_stderr(capfd, library, tmp_path, monkeypatch, more):
    """Text printed by a policy at import or by a rule is not mixed with rows on stdout."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loud.py").write_text(LOUD)

    main(["replay", library[1], "--policy", "loud.py:policy", "--format", "jsonl", *more])

    out, err = capfd.readouterr()
    assert {"renew"} < {json.loads(line)["tool"] for line in out.splitlines()}
    assert ("loaded" in err, "judged" in err) == (True, True)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--engine", "rya"), "did you mean `ray`?"),
        (("--engine", "serial", "--workers", "2"), "leave it, or `--workers 2`, out"),
        (("--engine", "processes", "--address", "auto"), "`--address` names a Ray cluster"),
        (("--address", ""), "give HOST:PORT, or `auto`"),
        (("--workers", "0"), "`--workers`"),
        (("--workers", "99999999"), "`--workers 99999999` is too many for this machine; give 256"),
        (("--format", "parquet"), "name a file with `--output`"),
        (("--workers", "2", "--policy", "nowhere:policy"), "there is no module `nowhere`"),
    ],
)
def test_invalid_options_are_reported(command, library, argv, message):
    """An invalid option is reported in one line with a hint, and the exit code is 2."""
    done = command("replay", library[1], *argv)

    assert 2 == done.code
    assert message in done.err
    assert 1 == done.err.count("\n")


# A process of its own -----------------------------------------------------------------------------


MAIN = """
import sys
from functools import partial
from abs_shield.cli import main, chunked_job
chunked_job.chunks = partial(chunked_job.chunks, most_lines=40)
sys.exit(main())
"""


@pytest.fixture
def start_replay():
    """Return a function that starts a replay of stdin; it is killed after the test."""
    started = []

    def begin(*argv):
        process = subprocess.Popen(
            [sys.executable, "-c", MAIN, "replay", "-", *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            # a suite in the background ignores Ctrl-C, and so would its children
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def workers_of(process, *, count):
    """Wait until the process has *count* workers, and return their process ids."""
    for _ in range(600):
        results = [pid for pid in children(process.pid) if "spawn_main" in commandline(pid)]
        if len(results) >= count:
            return results
        time.sleep(0.05)
    raise AssertionError("no workers began")


def children(pid):
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    if not listed.parent.is_dir():
        pytest.skip("there is no /proc; run the test on Linux")
    return [int(child) for child in listed.read_text().split()]


def commandline(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for_end(pids):
    for _ in range(200):
        if not any(map(is_alive, pids)):
            return True
        time.sleep(0.05)
    return False


@pytest.fixture(scope="module")
def large():
    """Return runs for many chunks, more bytes than a pipe can buffer."""
    return "".join(f"{run(n, f's{n // 5}')}\n" for n in range(600)).encode()


@pytest.mark.slow
def test_a_killed_worker_does_not_change_the_output(start_replay, command, large, tmp_path):
    """After SIGKILL of one worker the replay finishes with the same output and exit code."""
    expected = command("replay", "-", "--format", "jsonl", stdin=large.decode())

    process = start_replay("--workers", "2", "--format", "jsonl", "--output", tmp_path / "out")
    process.stdin.write(large[: len(large) // 2])
    process.stdin.flush()
    os.kill(workers_of(process, count=2)[0], signal.SIGKILL)
    process.stdin.write(large[len(large) // 2 :])
    _, err = process.communicate()

    assert expected[:2] == (process.returncode, (tmp_path / "out").read_text())
    assert f"1,200 calls of 600 runs judged; written to {tmp_path / 'out'}\n" == err.decode()


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize(
    "more", [(), ("--workers", "2"), ("--sort",), ("--format", "parquet", "--workers", "2")]
)
def test_ctrl_c_stops_the_replay(start_replay, large, tmp_path, more):
    """The exit code is 130, nothing is printed, and no file or worker remains."""
    process = start_replay("--output", tmp_path / "out", *more)
    process.stdin.write(large[: len(large) // 2])
    process.stdin.flush()
    working = workers_of(process, count=2) if "--workers" in more else []

    os.killpg(process.pid, signal.SIGINT)

    assert (b"", b"") == process.communicate()
    assert 130 == process.returncode
    assert wait_for_end(working)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.slow
def test_workers_exit_after_their_parent_is_killed(start_replay, large):
    """All worker processes exit after the parent gets SIGKILL."""
    process = start_replay("--workers", "2")
    process.stdin.write(large[: len(large) // 2])
    process.stdin.flush()
    working = workers_of(process, count=2)

    process.kill()

    assert wait_for_end(working)
