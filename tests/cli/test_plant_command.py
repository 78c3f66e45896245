"""`abs-shield plant`, and `abs-shield backtest` of the folder that it writes."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from abs_shield.cli import main
from abs_shield.planting import FILES, KINDS
from tests.planting.conftest import CALLS, OFFICE, messages, office

ROOT = Path(__file__).parents[2]
OWN = sorted(str(path) for path in (ROOT / "benchmarks" / "runs").glob("*.jsonl.gz"))


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Return a folder with cases planted in two runs of the office, and their file beside it."""
    folder = tmp_path_factory.mktemp("office")
    runs = folder / "runs.jsonl"
    runs.write_text("".join(f"{json.dumps(office(run_id=name))}\n" for name in "ab"))
    assert main(["plant", str(runs), "-o", str(folder / "planted")]) == 0
    return folder


@pytest.fixture
def folder(planted, tmp_path):
    """Return a copy of the planted cases; the file of their runs is beside it."""
    shutil.copytree(planted, tmp_path, dirs_exist_ok=True)
    return tmp_path / "planted"


def read_objects(path):
    """Return the JSON objects of a compressed file."""
    with gzip.open(path, "rt") as text:
        return [json.loads(line) for line in text]


def test_the_folder_has_runs_cases_and_a_manifest(command, folder):
    """The manifest counts the runs, the calls and the planted cases of each kind."""
    manifest = json.loads((folder / "manifest.json").read_text())
    cases = read_objects(folder / "mutations.jsonl.gz")

    assert sorted(FILES) == sorted(path.name for path in folder.iterdir())
    assert (2, 30, 30) == tuple(manifest[key] for key in ("runs", "calls", "right_calls"))
    assert list(KINDS) == [row["kind"] for row in manifest["kinds"]]
    assert len(cases) == sum(row["planted"] for row in manifest["kinds"])
    assert "personal data" in (folder / "README.md").read_text()


def test_the_same_seed_writes_the_same_bytes(command, folder, file, tmp_path):
    """Equal seeds and runs give equal files; another seed gives other cases."""
    runs = str(tmp_path / "runs.jsonl")
    again, other = tmp_path / "again", tmp_path / "other"
    command("plant", runs, "-o", again)
    command("plant", runs, "-o", other, "--seed", "2")

    assert [] == [n for n in FILES if (folder / n).read_bytes() != (again / n).read_bytes()]
    assert read_objects(folder / "mutations.jsonl.gz") != read_objects(other / "mutations.jsonl.gz")


def test_the_table_says_why_a_kind_has_no_cases(command, file, tmp_path):
    """A kind without a suitable call is listed with the call that it needs."""
    runs = file("runs.jsonl", office(tools=None, toolset="none"))
    done = command("plant", runs, "-o", tmp_path / "planted", "--kinds", "phantom_tool")

    assert done.code == 1
    assert "no right call has what it needs: a tool that its run lists" in done.out
    assert "planted 0 faults and 0 harmless cases" in done.out


def test_options_limit_kinds_tools_and_cases(command, file, tmp_path):
    """`--kinds`, `--only-tool` and `--per-kind` limit the planted cases."""
    runs = file("runs.jsonl", office())
    options = ("--kinds", "phantom_target", "--kinds", "param:nan", "--only-tool", "get_order")
    command("plant", runs, "-o", tmp_path / "planted", *options, "--per-kind", "1")
    cases = read_objects(tmp_path / "planted" / "mutations.jsonl.gz")
    kinds = [case["kind"] for case in cases]

    assert kinds
    assert {"get_order"} == {case["mutated_call"]["name"] for case in cases}
    assert all(kind.startswith("phantom_target") for kind in kinds)
    assert len(kinds) == len(set(kinds))


def test_lines_of_a_session_are_one_run(command, file, tmp_path):
    """Two lines of one session are written and judged as one run."""
    first = office(session_id="s", messages=messages(CALLS[:1]))
    second = office(session_id="s", messages=messages(CALLS[3:5], "Go on."))
    done = command("plant", file("runs.jsonl", first, second), "-o", tmp_path / "planted")
    (run,) = read_objects(tmp_path / "planted" / "runs.jsonl.gz")

    assert done.code == 0
    assert 3 == sum(len(m.get("tool_calls", ())) for m in run["messages"])
    assert command("backtest", tmp_path / "planted").code == 0


