"""Every engine and every number of workers writes the same bytes, in every format."""

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
from tests.cli.engines import REAL, SHUFFLED, mixed

DATA = Path(os.environ.get("ABS_SHIELD_DATA", Path(__file__).parents[3] / "shared" / "data"))
RECORDED = DATA / "toolcalls" / "runs.jsonl.gz"
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
    """Two files, one of them gzip, of several chunks: sessions in order and not, and bad lines."""
    lines = mixed(run, 300, no_json=200)
    folder = tmp_path_factory.mktemp("library")
    first, second = folder / "first.jsonl.gz", folder / "second.jsonl"
    first.write_bytes(gzip.compress("\n".join(lines[:152]).encode()))
    second.write_text("\n".join(lines[152:]))
    return [str(first), str(second)]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Every sixteenth of the recorded runs."""
    if not RECORDED.is_file():
        pytest.skip(f"there are no recorded runs at {RECORDED}; set ABS_SHIELD_DATA")
    path = tmp_path_factory.mktemp("recorded") / "runs.jsonl"
    with gzip.open(RECORDED) as lines, path.open("wb") as file:
        file.writelines(line for n, line in enumerate(lines) if n % 16 == 0)
    return [str(path), "--tools", str(DATA / "toolcalls" / "toolsets.json")]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """Many chunks of a small input."""
    monkeypatch.setattr("abs_shield.cli.chunked_job.chunks", partial(chunks, most_lines=20))


@pytest.fixture
def replayed(command, tmp_path):
    """Replay into a file; gives its bytes, the exit code, and what was told."""

    def replay(*args):
        if "parquet" in args:
            pytest.importorskip("pyarrow", reason="pyarrow is not installed: the extra `parquet`")
        path = tmp_path / "out"
        done = command("replay", *args, "--output", path)
        assert done.out == ""
        return path.read_bytes(), done.code, done.err

    return replay


@pytest.mark.usefixtures("shuffle")
@pytest.mark.parametrize("format", FORMATS)
def test_the_same_bytes(replayed, library, format):
    """Sessions, sessions that come back, bad lines and gzip: the same file, words and code."""
    here = replayed(*library, "--format", format)

    assert here == replayed(*library, "--format", format, *SHUFFLED)
    assert here[1] == 2
    assert "first.jsonl.gz:1: `messages` is 3; give a list" in here[2]
    assert "second.jsonl:49: the line is not JSON" in here[2]
    assert 'session "back" continues after another one began; use --sort' in here[2]


@pytest.mark.slow
@pytest.mark.parametrize("engine", REAL)
@pytest.mark.parametrize("format", ["jsonl", pytest.param("json", marks=pytest.mark.slow)])
def test_the_same_bytes_of_other_processes(replayed, library, engine, format):
    """Rows and sums are the same where processes with other hash seeds make the parts."""
    here = replayed(*library, "--format", format)

    assert here == replayed(*library, "--format", format, *engine)


@pytest.mark.usefixtures("shuffle")
def test_the_same_bytes_sorted(replayed, library):
    """With --sort no session comes back, and the bytes are the same again."""
    here = replayed(*library, "--format", "jsonl", "--sort")

    assert here == replayed(*library, "--format", "jsonl", "--sort", *SHUFFLED)
    assert "after another one began" not in here[2]


@pytest.mark.data
@pytest.mark.usefixtures("shuffle")
@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_the_same_bytes_of_recorded_runs(replayed, recorded, format):
    """The engines also agree on recorded runs of other projects."""
    here = replayed(*recorded, "--format", format)

    assert here == replayed(*recorded, "--format", format, *SHUFFLED)
    assert (0, 1) == (here[1], here[2].count("\n"))
    assert "1,670 calls of 297 runs judged; written to " in here[2]
    assert len(here[0]) > 20_000


@pytest.mark.usefixtures("shuffle")
@pytest.mark.parametrize("format", ["jsonl", "json", "table"])
def test_the_standard_output_has_the_same_bytes(command, replayed, library, format):
    """A file holds what would have been printed."""
    printed = command("replay", *library, "--format", format, *SHUFFLED)
    written = replayed(*library, "--format", format)

    assert printed.out.encode() == written[0]


@pytest.mark.usefixtures("shuffle")
def test_findings_are_the_first_ones(command, library):
    """As many findings as asked for, from the first on, however many workers."""
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
    """A policy of a file, or of a module of this folder, holds in every process."""
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
def test_what_a_policy_prints_is_no_row(capfd, library, tmp_path, monkeypatch, more):
    """Neither when it is loaded nor when a rule judges, in this process or another."""
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
def test_wrong_options(command, library, argv, message):
    """Each is one line that says what instead, and exit code 2."""
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
def begun():
    """Start a replay of the standard input; it is killed at the end."""
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
    """Process ids of its workers, as soon as there are so many."""
    for _ in range(600):
        results = [pid for pid in children(process.pid) if "spawn_main" in commandline(pid)]
        if len(results) >= count:
            return results
        time.sleep(0.05)
    raise AssertionError("no workers began")


def children(pid):
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    if not listed.parent.is_dir():
        pytest.skip("there is no /proc here")
    return [int(child) for child in listed.read_text().split()]


def commandline(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ended(pids):
    for _ in range(200):
        if not any(map(lives, pids)):
            return True
        time.sleep(0.05)
    return False


@pytest.fixture(scope="module")
def large():
    """Runs for many chunks, and more than a pipe holds."""
    return "".join(f"{run(n, f's{n // 5}')}\n" for n in range(600)).encode()


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(begun, command, large, tmp_path):
    """A worker is killed with SIGKILL in the middle of the work: the output is the same."""
    expected = command("replay", "-", "--format", "jsonl", stdin=large.decode())

    process = begun("--workers", "2", "--format", "jsonl", "--output", tmp_path / "out")
    process.stdin.write(large[: len(large) // 2])
    process.stdin.flush()
    os.kill(workers_of(process, count=2)[0], signal.SIGKILL)
    process.stdin.write(large[len(large) // 2 :])
    _, err = process.communicate()

    assert expected[:2] == (process.returncode, (tmp_path / "out").read_text())
    assert f"1,200 calls of 600 runs judged; written to {tmp_path / 'out'}\n" == err.decode()


@pytest.mark.slow
@pytest.mark.parametrize(
    "more", [(), ("--workers", "2"), ("--sort",), ("--format", "parquet", "--workers", "2")]
)
def test_ctrl_c_ends_at_once(begun, large, tmp_path, more):
    """Exit code 130, not a word, no file and no worker left."""
    process = begun("--output", tmp_path / "out", *more)
    process.stdin.write(large[: len(large) // 2])
    process.stdin.flush()
    working = workers_of(process, count=2) if "--workers" in more else []

    os.killpg(process.pid, signal.SIGINT)

    assert (b"", b"") == process.communicate()
    assert 130 == process.returncode
    assert ended(working)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.slow
def test_workers_end_with_a_parent_that_was_killed(begun, large):
    """Nobody is left behind."""
    process = begun("--workers", "2")
    process.stdin.write(large[: len(large) // 2])
    process.stdin.flush()
    working = workers_of(process, count=2)

    process.kill()

    assert ended(working)
