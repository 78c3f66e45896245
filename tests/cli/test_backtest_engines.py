"""`abs-shield backtest` prints the same report with every engine and number of workers."""

from __future__ import annotations

import gzip
import json
import re
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from abs_shield.cli import main
from abs_shield.replay import chunks
from tests.cli.engines import REAL, SHUFFLED, mixed_lines
from tests.requirements import RUNS, TOOLCALLS, needs_runs

FORMATS = ["table", "json", "github"]
TOOLS = [
    {"name": "lend_copy", "parameters": {"type": "object", "properties": {"copy_id": {}}}},
    {"name": "renew", "parameters": {"properties": {"weeks": {"type": "integer"}}}},
    {"name": "give_back", "parameters": {"properties": {"copy_id": {}}}},
]
OLD = """
from abs_shield.policy import configure
policy = configure(mode="audit", modes={"phantom_tool": "strict"})
"""
NEW = """
from abs_shield.policy import configure, rule

@rule(tool="lend_copy")
def odd(copy_id, session):
    '''A copy has an odd number, and five are lent at most.'''
    return int(copy_id[-1]) % 2 == 1 and len(session.executed) < 5

@rule(tool="give_back")
def broken(copy_id):
    '''Nobody knows.'''
    return 1 / (int(copy_id[-1]) - 4) < 9

policy = configure(rules=[odd, broken], threshold=0.5, on_suspicious="block",
                   modes={"phantom_tool": "audit"})
"""
LOUD = "print('loaded')\n" + NEW.replace("    return int", "    print('judged')\n    return int")


def run(n, session):
    """Return the JSON of run n: unmentioned copies, misspelt tools, wrong types, partial labels."""
    calls = [
        {"id": "a", "name": "lend_copy", "arguments": {"copy_id": f"copy_{n:05}"}},
        {"id": "b", "name": "lend_copy", "arguments": {"copy_id": f"copy_{n - 5:05}"}},
        {"id": "c", "name": f"renw{n // 7}\x1b[1m\n::error::\ud800", "arguments": {}},
        {"id": "d", "name": "renew", "arguments": {"weeks": "two"}},
        {"id": "e", "name": "give_back", "arguments": {"copy_id": f"copy_{n - 5:05}"}},
    ]
    tool_calls = [calls[n % 5], calls[n % 3]]
    results = [
        {"role": "tool", "tool_call_id": one["id"], "content": "done"} for one in tool_calls[:1]
    ]
    labels = {"0": ("ok", "hallucinated")[n % 2]} if n % 3 else {}
    record = {
        "run_id": f"r{n}",
        "tools": TOOLS,
        "messages": [
            {"role": "user", "content": f"May I have copy_{n:05}? " + "Please. " * 40},
            {"role": "assistant", "tool_calls": tool_calls},
            *results,
        ],
        "labels": {"success": (True, False, None)[n % 3], "calls": labels if n % 97 else 3},
    }
    return json.dumps(record if session is None else {**record, "session_id": session})


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Write two policies, labels, and two run files with resumed sessions and bad lines."""
    lines = mixed_lines(run, 200, no_json=150)
    folder = tmp_path_factory.mktemp("library")
    (folder / "first.jsonl.gz").write_bytes(gzip.compress("\n".join(lines[:102]).encode()))
    (folder / "second.jsonl").write_text("\n".join(lines[102:]))
    for name, text in (("old.py", OLD), ("new.py", NEW), ("loud.py", LOUD)):
        (folder / name).write_text(text)
    labels = [
        {"run_id": f"r{n}", "call_id": "abc"[n % 3], "label": ("hallucinated", "ok")[n % 5 == 0]}
        for n in range(0, 200, 2)
    ]
    labels += [{"session_id": "s7", "call_id": "a", "label": "ok"}, {"run_id": "r", "label": 7}]
    (folder / "labels.jsonl").write_text("".join(json.dumps(one) + "\n" for one in labels))
    return folder


@pytest.fixture
def backtest(command, library, monkeypatch):
    """Compare the library's two policies with labels, from its folder, in chunks of 20 lines."""
    monkeypatch.setattr("abs_shield.cli.chunked_job.chunks", partial(chunks, most_lines=20))
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.chdir(library)
    two = ("--policy", "new.py:policy", "--against", "old.py:policy", "--labels", "labels.jsonl")
    return partial(command, "backtest", "first.jsonl.gz", "second.jsonl", *two)


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.usefixtures("shuffle")
@pytest.mark.parametrize("format", FORMATS)
def test_the_report_is_the_same_with_shuffled_workers(backtest, format):
    """Chunks judged out of order give the same output, errors and exit code as one process."""
    argv = ("--format", format, "--examples", "7")
    here = backtest(*argv)

    assert here == backtest(*argv, *SHUFFLED)
    assert 2 == here.code
    assert "first.jsonl.gz:1: `messages` is 3; give a list" in here.err
    assert "second.jsonl:49: the line is not JSON" in here.err
    assert "labels.calls: it is 3; give an object of call to label" in here.err
    assert re.search(r'session "\w+" continues after another one began; use --sort', here.err)
    assert "from here on 5 more sessions that continue after another one began" in here.err


@pytest.mark.slow
@pytest.mark.parametrize("engine", REAL)
def test_the_report_is_the_same_with_every_engine(backtest, engine):
    """Worker processes with other hash seeds give the same counts and examples."""
    argv = ("--format", "json", "--examples", "7")

    assert backtest(*argv) == backtest(*argv, *engine)


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.usefixtures("shuffle")
def test_the_sorted_report_is_the_same_with_shuffled_workers(backtest):
    """With `--sort` no session is resumed, and the report is the same with shuffled workers."""
    here = backtest("--format", "json", "--sort")

    assert here == backtest("--format", "json", "--sort", *SHUFFLED)
    assert ("after another one began" in here.err, json.loads(here.out)["returned_sessions"]) == (
        False,
        0,
    )


