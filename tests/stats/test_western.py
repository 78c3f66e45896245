"""The limits of the Western Electric rules for few points and for many series."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.stats.western_electric import WEIGHTS, limits


def test_the_weights_are_those_of_the_table():
    """Rule 1 to 4 count 0.40, 0.25, 0.20 and 0.15, which is 1 in all."""
    assert (0.40, 0.25, 0.20, 0.15) == WEIGHTS
    assert sum(WEIGHTS) == pytest.approx(1)


def test_one_long_series_has_the_classic_limits():
    """The limits of a long series are 3, 2, 1 and 0 deviations."""
    assert [3, 2, 1, 0] == [pytest.approx(x, abs=1e-3) for x in limits(100_000, 1)]


@given(st.integers(8, 100), st.integers(1, 512))
def test_more_series_only_widen(n, series):
    """Twice as many series never narrow a limit, and never mix their order up."""
    one, two = limits(n, series), limits(n, 2 * series)

    assert all(wide >= narrow for wide, narrow in zip(two, one, strict=True))
    assert two.beyond_3 > two.beyond_2 > two.beyond_1 > two.one_side


@pytest.mark.parametrize("series", [1, 50])
def test_the_false_alarm_rate_does_not_depend_on_the_number_of_points(series):
    """After eight points the ninth exceeds the limit as rarely as in a long series."""
    dice, beyond, rounds = random.Random(series), 0, 2_000
    for _ in range(rounds):
        for _ in range(series):
            points = [dice.gauss(0, 1) for _ in range(8)]
            mean = sum(points) / 8
            deviation = (sum((x - mean) ** 2 for x in points) / 7) ** 0.5
            if abs(dice.gauss(0, 1) - mean) > limits(8, series).beyond_3 * deviation:
                beyond += 1
                break

    assert beyond <= rounds * 0.0027 * 2.5
