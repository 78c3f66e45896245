"""`abs-shield replay`: formats, exit codes, and what never reaches the terminal."""

from __future__ import annotations

import json

import pytest

from abs_shield.core import LAYER_NAMES
from abs_shield.replay import read_row


def test_a_table(command, clinic):
    """The table has every layer; findings alone are no failure."""
    done = command("replay", clinic)

    assert done.code == 0
    assert all(name in done.out for name in LAYER_NAMES)
    assert "1 run, 3 calls: 1 CLEAN, 0 SUSPICIOUS, 2 HALLUCINATED" in done.out
    assert done.err == ""


def test_rows(command, clinic):
    """jsonl has one row per call, each of which can be read back."""
    done = command("replay", clinic, "--format", "jsonl")

    rows = [read_row(json.loads(line)) for line in done.out.splitlines()]
    assert [(row.call_index, row.call_id) for row in rows] == [(0, "a"), (1, "b"), (2, "c")]
    assert [row.would_block for row in rows] == [False, True, True]


def test_one_object(command, clinic):
    """json is one object with the counts of layers and sources."""
    done = command("replay", clinic, "--format", "json")

    report = json.loads(done.out)
    assert report["files"] == [clinic]
    assert (report["runs"], report["calls"], report["bad_lines"]) == (1, 3, 0)
    assert [layer["layer"] for layer in report["layers"]] == list(LAYER_NAMES)
    assert report["sources"][0]["layers"][0]["by_outcome"]["success"]["hallucinated"] == 1


@pytest.mark.parametrize("format", ["table", "json", "jsonl"])
def test_nothing_the_model_wrote_reaches_the_terminal_raw(command, clinic, format):
    """Escapes in names, values, ids and sources are shown, not sent."""
    listed = () if format == "jsonl" else ("--findings", "9")

    done = command("replay", clinic, "--format", format, *listed)

    assert "\x1b" not in done.out + done.err
    assert "\x07" not in done.out
    assert "\u202e" not in done.out


def test_findings_are_listed(command, clinic):
    """So many findings as asked for stand below the table, markup and all."""
    one = command("replay", clinic, "--findings", "1")
    all_ = command("replay", clinic, "--findings", "9")

    assert "call 1: see_patient" in one.out
    assert "call 2" not in one.out
    assert "no tool is named `x\\x1b]0;owned\\x07[bold]\\u202e`" in all_.out


def test_findings_in_the_object(command, clinic):
    """json lists them as well; jsonl, whose rows hold them, refuses."""
    report = json.loads(command("replay", clinic, "--format", "json", "--findings", "9").out)
    refused = command("replay", clinic, "--format", "jsonl", "--findings", "9")

    assert [finding["check"] for finding in report["findings"]] == [
        "phantom_target",
        "parameter_mismatch",
        "phantom_tool",
    ]
    assert refused.code == 2


@pytest.mark.parametrize("verdict", ["SUSPICIOUS", "hallucinated"])
def test_fail_on(command, clinic, verdict):
    """`--fail-on` turns findings that bad, or worse, into exit code 1."""
    assert command("replay", clinic, "--fail-on", verdict).code == 1


def test_fail_on_nothing(command, file):
    """`--fail-on` is content with a run that calls nothing."""
    assert command("replay", file("r.jsonl", {"messages": []}), "--fail-on", "SUSPICIOUS").code == 0


def test_a_bad_line(command, file):
    """A line that is not a run is named on stderr; the rest is judged; the exit code is 2."""
    path = file("r.jsonl", {"messages": []}, {"message\x1b": []}, {"messages": []})

    done = command("replay", path, "--format", "json")

    assert done.code == 2
    assert done.err == f"{path}:2: there are no `messages`\n"
    assert (json.loads(done.out)["runs"], json.loads(done.out)["bad_lines"]) == (2, 1)


def test_toolsets(command, file):
    """A run's toolset is looked up in the file that `--tools` names."""
    calls = [{"name": "see_patient", "arguments": {}}, {"name": "se_patient", "arguments": {}}]
    message = {"role": "assistant", "tool_calls": calls}
    path = file("r.jsonl", {"toolset": "ward", "messages": [message]})
    tools = file("tools.json", {"ward": [{"name": "see_patient"}]})

    done = command("replay", path, "--tools", tools, "--format", "jsonl")

    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row["verdict"] for row in rows] == ["CLEAN", "HALLUCINATED"]
    assert rows[1]["findings"][0]["nearest"] == "see_patient"


@pytest.mark.parametrize("named", [{}, {"toolset": "ward"}])
def test_a_list_of_tools_is_that_of_every_run(command, file, named):
    """It counts for a run that names a toolset and for one that names none, not for `none`."""
    message = {"role": "assistant", "tool_calls": [{"name": "se_patient", "arguments": {}}]}
    runs = file(
        "r.jsonl", {**named, "messages": [message]}, {"toolset": "none", "messages": [message]}
    )
    tools = file("tools.json", [{"name": "see_patient"}])

    done = command("replay", runs, "--tools", tools, "--format", "jsonl")

    nearest = [json.loads(row)["findings"] for row in done.out.splitlines()]
    assert ["see_patient"] == [finding["nearest"] for finding in nearest[0]]
    assert [] == nearest[1]


ANSWER = {"tools": [{"name": "see_patient", "inputSchema": {}}], "nextCursor": None}


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("tools", ANSWER),
        ("tools", {"jsonrpc": "2.0", "id": 1, "result": ANSWER}),
        ("ward", {"ward": ANSWER}),
    ],
)
def test_what_a_server_answers(command, file, name, held):
    """An MCP server's own answer is a toolset called `tools`, or stands under a name."""
    path = file("r.jsonl", {"toolset": name, "messages": []})
    done = command("replay", path, "--tools", file("tools.json", held), "--format", "json")

    assert (0, 1, 0) == (done.code, json.loads(done.out)["runs"], json.loads(done.out)["bad_lines"])


@pytest.mark.parametrize("held", [7, [{}], {"ward": 3}, {"ward": [{}]}])
def test_a_wrong_file_of_toolsets(command, file, held):
    """A file that holds no toolsets is one line and exit code 2."""
    done = command("replay", file("r.jsonl"), "--tools", file("tools.json", held))

    assert done.code == 2
    assert "tools.json: " in done.err


def test_the_standard_input(command):
    """A dash reads runs from the standard input."""
    done = command("replay", "-", "--format", "json", stdin='{"messages": []}\n')

    assert (done.code, json.loads(done.out)["runs"]) == (0, 1)


def test_a_policy(command, clinic, tmp_path):
    """Calls are judged under the policy that `--policy` names, in audit mode."""
    policy = tmp_path / "ward.py"
    policy.write_text(
        "from abs_shield.policy import configure\npolicy = configure(layers=['phantom_tool'])\n"
    )

    done = command("replay", clinic, "--policy", f"{policy}:policy", "--format", "json")

    report = json.loads(done.out)
    assert [layer["layer"] for layer in report["layers"]] == ["phantom_tool"]
    assert report["verdicts"]["HALLUCINATED"] == 1


def test_a_missing_file(command):
    """A file that is not there is one line and exit code 2."""
    done = command("replay", "/nowhere/runs.jsonl")

    assert (done.code, done.err) == (
        2,
        "abs-shield: /nowhere/runs.jsonl: No such file or directory; "
        "there is no folder `/nowhere`\n",
    )
