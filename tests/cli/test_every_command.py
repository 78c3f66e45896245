"""
Behaviour common to all commands: help, `-o`, and one line for bad input.

A command that is registered is tested by that alone; it only needs its row in `CALLS`.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

from abs_shield.cli import COMMANDS, app, main
from abs_shield.cli.command_parts import WITHOUT_OUTPUT, WRITTEN
from abs_shield.cli.usage_errors import value_word
from tests.cli.conftest import write_objects
from tests.cli.shop import fill_log, order, refund

CALL = json.dumps(refund(1))
CALLS = {
    "demo": "",
    "check": "--tools tools.json --messages messages.json",
    "init": "--tools tools.json --runs runs.jsonl",
    "replay": "@runs.jsonl --tools tools.json",
    "backtest": "@runs.jsonl --tools tools.json --labels labels.jsonl",
    "plant": "@runs.jsonl -o planted --tools tools.json",
    "report": "@log.db",
    "dashboard": "@log.db --no-open --port 0 --trace-url here",
    "grafana": "",
    "show": "ID --db log.db --runs runs.jsonl",
    "label": "ID ok --db log.db",
    "log verify": "@log.db",
    "log export": "@log.db",
    "log prune": "@log.db --older-than 2020-01-01",
    "prove": "pol.py:policy --tools tools.json",
    "layers": "",
    "ground": "@answers.jsonl",
    "quality": "@outputs.jsonl",
    "flywheel status": "--book book.db",
    "flywheel harvest": "@log.db --book new.db",
    "flywheel curate": "--book book.db",
    "flywheel mutate": "GAP --book book.db --facts facts.json",
    "flywheel evaluate": "@cases.jsonl --candidate python:pol.py:yes --present python:pol.py:yes",
    "flywheel promote": "target.txt new.txt --book book.db --reason better --evaluation e.json",
    "flywheel rollback": "target.txt --book book.db --reason worse",
    "calibrate": "@log.db --engine engine.db",
    "mcp": "--policy pol.py:policy --url https://localhost:1/mcp --header NAME",
}
"""Each command with what it takes; an argument that names a file to be read begins with `@`."""
REFUSED = {"dashboard", "flywheel mutate", "flywheel promote", "flywheel rollback", "mcp"}
"""Rows that end with exit code 2: what these do needs more than a row."""
OWN_REPORT = {"plant", "flywheel evaluate"}
"""Their output is not what they print."""
ANY_CONTENT = {("flywheel promote", "--data")}
HINTED_ELSEWHERE = {"@log.db", "--db"}
"""Inputs whose errors are those of a store."""
MADE = {("flywheel harvest", "--book"), ("calibrate", "--engine")}
"""Options whose file is made where it is not there."""
PLAIN = re.compile(r"[A-Za-z]+([:=_|-][A-Za-z]+)*")


class Leaf(NamedTuple):
    name: str
    command: Any


def leaves(command: Any, *path: str) -> Iterator[Leaf]:
    """Yield every command below *command*."""
    if not hasattr(command, "list_commands"):
        yield Leaf(" ".join(path), command)
        return
    for name in command.list_commands(None):
        yield from leaves(command.get_command(None, name), *path, name)


ROOT = typer.main.get_command(app)
LEAVES = {leaf.name: leaf.command for leaf in leaves(ROOT)}
GROUPS = ["", *sorted({name.rpartition(" ")[0] for name in LEAVES} - {""})]
every = pytest.mark.parametrize("name", LEAVES)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a folder with a valid file of each kind, and invalid ones; tests use a copy."""
    folder = tmp_path_factory.mktemp("files")
    call = {"id": "a", "name": "refund", "arguments": {"order_id": "W1", "amount": 20}}
    talk = [{"role": "user", "content": "Refund W1, it was 20."}]
    messages = [
        *talk,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "refunded W1"},
    ]
    policy = (
        "from abs_shield import shield\npolicy = shield.configure()\nyes = lambda prompt: '2'\n"
    )
    with chdir(folder):
        write_objects("runs.jsonl", {"run_id": "r1", "messages": messages})
        write_objects("labels.jsonl", {"run_id": "r1", "call_index": 0, "label": "ok"})
        write_objects("tools.json", [{"name": "refund"}, {"name": "get_order"}])
        write_objects("messages.json", talk)
        answer = {"id": "a", "context": ["W1 ships from Oslo."], "answer": "It is W1."}
        write_objects("answers.jsonl", answer)
        output = {"id": "o", "text": "Order W1 ships.", "task_type": "summary"}
        write_objects("outputs.jsonl", output)
        cases = [{"id": f"c{n}", "prompt": "1 + 1?", "expected": "2"} for n in range(9)]
        write_objects("cases.jsonl", *cases)
        fact = {"subject": "Acme", "attribute": "market cap", "value": "2 billion"}
        write_objects("facts.json", [fact])
        write_objects("number.json", 7)
        Path("pol.py").write_text(policy)
        Path("folder").mkdir()
        Path("binary.bin").write_bytes(bytes(range(256)) * 8)
        fill_log("log.db", order(1), refund(1, 900))
        with redirect_stdout(StringIO()):
            assert 0 == main(["flywheel", "harvest", "log.db", "--book", "book.db"])
    return folder


