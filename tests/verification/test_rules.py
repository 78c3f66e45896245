"""The Western Electric rules: the points that fire each rule, and its score."""

from __future__ import annotations

import random

import pytest

from abs_shield.verification import VerificationEngine

WARM_UP = 164
"""Earlier results: soon after this many, neither scale nor limits are computed again."""


def scores(away, *, times):
    """Return the scores of a steady sensor (mean 20, deviation 1) at these distances."""
    dice, engine = random.Random(3), VerificationEngine()
    engine.calibrate(accept_threshold=0.9, block_threshold=0.95)  # so that every result is learnt
    request = {"args": {"of": "sensor"}, "execution_time_ms": 5.0}
    for _ in range(WARM_UP):
        engine.verify("t", result={"celsius": dice.gauss(20, 1)}, **request)
    result = [engine.verify("t", result={"celsius": 20 + z}, **request) for z in away * times]
    return [round(each.signals["spc_anomaly"].score, 2) for each in result]


def test_the_first_rule():
    """One point beyond three standard deviations scores 0.40."""
    assert [0.4] == scores([5.0], times=1)


def test_the_second_rule():
    """Two of three points beyond two deviations score 0.25 if they are on the same side."""
    assert [0.0, 0.25] == scores([2.4], times=2)
    assert [0.0, 0.0, 0.25] == scores([2.4, 0.1, 2.4], times=1)
    assert [0.0, 0.0, 0.0, 0.0] == scores([2.4, 0.1, 0.1, 2.4], times=1)
    assert [0.0, 0.0] == scores([2.4, -2.4], times=1)


def test_the_third_rule():
    """Four of five points beyond one deviation on one side score 0.20."""
    signal_scores = scores([1.6], times=4)

    assert [0.0, 0.0] == signal_scores[:2]
    assert 0.2 == signal_scores[3]
    assert 0.0 == scores([1.6, -1.6], times=3)[-1]


def test_the_fourth_rule():
    """Eight points in a row on one side of the mean score 0.15; seven score 0."""
    signal_scores = scores([0.6], times=9)
    first = next(n for n, score in enumerate(signal_scores) if score)

    assert {0.0, 0.15} == set(signal_scores)
    assert 5 <= first <= 7  # earlier points may have been on that side
    assert [0.15] * (9 - first) == signal_scores[first:]
    assert {0.0} == set(scores([0.6, -0.6], times=6))


@pytest.mark.parametrize("away", [[2.4], [1.6], [0.6]])
def test_rules_of_runs_do_not_fire_on_a_counter(away):
    """Consecutive points of a number that only rises are always on one side."""
    engine, total = VerificationEngine(), 0.0
    for _ in range(200):
        total += 3
        result = engine.verify("t", args={}, result={"n": total}, execution_time_ms=5.0)

    assert not result.signals["spc_anomaly"].fired
