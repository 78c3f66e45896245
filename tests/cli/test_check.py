"""`abs-shield check`: one call from the standard input."""

from __future__ import annotations

import json

import pytest

from abs_shield.core import Decision

TOOLS = [
    {
        "name": "see_patient",
        "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}},
    }
]


@pytest.fixture
def tools(file):
    return file("tools.json", TOOLS)


@pytest.mark.parametrize(
    "held",
    [
        {"tools": TOOLS, "nextCursor": None},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS, "nextCursor": None}},
    ],
)
def test_what_a_server_answers(command, file, held):
    """An MCP server's own answer is a list of tools."""
    call = json.dumps({"name": "see_patient", "arguments": {"id": 4}})

    assert 0 == command("check", "--tools", file("tools.json", held), stdin=call).code


@pytest.mark.parametrize(
    "call",
    [
        {"name": "see_patient", "arguments": {"id": 4}},
        {"id": "c", "function": {"name": "see_patient", "arguments": '{"id": 4}'}},
        {"type": "tool_use", "id": "c", "name": "see_patient", "input": {"id": 4}},
        {"method": "tools/call", "params": {"name": "see_patient", "arguments": {"id": 4}}},
        {"role": "assistant", "tool_calls": [{"name": "see_patient", "arguments": {"id": 4}}]},
        [{"name": "see_patient", "arguments": {"id": 4}}],
    ],
)
def test_every_shape_of_call(command, tools, call):
    """A call of any shape is judged; a clean one exits with 0."""
    done = command("check", "--tools", tools, stdin=json.dumps(call))

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("CLEAN see_patient: runs\n")


def test_a_blocked_call(command, tools):
    """A call that would be blocked exits with 1 and says how to do better."""
    done = command("check", "--tools", tools, stdin='{"name": "se_patient", "arguments": {}}')

    assert done.code == 1
    assert "HALLUCINATED phantom_tool at /name" in done.out
    assert "hint: did you mean `see_patient`?" in done.out


def test_as_json(command, tools):
    """json is the decision's own record."""
    call = '{"name": "see_patient", "arguments": "{\\"id\\": NaN}"}'

    done = command("check", "--tools", tools, "--format", "json", stdin=call)

    decision = Decision.from_dict(json.loads(done.out))
    assert (done.code, decision.blocked) == (1, True)
    assert [finding.code for finding in decision.findings] == ["not_finite"]


def test_escapes_are_shown(command, tools):
    """A tool's name cannot speak to the terminal."""
    call = json.dumps({"name": "x\x1b[31m[red]\u202e", "arguments": {}})

    done = command("check", "--tools", tools, stdin=call)

    assert "\x1b" not in done.out
    assert "x\\x1b[31m[red]\\u202e" in done.out


def test_a_conversation_comes_before(command, file, tmp_path):
    """The call is judged with the messages that came before it."""
    policy = tmp_path / "ward.py"
    policy.write_text(
        "from abs_shield.policy import configure, rule\n"
        "@rule(tool='discharge')\n"
        "def patient_was_seen(session):\n"
        "    '''A patient is seen before the discharge.'''\n"
        "    return session.did('see_patient')\n"
        "policy = configure(rules=[patient_was_seen])\n"
    )
    results = [
        {"role": "assistant", "tool_calls": [{"id": "c", "name": "see_patient"}]},
        {"role": "tool", "tool_call_id": "c", "content": "well"},
    ]
    argv = ("check", "--policy", f"{policy}:policy")
    call = '{"name": "discharge", "arguments": {}}'

    assert command(*argv, stdin=call).code == 1
    assert command(*argv, "--messages", file("m.json", results), stdin=call).code == 0
    assert command(*argv, "--messages", file("m.json", {"messages": results}), stdin=call).code == 0


@pytest.mark.parametrize(
    ("stdin", "expected"),
    [
        ("", "it is not JSON"),
        ("{", "it is not JSON"),
        ("3", "message is of type int"),
        ("{}", "neither a message nor a call"),
        ('[{"name": "a"}, {"name": "b"}]', "2 calls"),
        ('{"name": 3}', "no name"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_no_call(command, stdin, expected):
    """Input that is not a call is one line on stderr and exit code 2."""
    done = command("check", stdin=stdin)

    assert (done.code, done.out) == (2, "")
    assert expected in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "held"),
    [
        ("--tools", 3),
        ("--tools", {"a": [], "b": []}),
        ("--tools", [{"name": "x", "parameters": {"type": "strin"}}]),
        ("--messages", {"message": []}),
        ("--messages", [{"role": "clerk"}]),
    ],
)
def test_wrong_files(command, file, option, held):
    """A file that holds something else is one line and exit code 2."""
    done = command("check", option, file("held.json", held), stdin='{"name": "x"}')

    assert (done.code, done.err.count("\n")) == (2, 1)


def test_a_wrong_message_names_its_file(command, file):
    """Several files may be given."""
    path = file("talk.json", [{"role": None, "content": "Hi."}])
    done = command("check", "--messages", path, stdin='{"name": "refund", "arguments": {}}')

    message = f"abs-shield: {path}: message has role null and the keys `role`, `content`; roles are"
    assert (2, message) == (done.code, done.err.partition(" system")[0])


def test_one_of_several_lists_of_tools(command, file):
    """`--toolset` names it; without it the names are listed."""
    tools = file("tools.json", {"shop": [{"name": "refund"}], "desk": [{"name": "lend"}]})
    call = '{"name": "refund", "arguments": {}}'
    words = ("check", "--tools", tools)

    assert [0, 1] == [
        command(*words, "--toolset", name, stdin=call).code for name in ("shop", "desk")
    ]
    assert "name one with `--toolset`: `shop`, `desk`" in command(*words, stdin=call).err
    assert "did you mean `shop`?" in command(*words, "--toolset", "shp", stdin=call).err