@pytest.fixture
def here(tmp_path, monkeypatch, files):
    """Return the current folder, a copy of `files`."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def argv(name: str) -> list[str]:
    """Return the arguments of a command's row."""
    return [*name.split(), *CALLS[name].replace("@", "").split()]


def run(command: Any, words: list[str]) -> Any:
    """Run a command with a decision's id in place of `ID`, and a call on stdin."""
    if "ID" in words:
        lines = command("log", "export", "log.db").out.splitlines()
        words = [json.loads(lines[0])["id"] if word == "ID" else word for word in words]
    return command(*words, stdin=CALL)


def test_every_command_has_a_row():
    """`CALLS` has a row for each registered command."""
    assert [*LEAVES] == [*CALLS]


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("name", [*GROUPS, *LEAVES])
def test_help_fits_80_columns(command, monkeypatch, name, flag):
    """Help has no line wider than 80 columns, and ends with an example of the command."""
    monkeypatch.setenv("COLUMNS", "80")
    done = command(*name.split(), flag)
    title, _, example = done.out.partition("\n\nExample: ")

    assert (0, "") == (done.code, done.err)
    assert [] == [line for line in done.out.splitlines() if len(line) > 80]
    assert f"abs-shield {name}".strip() in example.partition("\n")[0]
    assert "..." not in title.partition("Commands:")[2]
    assert "-h, --help" in title


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_a_short_description(name):
    """The description is at most 60 characters, so that the list of commands is not cut."""
    assert len(COMMANDS[name]) <= 60


@every
def test_placeholders_of_values_are_plain_words(name):
    """The placeholder of an option is one word or its choices, without brackets and types."""
    words = {value_word(one) for one in LEAVES[name].params if not getattr(one, "is_flag", False)}

    assert [] == [word for word in words if not PLAIN.fullmatch(word)]


@every
def test_help_wraps_no_option_name(command, monkeypatch, name):
    """Each option name is on one line of the help at 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    output = command(*name.split(), "--help").out
    names = [option for one in LEAVES[name].params for option in one.opts if option[:2] == "--"]

    assert [] == [option for option in names if option not in output]


@every
def test_an_unknown_option_is_refused(command, name):
    """The error is one line that names the option, and nothing is printed."""
    wrong = command(*argv(name), "--colour")

    assert (2, "", 1) == (wrong.code, wrong.out, wrong.err.count("\n"))
    assert "no option is named `--colour`; see `abs-shield" in wrong.err


@pytest.mark.parametrize(
    "name", [name for name in LEAVES if name not in REFUSED | {*WITHOUT_OUTPUT}]
)
def test_output_option_writes_a_file(command, here, name):
    """`-o` and `--output` write a file, and print nothing except a command's own report."""
    target = "planted" if name == "plant" else "policy.py" if name == "init" else "out.txt"
    words = [word for word in argv(name) if word not in ("-o", "planted")]
    done = run(command, [*words, "-o", target])
    Path(target).rename("first")
    again = run(command, [*words, "--output", target])

    assert {done.code, again.code} <= {0, 1}, done.err
    assert name in OWN_REPORT or ("", "") == (done.out, again.out)
    assert "Traceback" not in done.err + again.err
    assert Path("first").is_dir() or Path("first").stat().st_size > 0