def test_runs_with_the_same_id_are_renamed(command, file, tmp_path):
    """Cases refer to their run by its id, so a second run with the same id is renamed."""
    command("plant", file("runs.jsonl", office(), office()), "-o", tmp_path / "planted")

    assert ["r1", "r1#2"] == [
        run["run_id"] for run in read_objects(tmp_path / "planted" / "runs.jsonl.gz")
    ]


def test_runs_that_failed_are_left_out(command, file, tmp_path):
    """A run that is labelled as failed is not copied."""
    runs = file("runs.jsonl", office(), office(run_id="bad", labels={"success": False}))
    command("plant", runs, "-o", tmp_path / "planted")
    manifest = json.loads((tmp_path / "planted" / "manifest.json").read_text())

    assert (1, 1) == (manifest["runs"], manifest["runs_left_out"])


ARGUMENTS = {"order_id": "ord_48213"}
FUNCTION = {"name": "get_order", "arguments": json.dumps(ARGUMENTS)}
USE = {"type": "tool_use", "id": "c", "name": "get_order", "input": ARGUMENTS}
RESULT = {"type": "tool_result", "tool_use_id": "c", "content": "{}"}


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (
            {"tool_calls": [{"id": "c", "type": "function", "function": FUNCTION}]},
            {"role": "tool", "tool_call_id": "c", "content": "{}"},
        ),
        ({"content": [USE]}, {"role": "user", "content": [RESULT]}),
    ],
    ids=["openai", "anthropic"],
)
def test_every_shape_of_messages(command, file, tmp_path, call, result):
    """Runs in the shapes of OpenAI and Anthropic have the same planted cases and findings."""
    state = {"role": "user", "content": "Where is ord_48213?"}
    runs = file("runs.jsonl", office(messages=[state, {"role": "assistant", **call}, result]))
    options = ("--kinds", "phantom_target:typo")
    done = command("plant", runs, "-o", tmp_path / "planted", *options)
    judged = json.loads(command("backtest", tmp_path / "planted", "--format", "json").out)

    assert done.code == 0
    assert [("phantom_target:typo", 1)] == [
        (row["kind"], row["found"]["count"]) for row in judged["new"]["planted"][:1]
    ]


def test_a_backtest_counts_found_cases_by_kind(command, folder):
    """A backtest of the folder has rates with intervals for each kind and for the right calls."""
    report = json.loads(command("backtest", folder, "--format", "json", "--examples", "0").out)
    rows = {row["kind"]: row for row in report["new"]["planted"]}

    assert {*KINDS, "right calls"} == rows.keys()
    assert {"value", "count", "of", "low", "high"} == rows["param:nan"]["found"].keys()
    assert 1 == rows["phantom_tool:absent"]["found"]["value"]
    assert (
        rows["phantom_tool:absent"]["blocked"]["count"]
        == rows["phantom_tool:absent"]["blocked"]["of"]
    )
    assert 30 == rows["right calls"]["found"]["of"]


def test_a_policy_with_fewer_layers_finds_fewer_cases(command, folder, tmp_path):
    """A policy with `parameter_mismatch` alone finds no planted `phantom_tool` case."""
    less = tmp_path / "less.py"
    less.write_text(
        "from abs_shield import shield\npolicy = shield.configure(layers=['parameter_mismatch'])\n"
    )
    done = command("backtest", folder, "--policy", f"{less}:policy", "--against", f"{less}:policy")
    report = json.loads(
        command("backtest", folder, "--policy", f"{less}:policy", "--format", "json").out
    )
    rows = {row["kind"]: row["found"]["count"] for row in report["new"]["planted"]}

    assert 0 == rows["phantom_tool:absent"]
    assert rows["param:missing_required"] > 0
    assert " old " in done.out


@pytest.mark.usefixtures("shuffle")
def test_the_report_is_the_same_with_workers(command, folder):
    """`--workers 2` prints the same report as one process."""
    alone = command("backtest", folder, "--format", "json").out

    assert alone == command("backtest", folder, "--format", "json", "--workers", "2").out


