"""`abs-shield init`: a proposed policy is formatted, typed and proved; errors are one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import run_python
from tests.requirements import needs_fastmcp

BIN = Path(sys.executable).parent
RUN = "import sys; from abs_shield.cli import main; sys.exit(main())"
SERVER = Path(__file__).parents[1] / "service" / "shop_server.py"
TEXT = {"type": "string"}
LEND = {"name": "lend_book", "parameters": {"type": "object", "properties": {"copy_id": TEXT}}}
HOSTILE = [
    {
        "name": '"""\nimport os; os.system("false")  # type: ignore\u202e',
        "description": "x" * 3_000 + "\n# noqa",
        "parameters": {"properties": {'a"\n"': {"enum": ["\x1b[2J", "'\""]}, "class": {}, "": {}}},
    },
    {"name": "odd", "parameters": True},
    {"name": "shut", "parameters": False},
    {"name": "bare"},
    {"name": "get_" + "long " * 90, "parameters": {"$ref": "#/$defs/a", "$defs": {"a": {}}}},
    {"name": "имя_файла", "parameters": {"properties": {"путь к файлу": {"type": "string"}}}},
    {"name": "create_user", "parameters": {"properties": {"user id": TEXT, "user_id": TEXT}}},
    {"name": "delete_user", "parameters": {"properties": {"user_id": TEXT}}},
    {"name": "huge", "parameters": {"properties": {"x": {"enum": [f"v{n}" for n in range(500)]}}}},
]


@pytest.fixture
def lending_run(file):
    """Write a run in which a copy is lent; return the file's path."""
    call = {"id": "a", "name": "lend_book", "arguments": {"copy_id": "C-4411"}}
    messages = [
        {"role": "user", "content": "May I have C-4411?"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "lent"},
    ]
    return file("runs.jsonl", {"messages": messages, "tools": [LEND], "toolset": "desk"})


def test_the_module_is_written_to_the_standard_output(command, file, lending_run):
    """The module is written to the standard output, the summary to stderr."""
    done = command("init", "--tools", file("tools.json", [LEND]), "--runs", lending_run)

    assert 0 == done.code
    assert done.out.startswith('"""A policy proposed from tools and recorded runs;')
    assert "`copy_id`: judged without a mark, as an identifier; 1 of 1 call had a source" in (
        done.out
    )
    assert done.err == (
        "abs-shield: 1 tool, 0 proposals declared, 0 as comments, 1 target judged without a mark; "
        "proved: 0 rules, 1 tool, 0 sampled calls; 0 errors, 0 warnings\n"
        "abs-shield: strict mode would block 0 of 1 recorded calls\n"
    )


def test_tools_may_come_from_the_runs(command, lending_run):
    """If the runs list their tools, `--tools` is not needed."""
    done = command("init", "--runs", lending_run)

    assert (0, 1) == (done.code, done.out.count("    Tool(\n"))
    assert "# Tools: as the runs describe them.\n" in done.out


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.skipif(
    not all((BIN / name).exists() for name in ("ruff", "mypy")),
    reason="needs `pip install ruff mypy`",
)
def test_a_module_from_hostile_tools_is_formatted_typed_and_proved(file, tmp_path):
    """The module passes ruff, mypy and `abs-shield prove`, whatever the tools are named."""
    policy = tmp_path / "mined.py"
    tools = file("tools.json", HOSTILE)
    for command in (
        ["abs-shield", "init", "--tools", tools, "-o", policy],
        ["ruff", "format", "--isolated", "--check", policy],
        ["ruff", "format", "--isolated", "--line-length", "100", "--check", policy],
        ["ruff", "check", "--isolated", "--select", "F,I,B,UP,PIE,E4,E7,E9,W", policy],
        ["mypy", "--strict", "--cache-dir", tmp_path / "cache", policy],
        ["abs-shield", "prove", f"{policy}:policy"],
    ):
        done = subprocess.run([BIN / command[0], *command[1:]], capture_output=True, text=True)
        assert 0 == done.returncode, f"{command[0]}: {done.stdout}{done.stderr}"


def test_a_file_is_overwritten_only_with_force(command, file, tmp_path):
    """An existing file stays unchanged without `--force`; with it the whole file is replaced."""
    policy = tmp_path / "policy.py"
    policy.write_text("mine = 1\n")
    argv = ("init", "--tools", file("tools.json", [LEND]), "-o", policy)
    refused = command(*argv)
    kept = policy.read_text()
    forced = command(*argv, "--force")

    assert (2, "mine = 1\n", 0) == (refused.code, kept, forced.code)
    assert "policy.py: it exists; give `--force` to write over it, or another name" in refused.err
    assert policy.read_text().startswith('"""A policy proposed')
    assert ["policy.py", "tools.json"] == sorted(each.name for each in tmp_path.iterdir())


