"""`abs-shield calibrate` applies the labels of a log to the engine and to the answer gate."""

from __future__ import annotations

import dataclasses
import json

import pytest

from abs_shield import Shield, Tool, ToolCall, ToolProfile, shield
from abs_shield.core.label import Label, Truth
from abs_shield.policy import AnswerConfig
from abs_shield.stores import open_store
from abs_shield.verification import VerificationEngine


@pytest.fixture
def log(tmp_path):
    """Write a log with six results labelled hallucinated and eighty answers labelled ok."""
    store = open_store(str(tmp_path / "log.db"))
    tools = [Tool(name="quote", profile=ToolProfile(required_fields=["price"]))]
    desk = Shield(shield.configure(mode="audit", tools=tools), store=store, hooks=None)
    for n in range(6):
        call = ToolCall("quote", {"of": n}, f"c{n}")
        desk.check_result(call, {"note": n}, elapsed_ms=100.0, session=desk.session(f"s{n}"))
    with desk.session():
        desk.check_call(ToolCall("quote", {}, "c"))
        desk.check_result(ToolCall("quote", {}, "c"), {"price": 420.0}, elapsed_ms=100.0)
        desk.check_answer("It costs 420.00.")
    (answer,) = (one for one in store.scan() if one.subject == "answer")
    for n in range(80):
        store.append(dataclasses.replace(answer, id=f"a{n}"))
        store.label(Label(decision_id=f"a{n}", truth=Truth.OK, at=1.0))
    for one in list(store.scan()):
        if one.subject == "result" and one.would_block:
            store.label(Label(decision_id=one.id, truth=Truth.HALLUCINATED, at=1e9))
    assert desk.close()
    return str(tmp_path / "log.db")


def test_labels_are_applied_to_the_engine_and_the_gate(command, log, tmp_path):
    """Each label is applied to the engine once; the printed `answer=` line is a valid setting."""
    engine = tmp_path / "engine.db"
    first = command("calibrate", log, "--engine", engine)
    second = command("calibrate", log, "--engine", engine)

    assert (0, "") == (first.code, first.err)
    assert f"Results: 6 new labels applied to {engine}, 0 applied before." in first.out
    assert "  quote: 6 labels, blocks from 0.4" in first.out
    assert "0 new labels applied" in second.out
    assert 6 == VerificationEngine().load(engine).get_calibration("quote")["labels"]
    (line,) = [text for text in first.out.splitlines() if "answer=" in text]
    config = eval(line.strip().removeprefix("answer="), {"AnswerConfig": AnswerConfig})
    assert isinstance(shield.configure(answer=config).answer, AnswerConfig)


def test_json_has_the_figures_of_the_calibration(command, log, tmp_path):
    """`--format json` prints the counts and the fitted answer settings as one object."""
    done = command("calibrate", log, "--engine", tmp_path / "engine.json", "--format", "json")
    report = json.loads(done.out)

    assert (6, 0, 80, 0) == (
        report["results"]["new"], report["results"]["known"],
        report["answers"]["labels"], report["answers"]["hallucinated"],
    )  # fmt: skip
    assert report["answers"]["config"]["emit_threshold"] == report["answers"]["emit_threshold"]


def test_answers_without_a_probability_are_counted(command, log):
    """Labelled answers without a probability are not fitted; the report has their number."""
    store = open_store(log)
    answer = store.get("a0")
    for n in range(3):
        store.append(dataclasses.replace(answer, id=f"b{n}", probability=None))
        store.label(Label(decision_id=f"b{n}", truth=Truth.OK, at=1.0))
    store.close()

    assert "Answers: 3 labelled answers without a P(hallucination) left out." in (
        command("calibrate", log).out
    )
    report = json.loads(command("calibrate", log, "--format", "json").out)
    assert (80, 3) == (report["answers"]["labels"], report["answers"]["unscored"])


def test_too_few_labels_print_no_threshold(command, log):
    """If no threshold meets `--max-wrong`, the output says so and has no line for the policy."""
    done = command("calibrate", log, "--max-wrong", "0.01")

    assert 0 == done.code
    assert "no emit threshold keeps their share of emitted answers under 1 %" in done.out
    assert "answer=" not in done.out
    assert "name the engine's file with --engine" in done.out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["LOG", "--engine", "LOG"], "is read as well"),
        (["LOG", "--engine", "no/engine.db"], "there is no folder"),
        (["LOG", "--max-wrong", "2"], "`max_wrong` is 2"),
        (["no.db"], "there is no such file or folder"),
    ],
)
def test_bad_input_is_one_line(command, log, argv, message):
    """Bad input is exit code 2 and one line that says what is wrong."""
    done = command("calibrate", *(log if word == "LOG" else word for word in argv))

    assert (2, 1) == (done.code, done.err.count("\n"))
    assert message in done.err


def test_a_file_that_is_not_an_engine_is_not_overwritten(command, log, tmp_path):
    """`--engine` with another JSON file is an error, and the file stays unchanged."""
    path = tmp_path / "notes.json"
    path.write_text('{"mine": 1}')
    done = command("calibrate", log, "--engine", path)

    assert (2, 1) == (done.code, done.err.count("\n"))
    assert '{"mine": 1}' == path.read_text()


def test_help_has_an_example(command):
    """`calibrate --help` contains an example."""
    assert "Example: abs-shield calibrate" in command("calibrate", "--help").out
