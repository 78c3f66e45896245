"""Balanced accuracy of the guardrail without a model on answers that people labelled."""

from __future__ import annotations

import pytest

from abs_shield.answer.faithfulness import Faithfulness
from benchmarks.grounding_data import corpus
from tests.requirements import DATA, require_data

FOLDER = DATA / "grounding"
BALANCED = {
    "ragtruth-qa-test": (0.739, 0.754),
    "faithbench": (0.618, 0.631),
    "begin-topicalchat": (0.818, 0.924),
    "begin-wow": (0.653, 0.773),
    "begin-cmu-dog": (0.682, 0.874),
    "faithdial-audit": (0.653, 0.720),
    "mtrag-human": (0.827, 0.871),
    "wice-claim": (0.727, 0.685),
}
"""
Balanced accuracy of the first 150 answers at the threshold 0.8: with rules of the guardrail's own,
and with the scores and checks of the answer pipeline. One of eight is below: its good answers are
long sentences, of which the pipeline finds too few words.
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
