"""The Western Electric rules at work: what each needs, and what it counts."""

from __future__ import annotations

import random

import pytest

from abs_shield.verification import VerificationEngine

HELD = 164
"""Results before: neither the scale nor the limits of the series are chosen anew soon after."""


def scores(away, *, times):
    """Let a steady sensor, at 20 with a deviation of 1, be so far away again and again."""
    dice, engine = random.Random(3), VerificationEngine()
    engine.calibrate(accept_threshold=0.9, block_threshold=0.95)  # all is learnt
    request = {"args": {"of": "sensor"}, "execution_time_ms": 5.0}
    for _ in range(HELD):
        engine.verify("t", result={"celsius": dice.gauss(20, 1)}, **request)
    result = [engine.verify("t", result={"celsius": 20 + z}, **request) for z in away * times]
    return [round(each.signals["spc_anomaly"].score, 2) for each in result]


def test_the_first_rule():
    """One point beyond three deviations, outside of all that was: 0.40."""
    assert [0.4] == scores([5.0], times=1)


def test_the_second_rule():
    """Two of three beyond two deviations on one side: 0.25; on both sides nothing."""
    assert [0.0, 0.25] == scores([2.4], times=2)
    assert [0.0, 0.0, 0.25] == scores([2.4, 0.1, 2.4], times=1)
    assert [0.0, 0.0, 0.0, 0.0] == scores([2.4, 0.1, 0.1, 2.4], times=1)
    assert [0.0, 0.0] == scores([2.4, -2.4], times=1)


def test_the_third_rule():
    """Four of five beyond one deviation on one side: 0.20."""
    signal_scores = scores([1.6], times=4)

    assert [0.0, 0.0] == signal_scores[:2]
    assert 0.2 == signal_scores[3]
    assert 0.0 == scores([1.6, -1.6], times=3)[-1]


def test_the_fourth_rule():
    """Eight in a row on one side of the mean: 0.15, and not for seven."""
    signal_scores = scores([0.6], times=9)
    begun = next(n for n, score in enumerate(signal_scores) if score)

    assert {0.0, 0.15} == set(signal_scores)
    assert 5 <= begun <= 7  # the last points before may have been on that side
    assert [0.15] * (9 - begun) == signal_scores[begun:]
    assert {0.0} == set(scores([0.6, -0.6], times=6))


@pytest.mark.parametrize("away", [[2.4], [1.6], [0.6]])
def test_rules_of_runs_do_not_hold_for_a_counter(away):
    """Neighbours of a number that only rises are alike by nature."""
    engine, total = VerificationEngine(), 0.0
    for _ in range(200):
        total += 3
        result = engine.verify("t", args={}, result={"n": total}, execution_time_ms=5.0)

    assert not result.signals["spc_anomaly"].fired
