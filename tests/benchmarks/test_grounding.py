"""The grounding benchmark and the training run on a few labelled answers, if there are any."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("ABS_SHIELD_DATA", ROOT.parent / "shared" / "data"))
labelled = pytest.mark.skipif(
    not (DATA / "grounding" / "begin-wow.jsonl.gz").is_file(),
    reason=f"there are no labelled answers at {DATA}; set ABS_SHIELD_DATA",
)
NATURAL = {
    "begin-wow", "begin-cmu-dog", "faithdial-audit", "mtrag-human", "wice-claim",
    "ragtruth-qa-test", "faithbench", "begin-topicalchat",
}  # fmt: skip
NEVER_TRAINED = ("ragtruth", "faithbench", "topicalchat", "bump", "summedits", "wice-tokens")


def run_script(script: str, *options: str) -> str:
    """Return what the script prints; a failing script fails the test."""
    command = [sys.executable, str(ROOT / "benchmarks" / script), *options]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    """Return what the benchmark prints of a few answers."""
    out = run_script("grounding.py", "--data", str(DATA), "--limit", "25")
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.data
@labelled
def test_the_guardrail_passes_some_answers_of_every_corpus() -> None:
    """Each line has shares and a balanced accuracy; what is out of scope passes by default only."""
    out = run_script("guardrail.py", "--data", str(DATA), "--limit", "12")
    lines = {line["corpus"]: line for line in map(json.loads, out.splitlines())}

    assert lines.keys() > NATURAL | {"all natural"}
    for line in lines.values():
        assert all(0 <= share <= 1 for one in (line["default"],) for share in one.values() if share)
        assert (line["default"]["bad"] or 0) >= (line["all in scope"]["bad"] or 0)


@pytest.mark.data
@labelled
def test_a_few_answers_give_every_figure(lines: list[dict[str, Any]]) -> None:
    """Each corpus has a line, and the natural corpora have a common one."""
    corpora = {line["corpus"]: line for line in lines if "corpus" in line}
    natural = {name for name, line in corpora.items() if line.get("kind") == "natural"}

    assert natural == NATURAL
    assert sum(corpora[name]["answers"] for name in NATURAL) == corpora["all natural"]["answers"]
    assert not any(corpora[n]["trained_on"] for n in corpora if n.startswith(NEVER_TRAINED))
    assert all(0 <= corpora[name]["calibration_error"] <= 1 for name in ("mtrag-human",))
    assert {"latency_ms", "published", "goals", "not_reached"} == {
        key for line in lines[-3:] for key in line
    }


@pytest.mark.data
@labelled
def test_what_is_shown_stands_beside_what_the_words_say(lines: list[dict[str, Any]]) -> None:
    """Each corpus has the figures of the command and of the lexical scorer, and goals name both."""
    whole = next(line for line in lines if line.get("corpus") == "all natural")
    goals = lines[-1]["goals"]
    missed = {
        name
        for name, one in goals.items()
        if one["is"] is None
        or one["is"] < one.get("at_least", -9)
        or one["is"] > one.get("at_most", 9)
    }

    assert {"emit", "block", "number_check", "lexical"} <= whole.keys()
    assert whole["emit"]["bad"] == goals["bad answers emitted"]["is"]
    assert missed == {*lines[-1]["not_reached"]}


@pytest.mark.data
@labelled
def test_the_shipped_weights_come_from_the_script(tmp_path: Path) -> None:
    """Training again on the same answers gives the shipped file, number for number."""
    out = tmp_path / "weights.json"
    run_script("train_lexical.py", "--data", str(DATA), "--out", str(out))
    shipped = ROOT / "abs_shield" / "answer" / "scorers" / "lexical" / "weights-3.json"

    assert json.loads(shipped.read_text("utf-8")) == json.loads(out.read_text("utf-8"))