@pytest.mark.parametrize(
    "name", [name for name in LEAVES if name not in REFUSED | {*WITHOUT_OUTPUT, "plant"}]
)
def test_output_to_a_dash(command, here, name):
    """`-o -` prints the output, and writes no file named `-`."""
    words = [word for word in argv(name) if word not in ("-o", "planted")]
    done = run(command, [*words, "-o", "-"])

    assert done.code in (0, 1), done.err
    assert done.out
    assert not Path("-").exists()


@pytest.mark.parametrize("flag", ["-o", "--output"])
@pytest.mark.parametrize("name", WITHOUT_OUTPUT)
def test_a_command_without_output_option_says_where_its_output_goes(command, here, name, flag):
    """The error of `-o` has the same words as the documentation."""
    done = run(command, [*name.split(), flag, "out.txt"])
    page = " ".join((Path(__file__).parents[2] / "docs" / "cli.md").read_text().split())

    assert (2, "", 1) == (done.code, done.out, done.err.count("\n"))
    assert f"abs-shield: `{name}` has no `{flag}`: {WITHOUT_OUTPUT[name]}\n" == done.err
    assert f"`{name}`: {WITHOUT_OUTPUT[name]}" in page


def outputs(command: Any) -> list[str]:
    """Return the options of a command that name an output file."""
    return [option for one in command.params for option in one.opts if option in WRITTEN]


@pytest.mark.parametrize("target", ["gone/out.svg", "folder", "/proc/out.svg"])
@pytest.mark.parametrize(
    ("name", "option"), [(name, option) for name in LEAVES for option in outputs(LEAVES[name])]
)
def test_an_invalid_output_is_refused_before_any_input_is_read(command, here, name, option, target):
    """The error is about the output, although an input is missing as well."""
    if target.startswith("/proc") and not Path("/proc/self").exists():
        pytest.skip("there is no /proc, in which nobody can write; run the test on Linux")
    if name == "plant":
        target = target.replace("folder", "pol.py")
    words = [word.replace("runs.jsonl", "gone.jsonl") for word in argv(name)]
    done = run(command, [*words, option, target])

    assert (2, "", 1) == (done.code, done.out, done.err.count("\n")), done.err
    assert f"`{option}`: " in done.err or target in done.err
    assert ";" in done.err


def inputs(name: str) -> Iterator[tuple[str, str]]:
    """Yield each argument or option of a row that names an input file."""
    yield from ((name, word) for word in CALLS[name].split() if word.startswith("@"))
    for one in LEAVES[name].params:
        read = value_word(one) in ("FILE", "DB") and one.param_type_name == "option"
        if read and not {*one.opts} & WRITTEN:
            yield name, max(one.opts, key=len)


def unreadable(name: str, place: str) -> list[str]:
    """Return the names of files that an input cannot be."""
    if (name, place) in MADE:
        return ["folder", "binary.bin", "number.json"]
    if (name, place) in ANY_CONTENT:
        return ["gone.json", "folder"]
    return ["gone.json", "folder", "binary.bin", "number.json"]