def test_toolset_selects_tools_and_runs(command, file, lending_run):
    """`--toolset` selects one list of tools and skips the runs of the others."""
    tools = file("tools.json", {"desk": [LEND], "other": [{"name": "other"}]})
    named = Path(lending_run).read_text().replace('"tools"', '"listed"')
    Path(lending_run).write_text(named + named.replace('"desk"', '"other"'))
    done = command("init", "--tools", tools, "--toolset", "desk", "--runs", lending_run)

    assert (0, True) == (done.code, "of 1 recorded calls" in done.err)


def test_a_bad_line_is_reported_and_skipped(command, lending_run):
    """The module is written from the other lines, and the exit code is 2."""
    with Path(lending_run).open("a") as file:
        file.write("{\x1b\n")
    done = command("init", "--runs", lending_run)

    assert (2, True) == (done.code, done.out.startswith('"""A policy proposed'))
    assert done.err.startswith(f"abs-shield: {lending_run}:2: the line is not JSON: ")
    assert 1 == done.err.count("not JSON")


def test_calls_that_no_policy_can_allow_are_reported(command, file, lending_run):
    """An empty tool name stays blocked; the exit code is 1 with `--let-through all`, else 0."""
    call = {"id": "b", "name": "", "arguments": {}}
    with Path(lending_run).open("a") as runs:
        runs.write(json.dumps({"messages": [{"role": "assistant", "tool_calls": [call]}]}) + "\n")
    argv = ("init", "--tools", file("tools.json", [LEND]), "--runs", lending_run)
    done = command(*argv, "--let-through", "all")

    assert (1, 1) == (done.code, done.out.count("    Tool(\n"))
    assert done.err.endswith(
        "abs-shield: strict mode would block 1 of 2 recorded calls; the tools themselves rejected 0"
        " of them\n"
        "abs-shield: enforced; no policy can allow it: 1 call with a name that is"
        " empty, too long, or not Unicode: a policy cannot contain it\n"
    )
    assert "Suppression" not in done.out
    assert (0, done.err) == command(*argv)[::2]


REFUSED = {"id": "b", "name": "lend_book", "arguments": {"copy_id": 7}}


@pytest.mark.parametrize(
    ("content", "chosen", "blocked", "active"),
    [
        ("lent", [], 1, 0),
        ("lent", ["--let-through", "none"], 1, 0),
        ("lent", ["--let-through", "worked"], 0, 1),
        ("Error: copy_id must be a string", ["--let-through", "worked"], 1, 0),
        ("Error: copy_id must be a string", ["--let-through", "all"], 0, 1),
    ],
)
def test_let_through_selects_the_suppressed_findings(
    command, file, lending_run, tmp_path, content, chosen, blocked, active
):
    """A replay of the same runs blocks as many calls as the summary says; the default is `none`."""
    with Path(lending_run).open("a") as runs:
        messages = [
            {"role": "assistant", "tool_calls": [REFUSED]},
            {"role": "tool", "tool_call_id": "b", "content": content},
        ]
        runs.write(json.dumps({"messages": messages}) + "\n")
    policy = tmp_path / "policy.py"
    argv = ("--tools", file("tools.json", [LEND]), "--runs", lending_run, "-o", policy)
    done = command("init", *argv, *chosen)
    strict = tmp_path / "strict.py"
    strict.write_text(policy.read_text().replace('mode="audit"', 'mode="strict"'))
    again = command("replay", lending_run, "--policy", f"{strict}:policy", "--format", "jsonl")

    assert 0 == done.code
    assert f"strict mode would block {blocked} of 2 recorded calls" in done.err
    assert active == policy.read_text().count("\n        Suppression(\n")
    assert blocked == sum(json.loads(row)["would_block"] for row in again.out.splitlines())


BETWEEN = {
    "nothing": ("", 0),
    "no JSON": ("{\n", 1),
    "no messages": ('{"session_id": "S"}\n', 0),
    "broken messages": ('{"session_id": "S", "messages": [7]}\n', 0),
    "of nobody": ('{"messages": "broken"}\n', 1),
    "of another one": ('{"session_id": "T", "messages": []}\n', 1),
}


