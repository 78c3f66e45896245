"""`abs-shield prove` checks a policy and its rules against the tools."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLINIC = '''
from abs_shield import Shield, Tool, rule, shield, shielded

@rule(tool="see_patient")
def is_a_number(id: int) -> bool:
    """A patient has a number above 0."""
    return id > 0

policy = shield.configure(rules=[is_a_number], layers=["impossible_state"])
firewall = Shield(policy)

@shielded(firewall)
def see_patient(id: int) -> str:
    """Call a patient in."""
    return "in"

def made():
    return firewall

wrong = 7
'''
TOOLS = [
    {"name": "see_patient", "parameters": {"properties": {"id": {"type": "integer"}}}},
    {"name": "bad", "parameters": {"type": "objekt"}},
]


@pytest.fixture
def module(tmp_path):
    """Return a function that writes a Python module and returns its path."""

    def write(source: str = CLINIC, name: str = "clinic") -> str:
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(source))
        return str(path)

    return write


@pytest.mark.parametrize("attribute", ["firewall", "made"])
def test_a_shield_is_proved(command, module, attribute):
    """`prove` accepts a Shield, and a function that returns one, with its registered tools."""
    done = command("prove", f"{module()}:{attribute}")

    assert (0, "") == (done.code, done.err)
    assert done.out.startswith("proved: 1 rule, 1 tool, ")


def test_a_policy_without_tools_is_not_proved(command, module):
    """A policy does not contain tools registered with a Shield, so a rule's tool is unknown."""
    done = command("prove", f"{module()}:policy", "--format", "json")
    problems = json.loads(done.out)["problems"]

    assert (1, ["unknown_tool", "no_tools"]) == (done.code, [each["code"] for each in problems])
    assert problems[0]["hint"].endswith("register them first, or name them with `--tools`")


def test_a_problem_of_a_tools_file_has_its_line(command, module, tmp_path):
    """Tools can come from `--tools`; a problem names the file and the line."""
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(TOOLS, indent=1))
    done = command("prove", f"{module()}:policy", "--tools", path, "--format", "json")
    output = json.loads(done.out)
    (problem,) = output["problems"]
    line = path.read_text().splitlines()[problem["line"] :]

    assert (1, False, 2) == (done.code, output["ok"], output["tools"])
    assert ("invalid_schema", str(path)) == (problem["code"], problem["file"])
    assert '"name": "bad"' in line[0]


SOME = TOOLS[:1]
ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {"_meta": {"a": [1]}, "tools": SOME}}
SHAPES = [{"tools": SOME}, {"a": SOME, "b": []}, SOME, {"tools": SOME, "nextCursor": None}, ANSWER]


@pytest.mark.parametrize("around", SHAPES)
def test_every_shape_of_file(command, module, file, around):
    """A list of tools, an object of such lists, and the response of an MCP server are read."""
    done = command("prove", f"{module()}:policy", "--tools", file("tools.json", around))

    assert (0, True) == (done.code, done.out.startswith("proved: 1 rule, 1 tool, "))


def test_all_problems_are_reported(command, module):
    """One run reports every unknown tool and every unknown parameter."""
    source = CLINIC + (
        "many = shield.configure(tools=[Tool(name='t', parameters={'properties': {'z': {}}},\n"
        "    soft=['x'], free=['y'])], rules=[is_a_number], modes={'see_patent': 'audit'})\n"
    )
    done = command("prove", f"{module(source)}:many", "--format", "json")

    assert 1 == done.code
    assert ["unknown_tool", "unknown_tool", "unknown_parameter", "unknown_parameter"] == [
        each["code"] for each in json.loads(done.out)["problems"] if each["severity"] == "error"
    ]


def test_fail_on_warning_exits_with_1(command, module):
    """A warning is exit code 1 only with `--fail-on warning`."""
    place = f"{module(CLINIC.replace('id > 0', 'True'))}:firewall"

    assert [0, 1, 0] == [
        command("prove", place).code,
        command("prove", place, "--fail-on", "warning").code,
        command("prove", place, "--fail-on", "error").code,
    ]
    assert "rejects none of" in " ".join(command("prove", place).out.split())