@pytest.mark.parametrize(
    ("name", "place", "bad"),
    [(*one, bad) for name in LEAVES for one in inputs(name) for bad in unreadable(*one)],
)
def test_an_input_that_cannot_be_read(command, here, name, place, bad):
    """The error names a remedy, and no file is written."""
    words = [bad if f"@{word}" == place else word for word in argv(name)]
    if place.startswith("--") and place in words:
        words[words.index(place) + 1] = bad
    elif place.startswith("--"):
        words += [place, bad]
    before = {path.name for path in here.iterdir()}
    done = run(command, words)

    assert 2 == done.code, done
    assert "Traceback" not in done.err
    assert 1 <= done.err.count("\n") <= 8, done.err
    assert bad not in ("gone.json", "folder") or (1, "") == (done.err.count("\n"), done.out)
    assert place in HINTED_ELSEWHERE or re.search("; |give ", done.err), done.err
    assert before == {path.name for path in here.iterdir()}


PLACES = ["gone.py:policy", "pol.py:polcy", "pol.py", "folder:policy"]


@pytest.mark.parametrize("bad", PLACES)
@pytest.mark.parametrize(
    ("name", "option"),
    [
        (name, option)
        for name in LEAVES
        for one in LEAVES[name].params
        if value_word(one) == "MODULE:ATTR"
        for option in (one.opts if one.param_type_name == "option" else [""])
    ],
)
def test_a_policy_that_cannot_be_loaded(command, here, name, option, bad):
    """The error is one line, with the nearest name if there is one."""
    words = [word for word in argv(name) if word != "pol.py:policy"]
    words = [word for word in words if word != option]
    extra = ["--policy", "pol.py:policy"] if option == "--against" else []
    done = run(command, [*words, *extra, *([option] if option else []), bad])

    assert (2, "", 1) == (done.code, done.out, done.err.count("\n")), done.err


@pytest.mark.parametrize(
    ("name", "noun"),
    [("replay", "run"), ("backtest", "run"), ("plant", "run"), ("ground", "answer"),
     ("quality", "output")],
)  # fmt: skip
def test_an_empty_input_is_refused(command, here, name, noun):
    """An empty input is an error, unless `--allow-empty` is given."""
    Path("empty.jsonl").write_text("\n")
    words = ["empty.jsonl" if f"@{word}" in CALLS[name].split() else word for word in argv(name)]
    words = [word for word in words if word not in ("--labels", "labels.jsonl")]
    refused, allowed = command(*words), command(*words, "--allow-empty")

    assert (2, "", 1) == (refused.code, refused.out, refused.err.count("\n"))
    assert f"empty.jsonl: no {noun} was read; give another file, or `--allow-empty`" in refused.err
    assert (int(name == "plant"), "") == (allowed.code, allowed.err)


@pytest.mark.parametrize("name", ["replay", "backtest", "plant", "ground", "quality", "init"])
def test_at_most_five_bad_lines_are_reported(command, here, name):
    """Further bad lines are counted; an indented JSON file is reported with a hint."""
    Path("wrong.jsonl").write_text(json.dumps([{"a": 1}] * 40, indent=1))
    old = "runs.jsonl" if name == "init" else CALLS[name].split()[0][1:]
    done = command(*["wrong.jsonl" if word == old else word for word in argv(name)])

    assert 2 == done.code
    assert "write one object a line, as `jq -c '.[]' FILE` does" in done.err
    assert 5 == len(re.findall(r"wrong\.jsonl:[0-9]+: (?!from here)", done.err))
    assert "wrong.jsonl:6: from here on 117 more lines that cannot be read" in done.err


SHAPES = [
    [{"name": "refund"}],
    {"shop": [{"name": "refund"}]},
    {"tools": [{"name": "refund"}]},
    {"shop": [{"name": "refund"}], "desk": [{"name": "lend"}]},
]


@pytest.mark.parametrize("held", SHAPES)
@pytest.mark.parametrize(
    "name", [n for n in LEAVES if "--tools" in [o for p in LEAVES[n].params for o in p.opts]]
)
def test_tools_may_be_a_list_or_an_object_of_lists(command, here, file, name, held):
    """Every command that takes tools reads both shapes."""
    file("tools.json", held)
    many = isinstance(held, dict) and len(held) > 1 and name in ("check", "init")
    done = run(command, [*argv(name), *(["--toolset", "shop"] if many else [])])

    assert done.code in (0, 1), done.err
