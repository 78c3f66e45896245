"""`abs-shield quality` checks outputs of agents with the quality cascade."""

from __future__ import annotations

import json

import pytest

from abs_shield import Shield, shield
from abs_shield.quality import AgentOutput, QualityPipeline

CLEAN = {"id": "clean", "text": "The report is ready.", "task_type": "summary"}
CARD = {"id": 7, "text": "Her card is 4111 1111 1111 1111."}
FACTS = {
    "id": "facts",
    "text": "In Q4 2025, Apple's market cap reached $3.2T.",
    "facts": [
        {"subject": "Apple", "attribute": "market cap", "value": "$3.1T", "period": "Q4 2025"}
    ],
}


def test_jsonl_has_one_object_for_each_output(command, file):
    """The objects are in the order of the file, with one entry for each stage and no value."""
    done = command("quality", file("outputs.jsonl", CLEAN, CARD, FACTS), "--format", "jsonl")
    results = [json.loads(line) for line in done.out.splitlines()]

    assert (0, "") == (done.code, done.err)
    assert [("clean", "ship"), ("7", "block"), ("facts", "block")] == [
        (one["id"], one["action"]) for one in results
    ]
    assert all(
        {"id", "action", "stages", "hallucination_score", "confidence", "band"} == one.keys()
        for one in results
    )
    [finding] = results[1]["stages"][0]["findings"]
    assert ("CreditCardNumber", [12, 31]) == (finding["code"], finding["where"])
    assert "4111" not in done.out


def test_every_format_has_the_same_results(command, file):
    """`json` is the list of the `jsonl` objects; the table counts the same actions."""
    path = file("outputs.jsonl", CLEAN, CARD)
    rows = command("quality", path, "--format", "jsonl").out.splitlines()
    table = command("quality", path).out

    assert [json.loads(row) for row in rows] == json.loads(
        command("quality", path, "--format", "json").out
    )
    assert "1 ship, 1 block" in table
    assert "CreditCardNumber" in table


def test_an_empty_file_is_an_empty_list_if_allowed(command, file):
    """A file without outputs is an error, or an empty JSON list with `--allow-empty`."""
    refused = command("quality", file("none.jsonl"), "--format", "json")
    allowed = command("quality", file("none.jsonl"), "--format", "json", "--allow-empty")

    assert (2, "") == (refused.code, refused.out)
    assert "no output was read" in refused.err
    assert [] == json.loads(allowed.out)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"id": 1}, 'give an object with a "text"'),
        ({"text": "x", "tasktype": "legal"}, "`tasktype` is not a field"),
        ({"text": "x", "impact": "much"}, "`impact` is"),
        ({"text": "x", "id": True}, "`id` is true"),
        ({"text": "x", "facts": {"a": 1}}, "give a list of objects"),
        ({"text": "x", "facts": [{"subject": "A"}]}, "facts: row 1"),
        ({"text": "x", "agent_id": 5}, "`agent_id` is 5"),
    ],
)
def test_a_bad_line_is_named_and_skipped(command, file, record, reason):
    """The other outputs are checked, and the exit code is 2."""
    done = command("quality", file("outputs.jsonl", record, CLEAN), "--format", "jsonl")

    assert 2 == done.code
    assert "outputs.jsonl:1: " in done.err
    assert reason in done.err
    assert "clean" == json.loads(done.out)["id"]


def test_config_names_a_quality_config(command, file, tmp_path, monkeypatch):
    """`--config` accepts a QualityConfig of a module; another object is an error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "settings.py").write_text(
        "from abs_shield.quality import QualityConfig\n"
        "config = QualityConfig(stages=('hallucination',))\n"
        "other = 5\n"
    )
    path = file("outputs.jsonl", CARD)
    done = command("quality", path, "--config", "settings.py:config", "--format", "jsonl")
    wrong = command("quality", path, "--config", "settings.py:other")

    assert "ship" == json.loads(done.out)["action"]
    assert 2 == wrong.code
    assert "give a QualityConfig" in wrong.err


def test_outputs_of_a_run_file_are_checked(command, tmp_path):
    """Outputs that a Shield recorded are checked again; the rest of the run is ignored."""
    path = tmp_path / "runs.jsonl"
    firewall = Shield(shield.configure(mode="audit"), hooks=None, record=path)
    with firewall.session() as session:
        session.user("Her card is 4111 1111 1111 1111.")
        for record in (CLEAN, CARD):
            agent_output = AgentOutput(text=record["text"], output_id=str(record["id"]))
            QualityPipeline(shield=firewall).run(agent_output)
    firewall.close()
    done = command("quality", str(path), "--format", "jsonl")
    again = command("replay", str(path))

    assert (0, "") == (done.code, done.err)
    assert [("clean", "ship"), ("7", "block")] == [
        (one["id"], one["action"]) for one in map(json.loads, done.out.splitlines())
    ]
    assert (0, "") == (again.code, again.err)


def test_an_invalid_output_of_a_run_is_skipped(command, file):
    """The other outputs of the line are checked; a line with a text is an output itself."""
    run = {"session_id": "s", "outputs": [{"id": "a", "text": "x"}, {"id": "b"}, CARD]}
    done = command("quality", file("runs.jsonl", run, {**CARD, "session_id": "s"}),
                   "--format", "jsonl")  # fmt: skip
    results = [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]

    assert 2 == done.code
    assert 'give an object with a "text"' in done.err
    assert [("a", "ship"), ("7", "block")] == [(one["id"], one["action"]) for one in results]


def test_a_number_too_large_for_a_float_is_a_bad_line(command, file):
    """The line is reported, and the lines after it are checked."""
    path = file("outputs.jsonl", {**CLEAN, "impact": 10**400}, CARD)
    done = command("quality", path, "--format", "jsonl")

    assert 2 == done.code
    assert "`impact` is" in done.err
    assert ["7"] == [json.loads(line)["id"] for line in done.out.splitlines()]