@pytest.mark.slow
@pytest.mark.release
def test_the_report_does_not_depend_on_the_chunks(backtest, monkeypatch):
    """Chunks of 20 lines and one chunk of all lines give the same report, with any table size."""
    small = backtest("--format", "json")
    monkeypatch.setattr("abs_shield.backtest.policy_comparison._TOOLS", 9)
    few = backtest("--format", "json")
    monkeypatch.setattr("abs_shield.cli.chunked_job.chunks", chunks)
    whole = backtest("--format", "json")

    assert few == whole
    assert ("(other tools)" in few.out, "(other tools)" in small.out) == (True, False)


@pytest.mark.usefixtures("shuffle")
def test_the_library_has_changes_labels_and_errors(backtest):
    """The compared reports have changes of two kinds, internal errors, labels and examples."""
    report = json.loads(backtest("--format", "json", *SHUFFLED, "--examples", "7").out)

    kinds = {kind: change["calls"] for kind, change in report["changes"].items() if change["calls"]}
    assert {"allow-to-block", "block-to-allow"} == set(kinds)
    assert 7 == len(report["changes"]["allow-to-block"]["examples"])
    assert "ZeroDivisionError" in report["new"]["errors"][0]["reason"]
    assert report["labels"]["in_file_matched"] > 50
    assert report["labels"]["in_runs_matched"] > 50
    assert report["returned_sessions"] > 0


@pytest.mark.usefixtures("shuffle")
def test_a_resumed_session_is_an_annotation(backtest):
    """With `--format github` each resumed session is an error at its own line."""
    output = backtest("--format", "github", *SHUFFLED).err.splitlines()

    assert {True} == {line.startswith("::error ") for line in output}
    assert any(
        re.match(r"::error file=second\.jsonl,line=\d+,title=backtest::.* use --sort$", line)
        for line in output
    )


def test_a_resumed_session_is_exit_code_2(command, library, monkeypatch):
    """A session resumed after another one is reported; with `--sort` it is not."""
    monkeypatch.chdir(library)
    lines = [run(n, session) for n, session in ((1, "s"), (2, None), (3, "s"))]
    Path("back.jsonl").write_text("\n".join(lines))

    done = command("backtest", "back.jsonl")
    sorted_ = command("backtest", "back.jsonl", "--sort")

    again = 'back.jsonl:3: session "s" continues after another one began; use --sort\n'
    assert ((2, again), (0, "")) == ((done.code, done.err), (sorted_.code, sorted_.err))


@pytest.mark.parametrize(
    "more",
    [
        pytest.param((), id="one"),
        pytest.param(("--workers", "2"), id="two", marks=pytest.mark.slow),
    ],
)
def test_prints_of_a_policy_go_to_stderr(capfd, library, monkeypatch, more):
    """Prints while loading and while judging do not break the JSON, with and without workers."""
    monkeypatch.chdir(library)

    main(["backtest", "second.jsonl", "--policy", "loud.py:policy", "--format", "json", *more])

    out, err = capfd.readouterr()
    assert 97 == json.loads(out)["runs"]
    assert ("loaded" in err, "judged" in err) == (True, True)


def test_one_process_loads_a_policy_once(capfd, library, monkeypatch):
    """The judging and the report share one loaded policy."""
    monkeypatch.chdir(library)

    main(["backtest", "second.jsonl", "--policy", "loud.py:policy"])

    assert 1 == capfd.readouterr().err.count("loaded\n")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--engine", "rya"), "did you mean `ray`?"),
        (("--engine", "serial", "--workers", "2"), "leave it, or `--workers 2`, out"),
        (("--address", ""), "give HOST:PORT, or `auto`"),
        (("--workers", "0"), "`--workers`"),
        (("--workers", "2", "--policy", "nowhere:policy"), "there is no module `nowhere`"),
        (("--workers", "2", "--policy", "new.py:polcy"), "did you mean `policy`?"),
    ],
)
def test_a_wrong_option_is_one_line(command, library, monkeypatch, argv, message):
    """A wrong option is exit code 2 and one line that suggests a valid value."""
    monkeypatch.chdir(library)
    done = command("backtest", "second.jsonl", *argv)

    assert (2, "") == (done.code, done.out)
    assert message in done.err
    assert 1 == done.err.count("\n")


@needs_runs
@pytest.mark.data
@pytest.mark.usefixtures("shuffle")
def test_recorded_runs_give_the_same_report_with_shuffled_workers(
    command, library, tmp_path, monkeypatch
):
    """Recorded runs of other projects give the same output with shuffled workers."""
    monkeypatch.setattr("abs_shield.cli.chunked_job.chunks", partial(chunks, most_lines=20))
    monkeypatch.chdir(library)
    path = tmp_path / "runs.jsonl"
    with gzip.open(RUNS) as lines, path.open("wb") as file:
        file.writelines(islice(lines, 0, None, 16))
    tools = ("--tools", TOOLCALLS / "toolsets.json")
    two = ("--policy", "new.py:policy", "--against", "old.py:policy", "--format", "json")

    here = command("backtest", path, *tools, *two)

    assert here == command("backtest", path, *tools, *two, *SHUFFLED)
    assert (0, "") == (here.code, here.err)
    assert json.loads(here.out)["changes"]["allow-to-block"]["calls"] > 0
