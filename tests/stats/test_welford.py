"""Running mean and variance equal the batch values at each step."""

from __future__ import annotations

import statistics
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.stats import RunningStats

MODERATE = st.floats(min_value=-1e6, max_value=1e6)


@given(st.lists(MODERATE, min_size=1, max_size=50))
def test_every_step_equals_the_batch(series: list[float]) -> None:
    """After each point the streamed numbers are those of the `statistics` module."""
    running = RunningStats()
    for n, x in enumerate(series, 1):
        running.update(x)
        head = series[:n]
        assert running.n == n
        assert running.mean == pytest.approx(statistics.fmean(head), rel=1e-9, abs=1e-6)
        if n > 1:
            expected = statistics.variance(head)
            assert running.variance == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_small_noise_on_a_large_number() -> None:
    """The noise on 1e9 is not cancelled away, where the sum of squares loses it."""
    random = Random(7)
    series = [1e9 + random.gauss(0, 0.01) for _ in range(1_000)]
    running = RunningStats()
    for n, x in enumerate(series, 1):
        running.update(x)
        if n > 1:
            expected = statistics.variance(series[:n]) if n % 50 == 0 else running.variance
            assert running.variance == pytest.approx(expected, rel=1e-3)

    assert pytest.approx(statistics.stdev(series), rel=1e-3) == running.deviation


@pytest.mark.parametrize("series", [[], [5.0]])
def test_fewer_than_two_points_have_no_variance(series: list[float]) -> None:
    """The variance and the deviation of none or one point are 0."""
    running = RunningStats()
    for x in series:
        running.update(x)

    assert (running.variance, running.deviation) == (0.0, 0.0)


@given(MODERATE, st.integers(2, 50))
def test_a_constant_series_has_no_variance(x: float, n: int) -> None:
    """The variance of a repeated number is exactly 0."""
    running = RunningStats()
    for _ in range(n):
        running.update(x)

    assert (running.mean, running.variance) == (x, 0.0)


def test_a_point_is_judged_before_it_is_learnt() -> None:
    """Reading changes nothing; only `update` learns."""
    running = RunningStats()
    running.update(1.0)
    _ = (running.mean, running.variance, running.deviation)

    assert (running.n, running.mean) == (1, 1.0)