def test_cases_planted_in_the_benchmark_runs_are_found(command, tmp_path):
    """Most unseen identifiers that are planted in the runs of the benchmark are found."""
    options = ("--per-kind", "5", "--kinds", "phantom_target:u", "--kinds", "phantom_target:typo")
    done = command("plant", *OWN, "-o", tmp_path / "planted", *options)
    report = json.loads(command("backtest", tmp_path / "planted", "--format", "json").out)
    rows = {row["kind"]: row["found"] for row in report["new"]["planted"]}

    assert (0, "") == (done.code, done.err)
    assert 4 <= rows["phantom_target:unseen_wellformed"]["count"] <= 5


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["gone.jsonl", "-o", "new"], "gone.jsonl: No such file or directory"),
        (["runs.jsonl"], "`--output` is missing; see"),
        (["runs.jsonl", "-o", "no/where"], "there is no folder `no`; make it first"),
        (["runs.jsonl", "-o", "/proc/new"], "no folder can be made in `/proc`"),
        (["runs.jsonl", "-o", "runs.jsonl"], "runs.jsonl is a file; name a folder"),
        (["runs.jsonl", "-o", "planted"], "give `--force` to replace them"),
        (["runs.jsonl", "-o", "."], "holds other files; name a new folder"),
        (["planted/runs.jsonl.gz", "-o", "planted", "--force"], "is read as well"),
        (["runs.jsonl", "-o", "new", "--kinds", "phantom_targt"], "did you mean `phantom_target"),
        (["runs.jsonl", "-o", "new", "--only-tool", "get_ordr"], "did you mean `get_order`?"),
        (["runs.jsonl", "-o", "new", "--per-kind", "0"], "`--per-kind`"),
        (["runs.jsonl", "-o", "new", "--sed", "1"], "did you mean `--seed`?"),
        (["runs.jsonl", "-o", "new", "--tools", "runs.jsonl"], "runs.jsonl"),
    ],
)
def test_bad_input_is_one_line(command, folder, monkeypatch, argv, message):
    """Bad input is exit code 2 and one line, and no file is changed."""
    monkeypatch.chdir(folder.parent)
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    done = command("plant", *argv)

    assert (2, 1) == (done.code, done.err.count("\n"))
    assert message in done.err
    assert before == {path: path.stat().st_mtime_ns for path in Path().rglob("*")}


def test_force_replaces_the_cases(command, folder, tmp_path):
    """`--force` replaces the folder and leaves no temporary file beside it."""
    runs = tmp_path / "runs.jsonl"
    done = command("plant", runs, "-o", folder, "--force", "--kinds", "param:nan")

    assert done.code == 0
    assert {"param:nan"} == {case["kind"] for case in read_objects(folder / "mutations.jsonl.gz")}
    assert ["planted", "runs.jsonl"] == sorted(path.name for path in tmp_path.iterdir())


def test_a_bad_line_is_named_and_skipped(command, tmp_path):
    """A line that is not a run is reported, the rest is planted, and the exit code is 2."""
    runs = tmp_path / "runs.jsonl"
    runs.write_text("no run\n" + json.dumps(office()) + "\n")
    done = command("plant", runs, "-o", tmp_path / "planted")

    assert done.code == 2
    assert "runs.jsonl:1: the line is not JSON" in done.err
    assert 1 == len(read_objects(tmp_path / "planted" / "runs.jsonl.gz"))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (json.dumps({"run_id": "t", "messages": [{"role": "user", "content": "Hello."}]}), 1),
        ("no run\n", 2),
    ],
)
def test_runs_without_a_call_write_no_folder(command, tmp_path, text, code):
    """If nothing can be planted, the output says so and no folder is written."""
    runs = tmp_path / "runs.jsonl"
    runs.write_text(text)
    done = command("plant", runs, "-o", tmp_path / "planted")

    assert code == done.code
    assert "0 runs, 0 calls" in done.out
    assert "Nothing could be planted, and nothing was written." in done.out
    assert "Measure" not in done.out
    assert ["runs.jsonl"] == [path.name for path in tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("name", "message"),
    [("mutations.jsonl.gz", "it has no `mutations.jsonl.gz`"), ("runs.jsonl.gz", "it has no")],
)
def test_a_folder_with_a_missing_file_is_an_error(command, folder, name, message):
    """The error names the missing file and the command that writes such a folder."""
    (folder / name).unlink()
    done = command("backtest", folder)

    assert (2, 1) == (done.code, done.err.count("\n"))
    assert message in done.err
    assert "abs-shield plant" in done.err


