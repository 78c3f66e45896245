"""Calibration scores of probabilities."""

from __future__ import annotations

import random

import pytest

from abs_shield.stats.probabilities import brier, expected_calibration_error, reliability


def draw_outcomes(n, *, bias=0.0):
    """Draw outcomes whose reported probability has a *bias*."""
    dice = random.Random(3)
    truths = [dice.random() for _ in range(n)]
    return [(min(max(p + bias, 0.0), 1.0), dice.random() < p) for p in truths]


def test_honest_probabilities_are_calibrated():
    """Outcomes with their stated probability have nearly no error."""
    assert expected_calibration_error(draw_outcomes(20_000)) < 0.02


def test_a_bias_is_the_error():
    """Probabilities that are 0.2 too high have about that error, and a worse Brier score."""
    assert expected_calibration_error(draw_outcomes(20_000, bias=0.2)) == pytest.approx(
        0.18, abs=0.03
    )
    assert brier(draw_outcomes(20_000, bias=0.2)) > brier(draw_outcomes(20_000))


def test_every_result_is_in_one_bin():
    """The ends 0 and 1 belong to the first bin and to the last."""
    curve = reliability([(0.0, False), (1.0, True), (0.55, True)])

    assert [(1, 0.0, 0.0), (1, 0.55, 1.0), (1, 1.0, 1.0)] == [tuple(one) for one in curve]


def test_no_outcomes_score_zero():
    """Both scores are 0 without outcomes."""
    assert (0.0, 0.0) == (brier([]), expected_calibration_error([]))