@pytest.mark.parametrize("kind", BETWEEN)
def test_a_replay_reads_the_same_sessions(command, file, tmp_path, kind):
    """A line between two lines of a session ends the session in `init` if it does in `replay`."""
    line, ended = BETWEEN[kind]
    call = {"id": "c", "name": "delete_order", "arguments": {"order_id": "W77777"}}
    first = {"session_id": "S", "messages": [{"role": "user", "content": "Delete W77777"}]}
    second = {
        "session_id": "S",
        "messages": [
            {"role": "user", "content": "yes, that one"},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "done"},
        ],
    }
    runs, policy = tmp_path / "runs.jsonl", tmp_path / "policy.py"
    runs.write_text(f"{json.dumps(first)}\n{line}{json.dumps(second)}\n")
    order = {"name": "delete_order", "parameters": {"properties": {"order_id": TEXT}}}
    mined = command("init", "--tools", file("t.json", [order]), "--runs", runs, "-o", policy)
    again = command("replay", runs, "--policy", f"{policy}:policy", "--format", "jsonl")
    rows = [json.loads(row) for row in again.out.splitlines()]

    first = f"; the first draft would have blocked {ended}" if ended else ""
    assert f"strict mode would block 0 of 1 recorded calls{first}\n" in mined.err
    assert [False] == [row["would_block"] for row in rows]
    assert ended == sum(len(row["findings"]) for row in rows)


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_an_openapi_description(command, tmp_path, suffix):
    """A JSON or YAML description is read, and the route is given as evidence."""
    yaml = pytest.importorskip("yaml", reason="needs `pip install abs-shield[yaml]`")
    paths = {"/books/{id}": {"delete": {"operationId": "burn", "responses": {200: {}}}}}
    whole = {"openapi": "3.0.3", "info": {"version": "2026-01-01"}, "paths": paths}
    path = tmp_path / f"api.{suffix}"
    path.write_text(json.dumps(whole) if suffix == "json" else yaml.safe_dump(whole))
    done = command("init", "--openapi", path)

    assert 0 == done.code
    assert "# `destructive`: it is `DELETE /books/{id}`\n" in done.out


@pytest.mark.slow
def test_yaml_with_nested_aliases_is_refused(command, tmp_path):
    """A small file that its aliases would expand to a huge one is an error."""
    pytest.importorskip("yaml", reason="needs `pip install abs-shield[yaml]`")
    path = tmp_path / "api.yaml"
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    path.write_text("\n".join(lines))
    done = command("init", "--openapi", path)

    assert (2, "") == (done.code, done.out)
    assert done.err.endswith("it is nested too deeply, or its aliases make it too large\n")