def test_a_planted_folder_with_other_files_is_an_error(command, folder, tmp_path):
    """`backtest` accepts a planted folder only without other run files."""
    done = command("backtest", folder, tmp_path / "runs.jsonl")

    assert done.code == 2
    assert "give it alone" in done.err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"op": "replac"}, '`op` is "replac"; did you mean `replace`?'),
        ({"call_index": -1}, "`call_index` is -1; give a number from 0"),
        ({"expect": None}, "`expect` is null; give one of flag, clean, info"),
        ({"mutated_call": 7}, "`mutated_call` is 7; give `name` and `arguments`"),
        ({"kind": ""}, "`kind` is"),
    ],
)
def test_an_invalid_case_is_named_and_skipped(command, folder, change, message):
    """An invalid case is reported with its line and skipped; the exit code is 2."""
    path = folder / "mutations.jsonl.gz"
    first, *rest = read_objects(path)
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps(case) + "\n" for case in [{**first, **change}, *rest[:3]])
    done = command("backtest", folder)

    assert done.code == 2
    assert f"mutations.jsonl.gz:1: {message}" in done.err


def test_cases_without_their_call_are_counted(command, folder):
    """The report counts the cases that refer to a run or a call that does not exist."""
    path = folder / "mutations.jsonl.gz"
    first, second, *rest = read_objects(path)
    changed = [{**first, "run_id": "gone"}, {**second, "call_index": 999}, *rest[:2]]
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps(case) + "\n" for case in changed)
    done = command("backtest", folder)

    assert "2 of 4 planted cases name a call that the runs do not have" in done.out


def test_control_characters_are_escaped(command, file, tmp_path):
    """Control characters in names, values and sources are escaped in the output."""
    calls = [("x\x1b]0;owned\x07", {"id\x1b[2J": "ab_12345\x1b[31m"}, {"\x1b[1m": "\u202e"})]
    record = office(
        run_id="r\x1b[31m", source="\x1b[1m", messages=messages(calls, "ab_12345\x1b[31m")
    )
    done = command("plant", file("runs.jsonl", record), "-o", tmp_path / "planted")
    judged = command("backtest", tmp_path / "planted")

    assert "\x1b" not in done.out + done.err + judged.out + judged.err


def nest_lists(levels):
    """Return an empty list nested this many levels."""
    result = []
    for _ in range(levels):
        result = [result]
    return result


@pytest.mark.parametrize(
    "calls",
    [
        [("get_order", {f"id_{n}": f"ord_{n:05}" for n in range(5_000)}, {})],
        [("get_order", {"order_id": nest_lists(200)}, nest_lists(200))],
        [("get_order", {"order_id": "ord_48213" * 20_000}, "ord_48213 " * 100_000)],
        [("get_order", {"order_id": 9**4_000}, {"order_id": 9**4_000})],
        [("get_order", {"order_id": "\ud800_12345"}, "\ud800_12345")],
        [("get_order", {"order_id": "ord_48213"}, {})] * 150,
        [("", {"": "a1b2c3d4"}, None)],
        [("x" * 5_000, ["no", "object"], True)],
    ],
    ids=["wide", "deep", "long", "huge", "half", "many", "nameless", "list"],
)
def test_hostile_runs_raise_nothing(command, file, tmp_path, calls):
    """Wide, deep, long and malformed calls end with an exit code and without a traceback."""
    runs = file("runs.jsonl", office(messages=messages(calls)))
    done = command("plant", runs, "-o", tmp_path / "planted")
    judged = command("backtest", tmp_path / "planted", "--examples", "0")

    assert done.code in (0, 1, 2)
    assert judged.code in (0, 2)
    assert "Traceback" not in done.err + judged.err


def test_the_office_run_has_no_finding(command, folder):
    """The run that the cases are planted in has no finding of its own."""
    report = json.loads(command("backtest", folder, "--format", "json").out)
    layers = {layer["layer"]: layer["flagged"] for layer in report["new"]["layers"]}

    assert {} == layers
    assert {tool["name"] for tool in OFFICE} >= {name for name, _, _ in CALLS}
