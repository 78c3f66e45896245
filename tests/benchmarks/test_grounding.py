"""The grounding benchmark and the training run on a few labelled answers, if there are any."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.processes import run_benchmark
from tests.requirements import DATA, needs_data

ROOT = Path(__file__).parents[2]
labelled = needs_data(DATA / "grounding" / "begin-wow.jsonl.gz")
NATURAL = {
    "begin-wow", "begin-cmu-dog", "faithdial-audit", "mtrag-human", "wice-claim",
    "ragtruth-qa-test", "faithbench", "begin-topicalchat",
}  # fmt: skip
NEVER_TRAINED = ("ragtruth", "faithbench", "topicalchat", "bump", "summedits", "wice-tokens")


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    """Return what the benchmark prints of a few answers."""
    out = run_benchmark("grounding", "--data", DATA, "--limit", "25")
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.data
@labelled
def test_the_guardrail_passes_some_answers_of_every_corpus() -> None:
    """Each line has shares and a balanced accuracy; what is out of scope passes by default only."""
    out = run_benchmark("guardrail", "--data", DATA, "--limit", "12")
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
    run_benchmark("train_lexical", "--data", DATA, "--out", str(out))
    shipped = ROOT / "abs_shield" / "answer" / "scorers" / "lexical" / "weights-4.json"

    assert json.loads(shipped.read_text("utf-8")) == json.loads(out.read_text("utf-8"))


@pytest.mark.data
@labelled
def test_a_few_answers_give_a_picture(tmp_path: Path) -> None:
    """The points are in [0, 1] and in the order of their scores; the file is an SVG."""
    pytest.importorskip("matplotlib", reason="needs `pip install abs-shield[pictures]`")
    path = tmp_path / "curve.svg"
    options = ("--data", DATA, "--limit", "60", "--picture", path)
    report = json.loads(run_benchmark("grounding_curve", *options))
    answered = [point["said"] for point in report["curve"]]

    assert answered == sorted(answered)
    assert all(0 <= point["was"] <= 1 for point in report["curve"])
    assert 0 < sum(point["answers"] for point in report["curve"]) <= report["answers"]
    assert path.read_text("utf-8").rstrip().endswith("</svg>")
