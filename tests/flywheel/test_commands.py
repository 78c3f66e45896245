"""mutate, evaluate, promote and rollback from the command line."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from abs_shield.cli.usage_errors import BadInput
from abs_shield.errors import ShieldError
from abs_shield.flywheel.flywheel_database import database
from abs_shield.flywheel.version_registry import VersionRegistry
from tests.flywheel.catches import catch, gap
from tests.flywheel.commands import run

ANSWERS = """
import json, sys
open(sys.argv.pop(1)).close()
for line in sys.stdin:
    case = json.loads(line)
    right = not case["prompt"].startswith(tuple(sys.argv[1:]) or ("nothing",))
    print(json.dumps({"id": case["id"], "answer": "yes" if right else "hm"}))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with the flywheel's file, facts, cases and a program that answers."""
    monkeypatch.chdir(tmp_path)
    one, caught = gap(), catch()
    with database("flywheel.db", create=True) as connection:
        row = (one.id, one.state.value, json.dumps(one.to_dict()))
        connection.execute("INSERT INTO gaps VALUES (?, ?, ?)", row)
        row = (caught.id, 0.0, caught.decision_id, one.id, json.dumps(caught.to_dict()))
        connection.execute("INSERT INTO catches VALUES (?, ?, ?, ?, ?)", row)
    facts = "subject,attribute,value,period\nApple,market cap,$3.1T,Q4 2025\n"
    Path("facts.csv").write_text(facts)
    cases = [
        {"prompt": f"{part} {n}", "expected": "yes", "part": part, "id": f"{part} {n}"}
        for part in ("target", "regression")
        for n in range(100)
    ]
    Path("cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    Path("answers.py").write_text(ANSWERS)
    Path("old.txt").write_text("old")
    Path("plain.py").write_text("policy = {}")
    Path("odd.json").write_text('{"outcome": "promote", "reasons": [1]}')
    return tmp_path


def run_evaluation(*candidate: str) -> tuple[int, str]:
    """Evaluate a candidate that is wrong on these parts; the present one is on the target."""
    program = f"{sys.executable} answers.py"
    words = [
        "--candidate",
        " ".join([program, *candidate]),
        "--present",
        f"{program} old.txt target",
    ]
    result = run("evaluate", "cases.jsonl", *words, "--output", "evaluation.json")
    return result.exit_code, result.output


def test_mutate_writes_examples_and_a_leakage_report(folder: Path) -> None:
    """The number of examples and of those left out is printed to stderr."""
    pytest.importorskip("rapidfuzz", reason="needs `pip install abs-shield[flywheel]`")
    pytest.importorskip("faker", reason="needs `pip install abs-shield[flywheel]`")
    words = ["--facts", "facts.csv", "--cases", "cases.jsonl", "--report", "leakage.json"]
    result = run("mutate", "g1", *words, "--count", "20", "--output", "train.jsonl")

    assert 0 == result.exit_code, result.output
    assert 20 == len(Path("train.jsonl").read_text().splitlines())
    assert json.loads(Path("leakage.json").read_text())["clean"]
    assert "20 examples; left out" in result.stderr
    assert 0o600 == stat.S_IMODE(Path("train.jsonl").stat().st_mode)


def test_a_candidate_goes_all_the_way_and_back(folder: Path) -> None:
    """Evaluated, promoted, rolled back; a harmful one is rejected in between."""
    for name in ("new", "bad"):
        Path(f"{name}.txt").write_text(name)
    assert 0 == run_evaluation("new.txt")[0]
    words = ["--evaluation", "evaluation.json", "--data", "cases.jsonl", "--gap", "g1"]
    promoted = run("promote", "prompt", "new.txt", *words, "--reason", "better", "--by", "ann")
    assert "version 1 of prompt is in use" in promoted.output

    code, printed = run_evaluation("bad.txt", "regression")
    assert 1 == code
    assert "reject: regression is worse" in printed
    rejected = run("promote", "prompt", "bad.txt", *words, "--reason", "try", "--by", "ann")
    assert 1 == rejected.exit_code
    assert "version 2 of prompt is rejected: reject" in rejected.output

    assert str(folder / "new.txt") == VersionRegistry("flywheel.db").resolve("prompt")
    back = run("rollback", "prompt", "--reason", "complaints", "--by", "bob")
    assert "prompt: what was in use before the first is in use again: prompt" in back.output
    assert "complaints" == VersionRegistry("flywheel.db").versions("prompt")[0].reason


def test_the_system_text_is_training_data(folder: Path) -> None:
    """A case in it is refused before anything is written; without cases nothing is proved."""
    words = ["mutate", "g1", "--facts", "facts.csv", "--output", "train.jsonl"]
    system = ["--system", "Say yes. Target 7? Say yes."]
    refused = run(*words, "--cases", "cases.jsonl", *system)
    assert "`--system` has an evaluation case in it" in str(refused.exception)
    assert not Path("train.jsonl").exists()

    unproved = run(*words, *system)
    assert "no evaluation cases were given: leakage was not tested" in unproved.stderr


def test_files_without_ids_go_together(folder: Path) -> None:
    """A case is its file and its line; an id that two files share is refused."""
    for part in ("target", "regression"):
        lines = [{"prompt": f"{part} {n}", "expected": "yes", "part": part} for n in range(100)]
        Path(f"{part}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    program = f"{sys.executable} answers.py old.txt"
    words = ["--candidate", program, "--present", f"{program} target"]
    evaluation = run("evaluate", "target.jsonl", "regression.jsonl", *words)
    twice = run("evaluate", "cases.jsonl", "cases.jsonl", *words)

    assert "target: 0.0% -> 100.0% of 100 cases" in evaluation.output
    assert 'the id "target 0" repeats' in str(twice.exception)


def test_the_evaluation_is_printed_as_json(folder: Path) -> None:
    """`--format json` prints the evaluation; a rejection is exit code 1."""
    version = f"{sys.executable} answers.py old.txt"
    words = ["--candidate", version, "--present", version, "--format", "json"]
    result = run("evaluate", "cases.jsonl", *words)

    assert 1 == result.exit_code
    assert "reject" == json.loads(result.output)["outcome"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["mutate", "g1", "--as", "openia"], "did you mean `openai`"),
        (["mutate", "g1", "--book", "none.db"], "there is no file none.db"),
        (["rollback", "p", "--reason", "a", "--book", "none.db"], "there is no file none.db"),
        (["promote", "a", "new.py", "--reason", "b", "--book", "none.db"], "no file none.db"),
        (["promote", "a", "answers.py", "--reason", "b", "--gap", "g2"], "did you mean `g1`"),
        (["promote", "a", "polb:nope", "--reason", "b"], "no module `polb`"),
        (["promote", "a", "plain.py:nope", "--reason", "b"], "no attribute `nope`"),
        (["promote", "a", "answers.py", "--reason", "b", "--evaluation", "odd.json"], "`reasons`"),
        (["mutate", "g7"], "did you mean `g1`"),
        (["mutate", "g1", "--answers", "cases.jsonl"], "not JSON"),
        (["evaluate", "cases.jsonl", "--candidate", "", "--present", "a"], "is empty"),
        (["evaluate", "cases.jsonl", "--candidate", "python:json:x", "--present", "a"], "no attri"),
        (["rollback", "prompt", "--reason", "a"], "no version of `prompt` is in use"),
        (["promote", "a", "none.txt", "--reason", "b"], "No such file"),
    ],
)
def test_bad_input_is_one_line(folder: Path, words: list[str], message: str) -> None:
    """The command line prints it."""
    result = run(*words)

    assert isinstance(result.exception, (BadInput, ShieldError))
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)
