"""`abs-shield replay`: formats, exit codes, toolsets and escaping."""

from __future__ import annotations

import json

import pytest

from abs_shield.core import LAYER_NAMES
from abs_shield.replay import read_row


def test_the_table_has_every_layer(command, clinic):
    """Without `--fail-on` the exit code is 0 even if there are findings."""
    done = command("replay", clinic)

    assert done.code == 0
    assert all(name in done.out for name in LAYER_NAMES)
    assert "1 run, 3 calls: 1 CLEAN, 0 SUSPICIOUS, 2 HALLUCINATED" in done.out
    assert done.err == ""


def test_jsonl_has_one_row_for_each_call(command, clinic):
    """`read_row` can read each row of the output."""
    done = command("replay", clinic, "--format", "jsonl")

    rows = [read_row(json.loads(line)) for line in done.out.splitlines()]
    assert [(row.call_index, row.call_id) for row in rows] == [(0, "a"), (1, "b"), (2, "c")]
    assert [row.would_block for row in rows] == [False, True, True]


def test_json_is_one_report(command, clinic):
    """`--format json` prints one object with the counts of layers and sources."""
    done = command("replay", clinic, "--format", "json")

    report = json.loads(done.out)
    assert report["files"] == [clinic]
    assert (report["runs"], report["calls"], report["bad_lines"]) == (1, 3, 0)
    assert [layer["layer"] for layer in report["layers"]] == list(LAYER_NAMES)
    assert report["sources"][0]["layers"][0]["by_outcome"]["success"]["hallucinated"] == 1


@pytest.mark.parametrize("format", ["table", "json", "jsonl"])
def test_control_characters_are_escaped(command, clinic, format):
    """Control characters in names, values, ids and sources are escaped in every format."""
    listed = () if format == "jsonl" else ("--findings", "9")

    done = command("replay", clinic, "--format", format, *listed)

    assert "\x1b" not in done.out + done.err
    assert "\x07" not in done.out
    assert "\u202e" not in done.out


def test_findings_limits_the_listed_findings(command, clinic):
    """`--findings N` lists N findings below the table, with markup printed as text."""
    one = command("replay", clinic, "--findings", "1")
    all_ = command("replay", clinic, "--findings", "9")

    assert "call 1: see_patient" in one.out
    assert "call 2" not in one.out
    assert "no tool is named `x\\x1b]0;owned\\x07[bold]\\u202e`" in all_.out


def test_json_lists_findings(command, clinic):
    """`json` lists the findings; `jsonl`, whose rows contain them, rejects the option."""
    report = json.loads(command("replay", clinic, "--format", "json", "--findings", "9").out)
    refused = command("replay", clinic, "--format", "jsonl", "--findings", "9")

    assert [finding["check"] for finding in report["findings"]] == [
        "phantom_target",
        "parameter_mismatch",
        "phantom_tool",
    ]
    assert refused.code == 2


@pytest.mark.parametrize("verdict", ["SUSPICIOUS", "hallucinated"])
def test_fail_on_exits_with_1_from_that_verdict(command, clinic, verdict):
    """A finding of this verdict or a worse one is exit code 1."""
    assert command("replay", clinic, "--fail-on", verdict).code == 1


def test_fail_on_accepts_a_run_without_calls(command, file):
    """A run without a call is exit code 0."""
    assert command("replay", file("r.jsonl", {"messages": []}), "--fail-on", "SUSPICIOUS").code == 0


def test_a_bad_line_is_named_and_skipped(command, file):
    """A line that is not a run is reported on stderr, the rest is judged, the exit code is 2."""
    path = file("r.jsonl", {"messages": []}, {"message\x1b": []}, {"messages": []})

    done = command("replay", path, "--format", "json")

    assert done.code == 2
    assert done.err == f"{path}:2: there are no `messages`\n"
    assert (json.loads(done.out)["runs"], json.loads(done.out)["bad_lines"]) == (2, 1)


def test_a_toolset_is_read_from_the_tools_file(command, file):
    """The tools of a run are those that `--tools` lists under the run's toolset."""
    calls = [{"name": "see_patient", "arguments": {}}, {"name": "se_patient", "arguments": {}}]
    message = {"role": "assistant", "tool_calls": calls}
    path = file("r.jsonl", {"toolset": "ward", "messages": [message]})
    tools = file("tools.json", {"ward": [{"name": "see_patient"}]})

    done = command("replay", path, "--tools", tools, "--format", "jsonl")

    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row["verdict"] for row in rows] == ["CLEAN", "HALLUCINATED"]
    assert rows[1]["findings"][0]["nearest"] == "see_patient"


@pytest.mark.parametrize("named", [{}, {"toolset": "ward"}])
def test_a_list_of_tools_applies_to_every_run(command, file, named):
    """It applies to a run with or without a toolset, except the toolset `none`."""
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
def test_tools_of_an_mcp_response_are_read(command, file, name, held):
    """The response of an MCP server is the toolset `tools`, or the toolset of its key."""
    path = file("r.jsonl", {"toolset": name, "messages": []})
    done = command("replay", path, "--tools", file("tools.json", held), "--format", "json")

    assert (0, 1, 0) == (done.code, json.loads(done.out)["runs"], json.loads(done.out)["bad_lines"])


@pytest.mark.parametrize("held", [7, [{}], {"ward": 3}, {"ward": [{}]}])
def test_a_file_without_toolsets_is_an_error(command, file, held):
    """A file that contains no toolsets is one line and exit code 2."""
    done = command("replay", file("r.jsonl"), "--tools", file("tools.json", held))

    assert done.code == 2
    assert "tools.json: " in done.err


def test_a_dash_is_the_standard_input(command):
    """`replay -` reads runs from the standard input."""
    done = command("replay", "-", "--format", "json", stdin='{"messages": []}\n')

    assert (done.code, json.loads(done.out)["runs"]) == (0, 1)


def test_policy_selects_the_layers(command, clinic, tmp_path):
    """Calls are judged by the policy that `--policy` names, in audit mode."""
    policy = tmp_path / "ward.py"
    policy.write_text(
        "from abs_shield.policy import configure\npolicy = configure(layers=['phantom_tool'])\n"
    )

    done = command("replay", clinic, "--policy", f"{policy}:policy", "--format", "json")

    report = json.loads(done.out)
    assert [layer["layer"] for layer in report["layers"]] == ["phantom_tool"]
    assert report["verdicts"]["HALLUCINATED"] == 1


def test_a_missing_file_is_one_line(command):
    """A file that does not exist is one line and exit code 2."""
    done = command("replay", "/nowhere/runs.jsonl")

    assert (done.code, done.err) == (
        2,
        "abs-shield: /nowhere/runs.jsonl: No such file or directory; "
        "there is no folder `/nowhere`\n",
    )
