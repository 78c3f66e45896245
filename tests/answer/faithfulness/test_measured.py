"""Balanced accuracy of the guardrail without a model on answers that people labelled."""

from __future__ import annotations

import pytest

from abs_shield.answer.faithfulness import Faithfulness
from benchmarks.grounding_data import corpus
from tests.requirements import DATA, require_data

FOLDER = DATA / "grounding"
BALANCED = {
    "ragtruth-qa-test": (0.739, 0.749),
    "faithbench": (0.618, 0.601),
    "begin-topicalchat": (0.818, 0.909),
    "begin-wow": (0.653, 0.789),
    "begin-cmu-dog": (0.682, 0.916),
    "faithdial-audit": (0.653, 0.708),
    "mtrag-human": (0.827, 0.910),
    "wice-claim": (0.727, 0.753),
}
"""
Balanced accuracy of the first 150 answers at the threshold 0.8: with rules of the guardrail's own,
and with the scores and checks of the answer pipeline, whose mean is .792 (.715 before). FaithBench
alone is below: its errors are small, so that most words of its bad answers are found.
"""
_SLACK = 0.02


@pytest.mark.data
@pytest.mark.parametrize("name", BALANCED)
def test_balanced_accuracy_of_each_corpus(name):
    """The balanced accuracy of each corpus is at least the recorded figure minus a tolerance."""
    require_data(FOLDER / f"{name}.jsonl.gz")
    passed: dict[bool, list[bool]] = {True: [], False: []}
    for row in corpus(FOLDER, name, limit=150):
        report = Faithfulness(provider="lexical", context=row.evidence).check(row.answer)
        passed[row.good].append(report.passed)
    good, bad = (sum(passed[kind]) / len(passed[kind]) for kind in (True, False))

    assert (good + 1 - bad) / 2 >= BALANCED[name][1] - _SLACK
