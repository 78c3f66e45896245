"""The benchmark of the flywheel finds the planted gaps and reports the missed ones."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from benchmarks import flywheel
from benchmarks.flywheel_planted import KINDS, planted


def test_every_kind_is_planted_among_noise():
    """Twelve kinds, and three findings of ten of none of them."""
    kinds = Counter(kind for kind, *_ in planted(random.Random(3), 2_000))

    assert {*KINDS, "noise"} == set(kinds)
    assert 0.25 < kinds["noise"] / 2_000 < 0.35
    assert 12 == len(KINDS)


@pytest.mark.slow
def test_a_small_plan_is_found(monkeypatch):
    """Every kind is one gap, and pure."""
    monkeypatch.setattr(flywheel, "CATCHES", 800)
    results = flywheel.groups(seed=7)

    assert results["reached"]
    assert 12 == len(results["kinds"])


def test_gaps_are_compared_with_the_planted_kinds():
    """Recall and purity of a kind are those of the gap with most of its catches."""
    first, second = list(KINDS)[:2]
    held = {"a": Counter({first: 8, second: 2}), "b": Counter({first: 2})}
    rows = flywheel._compared(held, Counter({first: 10, second: 4}))

    assert {"catches": 10, "recall": 0.8, "purity": 0.8} == rows[first]
    assert {"catches": 4, "recall": 0.5, "purity": 0.2} == rows[second]
