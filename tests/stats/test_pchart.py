"""The limits of a p-chart contain random variation, also with few observations."""

from __future__ import annotations

import random

import pytest

from abs_shield.stats.control_charts import p_chart


@pytest.mark.parametrize("rate", [0.001, 0.01, 0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("of", [1, 5, 30, 400, 3_000])
def test_random_variation_rarely_exceeds_the_limits(rate, of):
    """At most about 0.27 % of random shares are outside of the limits."""
    draw = random.Random(of)
    times = [(sum(draw.random() < rate for _ in range(of)), of) for _ in range(400)]
    _, points = p_chart(times)

    assert sum(point.outside for point in points) <= 6


def test_a_shift_is_outside():
    times = [(2, 100)] * 50 + [(14, 100)]
    _, points = p_chart(times)

    assert [False] * 50 + [True] == [point.outside for point in points]


def test_times_without_observations_are_inside():
    usual, points = p_chart([(0, 0), (0, 0)])

    assert (0.0, [None, None]) == (usual, [point.rate for point in points])
