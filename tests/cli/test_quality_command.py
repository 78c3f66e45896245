"""`abs-shield quality`: outputs of agents against the quality cascade."""

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


def test_one_object_a_line(command, file):
    """In the order of the file, with one entry for each stage."""
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


def test_every_format_has_the_same(command, file):
    """The list has the objects of the lines, the table their actions."""
    path = file("outputs.jsonl", CLEAN, CARD)
    rows = command("quality", path, "--format", "jsonl").out.splitlines()
    table = command("quality", path).out

    assert [json.loads(row) for row in rows] == json.loads(
        command("quality", path, "--format", "json").out
    )
    assert "1 ship, 1 block" in table
    assert "CreditCardNumber" in table


def test_no_line_is_an_empty_list(command, file):
    """JSON all the same, where it is allowed."""
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
    """The others are checked, and the exit code says that one was not."""
    done = command("quality", file("outputs.jsonl", record, CLEAN), "--format", "jsonl")

    assert 2 == done.code
    assert "outputs.jsonl:1: " in done.err
    assert reason in done.err
    assert "clean" == json.loads(done.out)["id"]


def test_a_configuration(command, file, tmp_path, monkeypatch):
    """A QualityConfig of a module; anything else is one line."""
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


def test_a_run_file_gives_its_outputs(command, tmp_path):
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


def test_one_bad_output_of_a_run_hides_no_other(command, file):
    """A run file may have several in one line; a line with a text is an output itself."""
    run = {"session_id": "s", "outputs": [{"id": "a", "text": "x"}, {"id": "b"}, CARD]}
    done = command("quality", file("runs.jsonl", run, {**CARD, "session_id": "s"}),
                   "--format", "jsonl")  # fmt: skip
    results = [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]

    assert 2 == done.code
    assert 'give an object with a "text"' in done.err
    assert [("a", "ship"), ("7", "block")] == [(one["id"], one["action"]) for one in results]


def test_a_number_without_end_is_one_bad_line(command, file):
    """The lines behind it are read."""
    path = file("outputs.jsonl", {**CLEAN, "impact": 10**400}, CARD)
    done = command("quality", path, "--format", "jsonl")

    assert 2 == done.code
    assert "`impact` is" in done.err
    assert ["7"] == [json.loads(line)["id"] for line in done.out.splitlines()]
