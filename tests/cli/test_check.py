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
def test_tools_of_an_mcp_response_are_read(command, file, held):
    """`--tools` accepts the response of an MCP server to `tools/list`."""
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
    """A call in any provider's shape is judged; a clean one is exit code 0."""
    done = command("check", "--tools", tools, stdin=json.dumps(call))

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("CLEAN see_patient: runs\n")


def test_a_blocked_call(command, tools):
    """A blocked call is exit code 1, and the output has the finding and a hint."""
    done = command("check", "--tools", tools, stdin='{"name": "se_patient", "arguments": {}}')

    assert done.code == 1
    assert "HALLUCINATED phantom_tool at /name" in done.out
    assert "hint: did you mean `see_patient`?" in done.out


def test_json_is_the_decision(command, tools):
    """`--format json` prints the decision, which `Decision.from_dict` can read."""
    call = '{"name": "see_patient", "arguments": "{\\"id\\": NaN}"}'

    done = command("check", "--tools", tools, "--format", "json", stdin=call)

    decision = Decision.from_dict(json.loads(done.out))
    assert (done.code, decision.blocked) == (1, True)
    assert [finding.code for finding in decision.findings] == ["not_finite"]


def test_control_characters_are_escaped(command, tools):
    """Escape sequences and markup in a tool's name are printed as text."""
    call = json.dumps({"name": "x\x1b[31m[red]\u202e", "arguments": {}})

    done = command("check", "--tools", tools, stdin=call)

    assert "\x1b" not in done.out
    assert "x\\x1b[31m[red]\\u202e" in done.out


def test_messages_are_the_history_of_the_call(command, file, tmp_path):
    """`--messages` is the conversation before the call, so that rules can refer to it."""
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
        ("", 'it is empty; pipe one call, such as `{"name": "refund", "arguments": {}}`'),
        ("\n", "it is empty; pipe one call"),
        ('{"nme": "x"}', "the call has no `name`, but `nme`; did you mean `name`?"),
        ("{", "it is not JSON"),
        ("3", "message is of type int"),
        ("{}", "neither a message nor a call"),
        ('[{"name": "a"}, {"name": "b"}]', "2 calls"),
        ('{"name": 3}', "no name"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_input_that_is_not_a_call_is_one_line(command, stdin, expected):
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
        ("--tools", []),
        ("--tools", {"a": []}),
        ("--tools", [{"name": "x", "parameters": {"type": "strin"}}]),
        ("--messages", {"message": []}),
        ("--messages", [{"role": "clerk"}]),
    ],
)
def test_a_wrong_file_is_one_line(command, file, option, held):
    """A file with invalid tools or messages is one line and exit code 2."""
    done = command("check", option, file("held.json", held), stdin='{"name": "x"}')

    assert (done.code, done.err.count("\n")) == (2, 1)


def test_a_wrong_message_names_its_file(command, file):
    """The error of an invalid message begins with the path of its file."""
    path = file("talk.json", [{"role": None, "content": "Hi."}])
    done = command("check", "--messages", path, stdin='{"name": "refund", "arguments": {}}')

    message = f"abs-shield: {path}: message has role null and the keys `role`, `content`; roles are"
    assert (2, message) == (done.code, done.err.partition(" system")[0])


def test_toolset_selects_a_list_of_tools(command, file):
    """`--toolset` selects one list of a file; without it the error names the lists."""
    tools = file("tools.json", {"shop": [{"name": "refund"}], "desk": [{"name": "lend"}]})
    call = '{"name": "refund", "arguments": {}}'
    words = ("check", "--tools", tools)

    assert [0, 1] == [
        command(*words, "--toolset", name, stdin=call).code for name in ("shop", "desk")
    ]
    assert "name one with `--toolset`: `shop`, `desk`" in command(*words, stdin=call).err
    assert "did you mean `shop`?" in command(*words, "--toolset", "shp", stdin=call).err