def test_a_note_suggests_fail_on_warning(command, module):
    """The note is printed only if there are warnings and the option is not given."""
    message = "warnings do not fail the command; in CI give `--fail-on warning`"
    place = f"{module(CLINIC.replace('id > 0', 'True'))}:firewall"
    sound = f"{module(CLINIC, 'sound')}:firewall"

    assert command("prove", place).out.endswith(f"{message}\n")
    assert message not in command("prove", place, "--fail-on", "warning").out
    assert message not in command("prove", sound).out


def test_a_policy_that_raises_on_declaration_is_a_problem(command, module):
    """The error of the declaration is the only problem and has its file and line."""
    path = module("from abs_shield import shield\n\npolicy = shield.configure(treshold=1)\n")
    done = command("prove", f"{path}:policy", "--format", "json")
    (problem,) = json.loads(done.out)["problems"]

    assert (1, "not_declared", path, 3) == (
        done.code,
        problem["code"],
        problem["file"],
        problem["line"],
    )
    assert problem["message"].endswith("did you mean `threshold`?")


def test_prints_of_a_module_go_to_stderr(command, module):
    """The standard output contains the proof only."""
    done = command("prove", f"{module(CLINIC + 'print(1)')}:firewall", "--format", "json")

    assert (True, "1\n") == (json.loads(done.out)["ok"], done.err)


def test_hostile_tools_are_escaped(command, module, file):
    """Control characters in a tools file are escaped in every format."""
    tools = [{"name": "x\x1b[2J[bold]\u202e", "parameters": {"type": "\x1b]0;own\x07"}}]
    path = file("tools.json", tools)
    for format in ("text", "json"):
        done = command("prove", f"{module()}:policy", "--tools", path, "--format", format)

        assert 1 == done.code
        assert [] == [c for c in done.out if c != "\n" and not c.isprintable()]


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["nowhere"], "write `package.module:attr`"),
        (["no_such_module_here:policy"], "no_such_module_here"),
        (["{clinic}:polcy"], "did you mean `policy`?"),
        (["{clinic}:wrong"], "is a `int`, not a policy or a Shield"),
        (["json:dumps"], "`json:dumps` raises when it is called for its policy: TypeError"),
        (["{clinic}:policy", "--tools", "{clinic}"], "it is not JSON"),
        (["{clinic}:policy", "--tools", "{number}"], "it is 7; give a list of tools, or an object"),
        (["{clinic}:policy", "--tools", "{nameless}"], "nameless.json:2: tool has no `name`"),
        (["{clinic}:policy", "--fail-on", "wrning"], "did you mean `warning`?"),
    ],
)
def test_bad_input(command, module, file, tmp_path, argv, expected):
    """Invalid input is one line with the valid alternative."""
    (tmp_path / "nameless.json").write_text("[\n  {}]")
    places = {
        "clinic": module(),
        "number": file("number.json", 7),
        "nameless": tmp_path / "nameless.json",
    }
    done = command("prove", *(each.format(**places) for each in argv))

    assert (2, "") == (done.code, done.out)
    assert expected in done.err
    assert 1 == done.err.count("\n")


def test_the_enterprise_policy_is_proved(command):
    """`policies/enterprise.py` has no warning."""
    done = command("prove", f"{ROOT / 'policies' / 'enterprise.py'}:policy", "--fail-on", "warning")

    assert 0 == done.code


@pytest.mark.parametrize("name", ["audit_mode", "policy_with_state", "refund_agent"])
def test_the_examples_are_proved(command, name):
    """The Shields of the examples have no errors."""
    done = command("prove", f"{ROOT / 'examples' / name}.py:firewall")

    assert (0, "") == (done.code, done.err)