MISTAKES = {
    "nothing": ([], "give one of `--tools`, `--mcp`, `--openapi`, or `--runs` that list tools"),
    "two": (["--tools", "t", "--openapi", "o"], "got `--tools` and `--openapi`; give one of them"),
    "stdin": (["--runs", "-"], "`--runs -`: runs are read more than once; write them to a file"),
    "toolset": (["--toolset", "x"], "`--toolset` names a list of `--tools`; give that file"),
    "quotes": (["--mcp", "a 'b"], "`--mcp`: No closing quotation; quote the command as a shell"),
    "empty": (["--mcp", " "], "`--mcp` is empty; give a command or a URL"),
    "suffix": (
        ["-o", "policy.txt"],
        "policy.txt: a policy is a Python module; name it `policy.py`",
    ),
    "folder": (["-o", "no/policy.py"], "no/policy.py: there is no folder `no`; make it first"),
    "option": (["--tool", "x"], "no option is named `--tool`; did you mean `--tools`?"),
    "missing": (["--tools", "none.json"], "none.json: No such file or directory"),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_is_one_line(command, kind, tmp_path, monkeypatch):
    """A wrong option is exit code 2 and one line that says what is wrong."""
    monkeypatch.chdir(tmp_path)
    argv, message = MISTAKES[kind]
    done = command("init", *argv)

    assert (2, "", 1) == (done.code, done.out, done.err.count("\n"))
    assert message in done.err


@pytest.mark.skipif(
    not hasattr(os, "mkfifo"), reason="there are no named pipes; run the test on Linux or macOS"
)
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_runs_that_cannot_be_read_again_are_refused(command, file, lending_run, tmp_path, kind):
    """Runs are read more than once, so a pipe or a device is an error."""
    path = "/dev/null" if kind == "device" else tmp_path / "runs.fifo"
    if kind == "pipe":
        os.mkfifo(path)
    tools = file("tools.json", [LEND])
    done = command("init", "--tools", tools, "--runs", lending_run, "--runs", path)

    message = f"abs-shield: `--runs {path}`: runs are read more than once; write them to a file\n"
    assert (2, "", message) == done


@pytest.mark.parametrize("lines", [0, 2])
def test_runs_without_a_call_are_reported(command, file, lines):
    """If the runs contain no call, a note says that all proposals come from the tools."""
    state = {"messages": [{"role": "user", "content": "Hello."}]}
    runs = file("runs.jsonl", *[state] * lines)
    done = command("init", "--tools", file("tools.json", [LEND]), "--runs", runs)

    assert 0 == done.code
    assert done.err.splitlines()[1:] == [
        "abs-shield: the runs contain no call; all proposals come from the tools"
    ]


FILES = {
    "several": (
        {"a": [], "b": []},
        [],
        "it holds 2 lists of tools; name one with `--toolset`: `a`",
    ),
    "near": (
        {"desk": []},
        ["--toolset", "dsek"],
        "no toolset is named `dsek`; did you mean `desk`",
    ),
    "one list": ([LEND], ["--toolset", "a"], "it is one list of tools; leave `--toolset` out"),
    "no list": (7, [], "`tools` is 7; give a list"),
    "no name": ([{}], [], "tool 0: tool has no `name`"),
    "none": ([], [], "no tool is known; give `--tools`, `--mcp` or `--openapi`"),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_wrong_file_is_one_line(command, file, kind):
    """The error says why a file of tools cannot be read, or suggests the nearest toolset."""
    held, argv, message = FILES[kind]
    done = command("init", "--tools", file("tools.json", held), *argv)

    assert (2, "", 1) == (done.code, done.out, done.err.count("\n"))
    assert message in done.err


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ([{}, LEND, {"name": "x", "parameters": 3}], ["tool 0: ", "tool 2: "]),
        ({"desk": [LEND, {}], "shop": [{"title": "x"}, LEND]}, ["toolset `desk`: tool 1: ",
                                                               "toolset `shop`: tool 0: "]),
    ],
)  # fmt: skip
def test_an_invalid_tool_is_skipped_and_reported(command, file, held, expected):
    """The other tools are in the module, each invalid tool is named, and the exit code is 2."""
    argv = ["--toolset", "desk"] if isinstance(held, dict) else []
    done = command("init", "--tools", file("tools.json", held), *argv)

    assert (2, True) == (done.code, "lend_book" in done.out)
    lines = zip(done.err.splitlines(), expected, strict=False)
    assert expected == [line.split("abs-shield: ")[1][: len(start)] for line, start in lines]


def test_invalid_yaml_is_one_line(command, tmp_path):
    """Invalid YAML is exit code 2 and one line on stderr."""
    pytest.importorskip("yaml", reason="needs `pip install abs-shield[yaml]`")
    path = tmp_path / "api.yaml"
    path.write_text("a: [\x00")
    done = command("init", "--openapi", path)

    assert (2, "", 1) == (done.code, done.out, done.err.count("\n"))
    assert "api.yaml: it is not YAML: " in done.err


def test_without_the_extra():
    """Without fastmcp the error names the package to install."""
    without_fastmcp = f"import sys; sys.modules['fastmcp'] = None; {RUN}"
    done = run_python("-c", without_fastmcp, "init", "--mcp", "cat", check=False)

    assert (2, "") == (done.returncode, done.stdout)
    assert '`--mcp` needs `fastmcp`; run `pip install "abs-shield[fastmcp]"`\n' in done.stderr


@needs_fastmcp
def test_tools_may_come_from_an_mcp_server():
    """`--mcp` starts the command and reads the tools that its server lists."""
    done = _run("--mcp", f"'{sys.executable}' '{SERVER}'")

    assert 0 == done.returncode, done.stderr
    assert "# Tools: the MCP server `python" in done.stdout
    assert 'name="refund"' in done.stdout


@pytest.mark.release
@pytest.mark.slow
@needs_fastmcp
@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["--mcp", "no-such-command"], "command `no-such-command` not found; give its path"),
        (["--mcp", "false"], "`false` lists no tools: Connection closed; run it by itself"),
        (
            ["--mcp", "sleep 60", "--timeout", "1"],
            "`sleep` did not list its tools within 1 seconds",
        ),
        (["--mcp", "http://127.0.0.1:1/mcp"], "`http://127.0.0.1:1/mcp` lists no tools: "),
    ],
)
def test_a_server_that_lists_no_tools_is_one_line(argv, expected):
    """A missing, ended, silent or unreachable server is one line on stderr."""
    done = _run(*argv)

    assert (2, "") == (done.returncode, done.stdout)
    assert expected in done.stderr
    assert 1 == done.stderr.count("\n"), done.stderr


def _run(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", RUN, "init", *argv],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
