"""The deterministic provider on answers that people have labelled."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from abs_shield.answer.faithfulness import Faithfulness
from benchmarks.grounding_data import corpus

DATA = Path(os.environ.get("ABS_SHIELD_DATA", Path(__file__).parents[3] / "shared" / "data"))
FOLDER = DATA / "grounding"


@pytest.mark.data
@pytest.mark.parametrize(("name", "apart"), [("ragtruth-qa-test", 0.4), ("mtrag-human", 0.5)])
def test_faithful_answers_pass_more_often(name, apart):
    """At the threshold of 0.8 the share of good answers that pass is far above that of bad ones."""
    if not FOLDER.is_dir():
        pytest.skip(f"there are no labelled answers at {FOLDER}; set ABS_SHIELD_DATA")
    passed: dict[bool, list[bool]] = {True: [], False: []}
    for row in corpus(FOLDER, name, limit=150):
        found = Faithfulness(provider="lexical", context=row.evidence).check(row.answer)
        passed[row.good].append(found.passed)
    good, bad = (sum(passed[kind]) / len(passed[kind]) for kind in (True, False))

    assert good - bad >= apart
